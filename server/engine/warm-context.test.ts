/** What a derived context costs and what it shares: warm handles, cold reads, snapshots (engine specification 2.2). */
import { expect, onTestFinished, test } from 'vitest';
import { resetKind, summaryKind, userKind } from './built-in/entry-kinds.ts';
import { normalizeExchanges } from './built-in/normalize.ts';
import type { Message } from './built-in/messages.ts';
import { ContextFold } from './context-fold.ts';
import { entryKind, Kinds } from './kinds.ts';
import type { Id } from './records.ts';
import { SeenEntries } from './testing/seen-entries.ts';
import { TempSession } from './testing/session.ts';
import { Counting } from './testing/storages.ts';
import { inShort, openTalk, prune, said, Talk } from './testing/talk.ts';

async function started() {
  const session = new TempSession(onTestFinished);
  const seen = new SeenEntries(session.store.session('session'));
  const counting = new Counting(seen.storage);
  const engine = await openTalk(counting.storage);
  const talk = new Talk(await engine.root());
  const many = async (count: number, from = 0) =>
    talk.handle.commit((tx) => {
      let last: Id = 0;
      for (let i = 0; i < count; i++) last = tx.entry(userKind, said(`${from + i}`));
      return last;
    });
  return { engine, talk, handle: talk.handle, counting, seen, many };
}

test('a warm handle reads what was appended since, in one page, and nothing when nothing was [2.2-10]', async () => {
  const { handle, talk, counting, seen, many } = await started();
  await many(3000);
  expect(handle.contextEntries()).toHaveLength(3000);
  const one = await talk.user('one more');
  const edit = await handle.commit((tx) => tx.entry(prune, { target: one, text: 'shorter' }));
  counting.reset();
  seen.take();
  expect(handle.contextEntries()).toHaveLength(3001);
  expect([...counting.calls]).toEqual([['readEntries', 1]]);
  expect(seen.take()).toEqual([one, edit]);
  counting.reset();
  handle.contextEntries();
  handle.contextEntries(edit);
  expect(counting.reads).toBe(0);
});

test('a warm handle takes a new head without reading what it retains again [2.2-10]', async () => {
  const { handle, counting, seen, many } = await started();
  const last = await many(1000);
  handle.contextEntries();
  const head = await handle.commit((tx) => tx.entry(summaryKind, { text: 'so far', retainFrom: last - 9 }));
  counting.reset();
  seen.take();
  expect(handle.contextIds()).toEqual([head, ...Array.from({ length: 10 }, (_, i) => last - 9 + i)]);
  expect(seen.take()).toEqual([head]);
  expect(counting.reads).toBe(1);
});

test('a cold context reads the newest head and what it retains, not the history before it [2.2-14]', async () => {
  const { engine, handle, talk, seen, many } = await started();
  const last = await many(2000);
  const head = await handle.commit((tx) => tx.entry(summaryKind, { text: 'so far', retainFrom: last - 2 }));
  const after = await talk.user('after');
  seen.take();
  expect(engine.contextIds(handle.id)).toEqual([head, last - 2, last - 1, last, after]);
  expect(seen.take()).toEqual([head, last - 2, last - 1, last, head, after]);
});

test('an older position is derived apart: the warm context stays where it is [2.2-12]', async () => {
  const { handle, counting, many } = await started();
  const old = await many(5);
  await many(500, 5);
  await handle.commit((tx) => tx.entry(resetKind, {}));
  const last = await many(2, 505);
  expect(handle.contextIds()).toEqual([last - 1, last]);
  expect(handle.contextIds(old)).toHaveLength(5);
  counting.reset();
  expect(handle.contextIds()).toEqual([last - 1, last]);
  expect(counting.reads).toBe(0);
});

test('what other conversations commit makes no position of this one historical [2.2-12]', async () => {
  const { engine, handle, talk, counting, many } = await started();
  const last = await many(1000);
  handle.contextEntries();
  const other = await talk.fork(last);
  await other.user('elsewhere');
  handle.contextEntries();
  counting.reset();
  expect(handle.contextEntries(last)).toHaveLength(1000);
  expect(counting.reads).toBe(0);
  expect(engine.contextEntries(handle.id, last)).toEqual(handle.contextEntries());
});

test('a snapshot is frozen through and through, and later ones share what did not change [2.2-13]', async () => {
  const { handle, talk } = await started();
  const asked = await talk.user('look');
  await talk.assistant('calls', ['a']);
  const snapshot = handle.contextEntries();
  const text = JSON.stringify(snapshot);
  const attempts: (() => unknown)[] = [
    () => (snapshot as unknown[]).pop(),
    () => Object.assign(snapshot[0]?.entry ?? {}, { kind: 'other' }),
    () => (snapshot[0]?.messages as Message[] | undefined)?.pop(),
    () => Object.assign(snapshot[1]?.messages[0]?.content[1] ?? {}, { name: 'write' }),
    () => Object.assign(snapshot[0]?.entry.content ?? {}, { content: 'other' }),
  ];
  for (const attempt of attempts) expect(attempt).toThrow(TypeError);
  await talk.result('a');
  await handle.commit((tx) => tx.entry(prune, { target: asked }));
  const later = handle.contextEntries();
  expect(later.map(({ entry }) => entry.kind)).toEqual(['assistant', 'tool_result']);
  expect(later[0]).toBe(snapshot[1]);
  await handle.commit((tx) => tx.entry(prune, { target: asked, text: 'shorter' }));
  await handle.commit((tx) => tx.entry(resetKind, {}));
  expect(handle.contextEntries()).toEqual([]);
  expect(JSON.stringify(snapshot)).toBe(text);
});

test('a deleted conversation has no context, on a warm handle neither', async () => {
  const { engine, handle, talk } = await started();
  await talk.user('look');
  expect(handle.contextIds()).toHaveLength(1);
  await engine.commit((tx) => tx.deleteConversation(handle.id));
  expect([handle.contextIds(), engine.contextIds(handle.id)]).toEqual([[], []]);
});

test('an edit projects only when its kind has a projection too, and then where it stands [2.2-5]', async () => {
  const loud = entryKind<{ readonly target: Id }, Message>('loud', {
    edit: ({ content }) => [{ target: content.target, action: 'omit' }],
    project: () => [{ role: 'user', content: [{ type: 'text', text: 'something was left out' }] }],
  });
  const kinds = new Kinds<Message>([userKind, prune, loud], []);
  const fold = new ContextFold(kinds);
  const entry = (id: Id, kind: string, content: object) => ({ id, conversationId: 1, kind, content: content as never });
  expect(fold.add(entry(2, 'user', said('one')))).toBe('appended');
  expect(fold.add(entry(3, 'user', said('two')))).toBe('appended');
  expect(fold.add(entry(4, 'prune', { target: 2 }))).toBe('changed');
  expect(fold.ids).toEqual([3]);
  expect(fold.add(entry(5, 'loud', { target: 3 }))).toBe('changed');
  expect(fold.ids).toEqual([5]);
});

test('a summary prepared on an old context lands after what came meanwhile; only a competing head is in its way [2.3-3]', async () => {
  const { handle, talk } = await started();
  const old = await talk.user('old');
  await talk.assistant('old answer');
  const retained = await talk.user('kept');
  const calling = await talk.assistant('calls', ['a']);
  // Here the summary of what is before `retained` is prepared.
  await handle.commit((tx) => tx.entry(prune, { target: old }));
  await talk.result('a');
  await handle.commit((tx) => tx.entry(prune, { target: retained, text: 'shorter' }));
  await talk.assistant('done');
  await talk.summary(retained);
  expect(handle.contextMessages().map(inShort)).toEqual([
    'user: so far',
    'user: shorter',
    'assistant: calls [a]',
    'a: result of a',
    'assistant: done',
  ]);
  await talk.summary(calling);
  await expect(talk.summary(retained)).rejects.toMatchObject({ code: 'headMovesBack' });
  await handle.commit((tx) => tx.entry(resetKind, {}));
  await expect(talk.summary(calling)).rejects.toMatchObject({ code: 'headMovesBack' });
});

test('a context cut by a fork is repaired for the request alone: nothing behind the cutoff is seen, nothing is stored [2.2-7] [2.2-15]', async () => {
  const { engine, handle, talk } = await started();
  await talk.user('look');
  const calling = await talk.assistant('calls', ['a', 'b']);
  await talk.result('b');
  const fork = await talk.fork(calling);
  const later = await talk.fork(await talk.result('a'));
  const before = engine.lastSeq;
  expect(fork.handle.contextMessages(undefined, normalizeExchanges).map(inShort)).toEqual([
    'user: look',
    'assistant: calls [a b]',
    expect.stringMatching(/^a: No result was recorded/u),
    expect.stringMatching(/^b: No result was recorded/u),
  ]);
  expect(later.handle.contextMessages(undefined, normalizeExchanges).map(inShort).slice(2)).toEqual([
    'a: result of a',
    'b: result of b',
  ]);
  expect(handle.contextMessages().map(inShort).slice(2)).toEqual(['b: result of b', 'a: result of a']);
  expect(engine.lastSeq).toBe(before);
  expect(engine.countEntries(fork.handle.id)).toBe(2);
});
