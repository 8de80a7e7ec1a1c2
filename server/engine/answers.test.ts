/** Asking and answering: prompts, what answers an input, and requests made twice (engine specification 3.4, 9.1, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { assistantKind, userKind } from './built-in/entry-kinds.ts';
import { UncertainPersistence } from './errors.ts';
import { inbox } from './inbox.ts';
import type { CommitBatch } from './records.ts';
import type { Storage } from './storage.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { textOf } from './testing/agent-kinds.ts';
import type { AgentModel } from './testing/agent-kinds.ts';

async function started(model: AgentModel = echo) {
  const session = new AgentSession(onTestFinished, { model });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}
const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });

test('a prompt accepts, drives and returns the answer [9.1-5]', async () => {
  const { engine, root } = await started();
  const answer = await root.prompt('hello');
  expect([answer?.kind, textOf(answer)]).toEqual(['assistant', 'to hello']);
  expect(engine.liveTasks()).toEqual([]);
});

test('a prompt whose run ends without an answer returns nothing [9.1-5]', async () => {
  const { root } = await started(() => {
    throw new Error('the provider is away');
  });
  expect(await root.prompt('hello')).toBeUndefined();
});

test('a prompt to a busy conversation waits until its input has landed and is answered [9.1-5] [9.1-6]', async () => {
  const gate = new Gate();
  const { root } = await started(async (request) => {
    await gate.pass(request.signal);
    return echo(request);
  });
  const first = root.prompt('first');
  await gate.arrived(1);
  const second = root.prompt('second');
  gate.open();
  await gate.arrived(2);
  gate.open();
  expect([textOf(await first), textOf(await second)]).toEqual(['to first', 'to second']);
});

test('a prompt whose queued input is cancelled returns nothing', async () => {
  const gate = new Gate();
  const { root } = await started(async (request) => {
    await gate.pass(request.signal);
    return echo(request);
  });
  const first = root.prompt('first');
  await gate.arrived(1);
  const acceptance = await root.accept('second');
  const second = root.prompt('third', { whenBusy: 'steer' });
  const [, last] = await root.commit((tx) =>
    tx
      .list(inbox)
      .read()
      .items.map(({ id }) => id),
  );
  expect(await root.cancelQueued(last ?? 0)).toBe('cancelled');
  expect(await root.cancelQueued('queued' in acceptance ? acceptance.queued : 0)).toBe('cancelled');
  gate.open();
  expect([textOf(await first), await second]).toEqual(['to first', undefined]);
});

test('the signal of a prompt ends the wait and not the work [9.1-8]', async () => {
  const gate = new Gate();
  const { root } = await started(async (request) => {
    await gate.pass(request.signal);
    return echo(request);
  });
  const controller = new AbortController();
  const waiting = root.prompt('hello', { signal: controller.signal });
  await gate.arrived(1);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  gate.open();
  await root.drive();
  expect(transcript(root)).toEqual(['user: hello', 'assistant: to hello']);
});

test('a prompt that the close of the engine overtakes returns nothing, and the next process finishes it', async () => {
  const gate = new Gate();
  const { session, root, engine } = await started(async (request) => {
    await gate.pass(request.signal);
    return echo(request);
  });
  const waiting = root.prompt('hello', { requestId: 'req-1' });
  await gate.arrived(1);
  await engine.close();
  expect(await waiting).toBeUndefined();
  const again = await (await session.reopen()).root();
  const asked = again.prompt('hello', { requestId: 'req-1' });
  await gate.arrived(2);
  gate.open();
  gate.open();
  expect(textOf(await asked)).toBe('to hello');
  expect(transcript(again)).toEqual(['user: hello', 'assistant: to hello']);
});

test('the answer is the last one before the next user entry, and of the last input the last one there is [9.1-6]', async () => {
  const { engine, root } = await started();
  const [first, a2, second, none, a3] = await root.commit((tx) => {
    const one = tx.entry(userKind, words('one'));
    tx.entry(assistantKind, words('a1'));
    const answered = tx.entry(assistantKind, words('a2'));
    const two = tx.entry(userKind, words('two'));
    const three = tx.entry(userKind, words('three'));
    return [one, answered, two, three, tx.entry(assistantKind, words('a3'))] as const;
  });
  expect([root.answerTo(first)?.id, root.answerTo(second)?.id, root.answerTo(none)?.id]).toEqual([a2, undefined, a3]);
  expect(root.answerTo(engine.lastSeq + 10)).toBeUndefined();
  expect(root.answerTo(root.id)).toBeUndefined();
});

test('in a fork the answer is what the fork has', async () => {
  const { engine, root } = await started();
  const answer = await root.prompt('one');
  const input = engine.entries(root.id, { limit: 1 }).items[0]?.id ?? 0;
  const before = await root.fork(input);
  const behind = await root.fork(answer?.id ?? 0);
  expect([before.answerTo(input), behind.answerTo(input)?.id]).toEqual([undefined, answer?.id]);
  const elsewhere = await before.prompt('two');
  expect(before.answerTo(input)).toBeUndefined();
  expect(root.answerTo(elsewhere?.id ?? 0)).toBeUndefined();
});

test('an answer is two indexed reads of one entry, however long the conversation is [9.1-6]', async () => {
  const session = new AgentSession(onTestFinished, { model: echo });
  const rows: number[] = [];
  const storage = counting(session.storage, rows);
  const engine = await session.open(storage);
  const root = await engine.root();
  const input = await root.commit((tx) => {
    const asked = tx.entry(userKind, words('one'));
    for (let i = 0; i < 500; i++) tx.entry(assistantKind, words(String(i)));
    return asked;
  });
  rows.length = 0;
  expect(textOf(root.answerTo(input))).toBe('499');
  expect(rows).toEqual([1, 0, 1]);
});

test('the same request is accepted once, however late and often, idle or busy [3.4-1] [3.4-2] [9.1-4] [9.1-7]', async () => {
  const { session, engine, root } = await started();
  const accepted = await root.accept('hello', { requestId: 'req-42' });
  expect(await root.accept('hello', { requestId: 'req-42' })).toEqual(accepted);
  const queued = await root.accept({ ...words('more'), from: 'a paste' }, { requestId: 'req-43' });
  expect(queued).toHaveProperty('queued');
  await root.drive();
  const answer = 'entryId' in accepted ? root.answerTo(accepted.entryId) : undefined;
  await root.prompt('on and on');
  const before = engine.lastSeq;
  const again = await (await session.reopen()).root();
  expect(await again.accept('hello', { requestId: 'req-42' })).toEqual(accepted);
  expect(await again.accept({ from: 'a paste', ...words('more') }, { requestId: 'req-43', whenBusy: 'steer' })).toEqual(queued);
  expect((await again.prompt('hello', { requestId: 'req-42' }))?.id).toBe(answer?.id);
  expect((await again.prompt({ from: 'a paste', ...words('more') }, { requestId: 'req-43' }))?.kind).toBe('assistant');
  expect((await session.open()).lastSeq).toBe(before);
});

test('a request id with other input, of another kind or for another conversation is refused [3.4-3]', async () => {
  const { engine, root } = await started();
  await root.accept('hello', { requestId: 'req-1' });
  const fork = await root.fork('start');
  const before = engine.lastSeq;
  for (const other of [
    root.accept('other', { requestId: 'req-1' }),
    root.write('hello', { requestId: 'req-1' }),
    root.nextRun('hello', { requestId: 'req-1' }),
    fork.accept('hello', { requestId: 'req-1' }),
  ])
    await expect(other).rejects.toMatchObject({ code: 'keyReused' });
  expect(engine.lastSeq).toBe(before);
});

test('writing and queueing are requests as accepting is [3.4-2]', async () => {
  const { engine, root } = await started();
  const ask = async () => [
    await root.write('noted', { requestId: 'w' }),
    await root.nextRun('later', { requestId: 'n' }),
    await root.followUp('now', { requestId: 'f' }),
    await root.steer('there', { requestId: 's' }),
  ];
  const first = await ask();
  const before = engine.lastSeq;
  expect(await ask()).toEqual(first);
  expect(engine.lastSeq).toBe(before);
});

test.each(['idle', 'busy'])('a lost reply and a second try give one acceptance: %s [10.2-2]', async (state) => {
  const { session, root } = await started();
  if (state === 'busy') await root.accept('first');
  const forgetful = await session.open(forgetting(session.storage));
  const conversation = forgetful.conversation(root.id);
  await expect(conversation?.accept('hello', { requestId: 'req-1' })).rejects.toBeInstanceOf(UncertainPersistence);
  const again = await (await session.reopen()).root();
  const accepted = await again.accept('hello', { requestId: 'req-1' });
  expect(Object.keys(accepted)).toEqual([state === 'idle' ? 'entryId' : 'queued']);
  const answer = await again.prompt('hello', { requestId: 'req-1' });
  expect(textOf(answer)).toBe('to hello');
  expect(transcript(again).filter((line) => line === 'user: hello')).toHaveLength(1);
});

/** Every commit is durable and its reply is lost. */
function forgetting(storage: Storage): Storage {
  return wrapped(storage, (property, member) =>
    property === 'commit'
      ? async (batch: CommitBatch, within?: () => void) => {
          await (member as Storage['commit'])(batch, within);
          throw new UncertainPersistence(new Error('no reply'));
        }
      : member,
  );
}

/** Notes how many items each read of entries returned. */
function counting(storage: Storage, rows: number[]): Storage {
  return wrapped(storage, (property, member) =>
    property === 'scanEntries' || property === 'readEntries'
      ? (query: Parameters<Storage['readEntries']>[0]) => {
          const page = (member as Storage['readEntries'])(query);
          rows.push(page.items.length);
          return page;
        }
      : member,
  );
}

function wrapped(storage: Storage, wrap: (property: string | symbol, member: unknown) => unknown): Storage {
  return new Proxy(storage, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property, target);
      return wrap(property, typeof member === 'function' ? (member.bind(target) as unknown) : member);
    },
  });
}
