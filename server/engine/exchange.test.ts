/** Exchanges on the line: what a result may answer, and where a head may begin the context (engine specification 2.3, 7.3). */
import { expect, onTestFinished, test } from 'vitest';
import { assistantKind, handoffKind, noticeKind, resetKind, toolResultKind, userKind } from './built-in/entry-kinds.ts';
import type { Id } from './records.ts';
import { SeenEntries } from './testing/seen-entries.ts';
import { TempSession } from './testing/session.ts';
import { Counting } from './testing/storages.ts';
import { answered, bareHead, openTalk, part, resultOf, said, Talk, windowHead } from './testing/talk.ts';
import type { Tx } from './tx.ts';

async function started() {
  const session = new TempSession(onTestFinished);
  const seen = new SeenEntries(session.store.session('session'));
  const counting = new Counting(seen.storage);
  const engine = await openTalk(counting.storage);
  const talk = new Talk(await engine.root());
  return { engine, talk, handle: talk.handle, counting, seen };
}

const refused = { code: 'exchange' };

test('a result answers an earlier call that waits for one, in any order of the calls [7.3-8]', async () => {
  const { talk } = await started();
  await talk.user('look');
  await talk.assistant('both', ['a', 'b']);
  await talk.result('b');
  await talk.result('a');
  await expect(talk.result('b')).rejects.toMatchObject(refused);
});

test('a result without a call, before its call, of another conversation or of a failed message is rejected [7.3-8]', async () => {
  const { engine, talk, handle } = await started();
  await expect(talk.result('a')).rejects.toMatchObject(refused);
  await expect(
    handle.commit((tx) => {
      tx.entry(toolResultKind, resultOf('a'));
      tx.entry(assistantKind, answered('calls', ['a']));
    }),
  ).rejects.toMatchObject(refused);
  await talk.assistant('breaks off', ['a'], 'aborted');
  await talk.assistant('breaks off', ['b'], 'error');
  await expect(talk.result('a')).rejects.toMatchObject(refused);
  await expect(talk.result('b')).rejects.toMatchObject(refused);
  const before = engine.lastSeq;
  await talk.assistant('calls', ['a']);
  const other = await engine.commit((tx) => tx.createConversation());
  await expect(engine.commit((tx) => tx.entry(toolResultKind, other, resultOf('a')))).rejects.toThrow(
    /answers call "a", which no entry of conversation \d+ waits for/u,
  );
  expect(engine.lastSeq).toBe(before + 2);
});

test('a call that was not answered before the next prompt or message is waited for no more [7.3-8]', async () => {
  const { talk } = await started();
  await talk.assistant('calls', ['a', 'b']);
  await talk.result('a');
  await talk.user('never mind');
  await expect(talk.result('b')).rejects.toMatchObject(refused);
  await talk.assistant('calls again', ['b']);
  await talk.assistant('goes on');
  await expect(talk.result('b')).rejects.toMatchObject(refused);
});

test('a call id that is used again is a call of its own [7.3-8]', async () => {
  const { talk } = await started();
  for (let turn = 0; turn < 3; turn++) {
    await talk.assistant('calls', ['call_0']);
    await talk.result('call_0');
    await expect(talk.result('call_0')).rejects.toMatchObject(refused);
  }
});

test('a head leaves an abandoned call out although its id is used and answered again behind it [2.3-7]', async () => {
  const { talk } = await started();
  await talk.assistant('calls', ['call_0']);
  const again = await talk.assistant('calls', ['call_0']);
  await talk.result('call_0');
  await talk.summary(again);
});

test('what stands between a call and its result may be anything that starts no exchange [7.3-8]', async () => {
  const { talk, handle } = await started();
  const asked = await talk.user('look');
  await talk.assistant('calls', ['a']);
  await handle.commit((tx) => tx.entry(noticeKind, { text: 'a job is done' }));
  await talk.system({ sections: [{ key: 'cwd', text: '/home/user/shop' }] });
  await talk.summary(asked);
  await handle.commit((tx) => {
    for (let i = 0; i < 300; i++) tx.entry(noticeKind, { text: `${i}` });
  });
  await talk.result('a');
});

test('call and result may come in one commit, in a fork that it creates too [7.3-2] [7.3-8]', async () => {
  const { engine, handle } = await started();
  const fork = await engine.commit((tx) => {
    tx.entry(assistantKind, handle.id, answered('calls', ['a', 'b']));
    const at = tx.entry(toolResultKind, handle.id, resultOf('a'));
    tx.entry(toolResultKind, handle.id, resultOf('b'));
    const forked = tx.createConversation({ parent: { conversationId: handle.id, at } });
    tx.entry(toolResultKind, forked, resultOf('b'));
    return forked;
  });
  await expect(engine.commit((tx) => tx.entry(toolResultKind, fork, resultOf('a')))).rejects.toMatchObject(refused);
});

test('a head that keeps a result and not its call is rejected, one that keeps or leaves both is not [2.3-7]', async () => {
  const { talk } = await started();
  await talk.user('look');
  const calling = await talk.assistant('calls', ['a', 'b']);
  const first = await talk.result('a');
  const second = await talk.result('b');
  const last = await talk.assistant('done');
  await expect(talk.summary(first)).rejects.toThrow(/retains from entry \d+: the result of call "b"|call "a"/u);
  await expect(talk.summary(second)).rejects.toMatchObject(refused);
  await talk.summary(calling);
  await talk.summary(last);
});

test('a head cuts no call off that is not answered yet, unless nobody waits for it any more [2.3-7]', async () => {
  const { talk, handle } = await started();
  const asked = await talk.user('look');
  const calling = await talk.assistant('calls', ['a']);
  await expect(talk.summary()).rejects.toThrow(/call "a" of entry \d+ is not answered yet/u);
  await expect(handle.commit((tx) => tx.entry(resetKind, {}))).rejects.toMatchObject(refused);
  await expect(handle.commit((tx) => tx.entry(handoffKind, { text: 'go on' }))).rejects.toMatchObject(refused);
  await talk.summary(asked);
  await talk.summary(calling);
  const next = await talk.user('never mind');
  await talk.summary(next);
  await handle.commit((tx) => tx.entry(resetKind, {}));
});

test('a head counts what its own commit has written before it [2.3-7] [7.3-2]', async () => {
  const { handle } = await started();
  const plan = async (answers: readonly string[]) =>
    handle.commit((tx) => {
      tx.entry(assistantKind, answered('calls', ['a', 'b']));
      for (const call of answers) tx.entry(toolResultKind, resultOf(call));
      return tx.entry(handoffKind, { text: 'go on' });
    });
  await expect(plan(['a'])).rejects.toMatchObject(refused);
  const head = await plan(['a', 'b']);
  expect(handle.contextIds()).toEqual([head]);
});

test('after a head no result reaches back before it [2.3-7] [7.3-8]', async () => {
  const { talk, handle } = await started();
  const calling = await talk.assistant('calls', ['a']);
  const fork = await talk.fork(calling);
  await fork.handle.commit((tx) => tx.entry(resetKind, {}));
  await expect(fork.result('a')).rejects.toMatchObject(refused);
  const other = await talk.fork(calling);
  const answer = await other.handle.commit((tx) => tx.entry(toolResultKind, resultOf('a')));
  await expect(other.summary(answer)).rejects.toMatchObject(refused);
  await expect(handle.commit((tx) => tx.entry(resetKind, {}))).rejects.toMatchObject(refused);
});

test('nor does it when head and result come in one commit, with the call or after it [2.3-7] [7.3-2] [7.3-8]', async () => {
  const { engine, talk, handle } = await started();
  const stored = await talk.assistant('calls', ['a']);
  const cutAndAnswer = async (callOf: (tx: Tx) => Id, head: boolean) =>
    engine.commit((tx) => {
      const fork = tx.createConversation({ parent: { conversationId: handle.id, at: callOf(tx) } });
      if (head) tx.entry(resetKind, fork, {});
      tx.entry(toolResultKind, fork, resultOf('a'));
    });
  const written = (tx: Tx) => tx.entry(assistantKind, handle.id, answered('calls', ['a']));
  for (const callOf of [() => stored, written]) {
    await expect(cutAndAnswer(callOf, true)).rejects.toMatchObject(refused);
    await cutAndAnswer(callOf, false);
  }
});

test('instructions stay with the exchange that they govern [2.3-8]', async () => {
  const { talk, handle } = await started();
  await talk.user('look');
  const told = await talk.system({ baseline: true, sections: [{ key: 'role', text: 'You help.' }] });
  await handle.commit((tx) => tx.entry(noticeKind, { text: 'a job is done' }));
  const calling = await talk.assistant('calls', ['a']);
  await expect(talk.summary(calling)).rejects.toThrow(/the instructions of entry \d+ govern what is retained/u);
  await talk.summary(told);
  await talk.result('a');
  await expect(talk.summary(calling)).rejects.toMatchObject(refused);
  const done = await talk.assistant('done');
  await talk.summary(done);
});

test('instructions that govern nothing yet hold no head back [2.3-8]', async () => {
  const { talk, handle } = await started();
  await talk.user('look');
  await talk.system({ baseline: true });
  await handle.commit((tx) => tx.entry(resetKind, {}));
  await talk.user('again');
  await talk.system({ baseline: true });
  await talk.summary();
});

test('the rules hold for kinds of a host that declare their part, and for no others [2.1-15] [7.3-7]', async () => {
  const { talk, handle } = await started();
  await handle.commit((tx) => tx.entry(part, { starts: true }));
  const governing = await handle.commit((tx) => tx.entry(part, { governs: true }));
  const calling = await handle.commit((tx) => tx.entry(part, { calls: ['a'] }));
  await handle.commit((tx) => tx.entry(part, { calls: ['b'] }));
  const answer = await handle.commit((tx) => tx.entry(part, { answers: 'a' }));
  await expect(handle.commit((tx) => tx.entry(part, { answers: 'a' }))).rejects.toMatchObject(refused);
  await handle.commit((tx) => tx.entry(part, { answers: 'b' }));
  for (const from of [calling, answer])
    await expect(handle.commit((tx) => tx.entry(windowHead, { from }))).rejects.toMatchObject(refused);
  await handle.commit((tx) => tx.entry(windowHead, { from: governing }));
  await expect(talk.summary(answer)).rejects.toMatchObject(refused);
  await handle.commit((tx) => tx.entry(bareHead, { from: answer }));
  expect(handle.contextIds()).toEqual([]);
});

test('instructions govern the exchange that begins next, not a later one of calls without a message [2.3-8]', async () => {
  const { handle } = await started();
  await handle.commit((tx) => tx.entry(part, { governs: true }));
  await handle.commit((tx) => tx.entry(part, { calls: ['a'] }));
  await handle.commit((tx) => tx.entry(part, { answers: 'a' }));
  const piece = await handle.commit((tx) => tx.entry(part, { calls: ['b'] }));
  await handle.commit((tx) => tx.entry(windowHead, { from: piece }));
  await handle.commit((tx) => tx.entry(part, { answers: 'b' }));
});

test('every entry is a fork point: a fork may answer what it inherited, and goes on without [3.2-7]', async () => {
  const { talk } = await started();
  await talk.user('look');
  const calling = await talk.assistant('calls', ['a', 'b']);
  const first = await talk.result('a');
  await talk.result('b');
  const atCall = await talk.fork(calling);
  const atResult = await talk.fork(first);
  await expect(atResult.result('a')).rejects.toMatchObject(refused);
  await atResult.result('b');
  await atCall.user('something else');
  await expect(atCall.result('a')).rejects.toMatchObject(refused);
  await talk.assistant('done');
});

test('a result beside its call costs one small page, however long the history is [10.3-14]', async () => {
  const { talk, handle, counting } = await started();
  await handle.commit((tx) => {
    for (let i = 0; i < 2000; i++) tx.entry(userKind, said(`${i}`));
  });
  await talk.assistant('calls', ['a']);
  counting.reset();
  await talk.result('a');
  expect(counting.calls.get('scanEntries')).toBe(1);
  expect(counting.calls.get('readEntries')).toBeUndefined();
  expect(counting.records).toBeLessThan(24);
});

test('no content from before the newest head is read to judge a result', async () => {
  const { talk, handle, seen } = await started();
  await talk.user('old');
  await talk.assistant('old');
  const head = await handle.commit((tx) => tx.entry(resetKind, {}));
  const asked = await talk.user('new');
  seen.take();
  await expect(talk.result('a')).rejects.toMatchObject(refused);
  expect(seen.take()).toEqual([head, asked]);
  await handle.commit((tx) => tx.entry(resetKind, {}));
  seen.take();
  await expect(talk.result('a')).rejects.toMatchObject(refused);
  expect(seen.take()).toHaveLength(1);
});
