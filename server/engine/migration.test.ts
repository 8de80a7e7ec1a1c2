/** Sessions of another storage version and the steps that lead to it, on every backend (engine specification 6.5). */
import fs from 'node:fs';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchList, scratchValue, sessionValue } from './address.ts';
import type { Migration } from './migration.ts';
import type { CommitBatch, Json, MainWrite } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { backends, JsonlSession } from './testing/backends.ts';
import { faultyFiles } from './testing/faulty-files.ts';
import { histories, recorded } from './testing/mutations.ts';
import { observe } from './testing/observe.ts';

const note = (text: string): Json => ({ text });
const mode = bound(conversationValue<Json>('mode', { rewind: true }), 1);
const moves = bound(conversationList<Json>('moves', { rewind: true }), 1);
const frames = bound(scratchList<Json>('frames'), 2);
const checkpoint = bound(scratchValue<Json>('checkpoint', 'k'), 2);
const batches: readonly CommitBatch[] = [
  {
    kind: 'main',
    writes: [
      { type: 'createConversation', conversation: { id: 1 } },
      {
        type: 'task',
        role: 'start',
        task: { id: 2, conversationId: 1, kind: 'work', status: 'pending', state: { n: 1 }, after: [] },
      },
      {
        type: 'task',
        role: 'start',
        task: { id: 3, conversationId: 1, kind: 'work', status: 'pending', state: { n: 1 }, after: [2] },
      },
    ],
  },
  {
    kind: 'main',
    writes: [
      { type: 'value.set', addr: mode, value: 'plan' },
      { type: 'value.delete', addr: mode },
      { type: 'value.set', addr: sessionValue('name'), value: 'shop' },
      { type: 'list.append', addr: moves, value: 'e4' },
      { type: 'entry', entry: { id: 8, conversationId: 1, kind: 'note', content: note('hello'), key: 'k', byTaskId: 2 } },
      { type: 'patch', id: 2, status: 'running', role: 'inflight', state: { n: 2 } },
      { type: 'patch', id: 2, abort: true },
    ],
  },
  {
    kind: 'scratch',
    task: 2,
    writes: [
      { type: 'list.append', addr: frames, value: 'f' },
      { type: 'value.set', addr: checkpoint, value: 'c' },
    ],
  },
  { kind: 'main', writes: [{ type: 'settle', id: 3, status: 'done', state: { n: 3 } }] },
];
const upper = (value: Json): Json => (typeof value === 'string' ? value.toUpperCase() : value);
const migrations: readonly Migration[] = [
  {
    from: '2',
    to: '3',
    task: ({ kind, status, state }) => ({
      kind: `${kind}.3`,
      status: status === 'running' ? 'going' : status,
      state: { was: state },
    }),
    value: (addr, value) => (addr.namespace === 'mode' ? { mode: value } : value),
  },
  {
    from: '1',
    to: '2',
    entry: ({ kind, content, byTaskId }) => ({
      kind: kind === 'note' ? 'remark' : kind,
      content: { body: content, by: byTaskId ?? null },
    }),
    value: (_addr, value) => upper(value),
    element: (addr, value) => [upper(value), 'scratch' in addr.scope],
  },
];

function read(storage: Storage): unknown {
  return {
    version: storage.version,
    kinds: [...storage.kinds],
    entry: storage.getEntries([8]).get(8),
    ofKind: storage.scanEntries({ conversationId: 1, kind: 'remark', limit: 9 }).items.length,
    tasks: storage.scanTasks({ limit: 9 }).items,
    live: storage.scanTaskHeaders({ live: true, limit: 9 }).items.map((task) => [task.id, task.role, task.abort]),
    mode: [storage.getValue(mode), storage.getValue(mode, 8)],
    name: storage.getValue(sessionValue('name')),
    moves: storage.readList(moves, { limit: end }).items,
    scratch: [storage.readList(frames, { limit: end }).items, storage.getValue(checkpoint)],
    lastSeq: storage.lastSeq,
  };
}

test.each(backends)(
  'on $name steps map every record, one after the other, and the session then opens [6.5-6]',
  async (backend) => {
    const session = backend.open(onTestFinished);
    for (const batch of batches) await session.storage.commit(batch);
    await session.migrate('1', '3', migrations);
    await expect(session.reopen('2')).rejects.toMatchObject({ code: 'storageVersion' });
    const storage = await session.reopen('3');
    const task = { conversationId: 1, kind: 'work.3' };
    expect(read(storage)).toEqual({
      version: '3',
      kinds: ['remark'],
      entry: { id: 8, conversationId: 1, kind: 'remark', key: 'k', byTaskId: 2, content: { body: note('hello'), by: 2 } },
      ofKind: 1,
      tasks: [
        { ...task, id: 2, status: 'going', state: { was: { n: 2 } }, after: [], abort: true },
        { ...task, id: 3, status: 'done', state: { was: { n: 3 } }, after: [2] },
      ],
      live: [[2, 'inflight', true]],
      mode: [undefined, undefined],
      name: { seq: 6, value: 'SHOP' },
      moves: [{ id: 7, value: ['E4', false] }],
      scratch: [[{ id: 11, value: ['F', true] }], { seq: 12, value: 'C' }],
      lastSeq: 13,
    });
    expect(await storage.commit({ kind: 'main', writes: [{ type: 'list.clear', addr: moves }] })).toEqual({
      first: 14,
      last: 14,
    });
  },
);

test.each(backends)(
  'on $name a session of another version, or a step that is missing, is rejected with both versions and nothing is changed [6.5-5] [6.5-7]',
  async (backend) => {
    const session = backend.open(onTestFinished);
    for (const batch of batches) await session.storage.commit(batch);
    const before = read(session.storage);
    const rejected = (...versions: readonly string[]) =>
      expect.objectContaining({
        code: 'storageVersion',
        message: expect.stringMatching(new RegExp(versions.join('.*'))) as string,
      }) as Error;
    await expect(session.reopen('9')).rejects.toEqual(rejected('1', '9'));
    await expect(session.migrate('2', '3', migrations)).rejects.toEqual(rejected('1', '2'));
    await expect(session.migrate('1', '4', migrations)).rejects.toEqual(rejected('3', '1', '4'));
    await expect(
      session.migrate('1', '5', [
        { from: '1', to: '2' },
        { from: '2', to: '1' },
      ]),
    ).rejects.toEqual(rejected('1', '1', '5'));
    expect(read(await session.reopen())).toEqual(before);
  },
);

test.each(backends)('on $name a map that throws leaves the session as it was [6.5-8]', async (backend) => {
  for (const failing of [
    { entry: throwing },
    { task: throwing },
    { value: throwing },
    { element: (addr, value) => ('scratch' in addr.scope ? throwing() : value) },
  ] satisfies Partial<Migration>[]) {
    const session = backend.open(onTestFinished);
    for (const batch of batches) await session.storage.commit(batch);
    const before = read(session.storage);
    const step: Migration = {
      from: '1',
      to: '2',
      entry: () => ({ kind: 'x', content: 1 }),
      value: () => 1,
      element: () => 1,
      ...failing,
    };
    await expect(session.migrate('1', '2', [step])).rejects.toThrow('cannot be mapped');
    expect(read(await session.reopen())).toEqual(before);
  }
});
function throwing(): never {
  throw new Error('cannot be mapped');
}

test('any history maps alike on every backend [6.5-6]', async () => {
  const step: Migration = {
    from: '1',
    to: '2',
    entry: ({ kind, content }) => ({ kind, content: { ...(content as object), seen: true } }),
    task: ({ kind, status, state }) => ({ kind, status, state: { ...(state as object), version: 2 } }),
    value: (addr, value) => [addr.namespace, value],
    element: (addr, value) => ({ value, key: addr.key ?? null }),
  };
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const made = await recorded(history);
      const conversations = made.flatMap(({ writes }) =>
        writes.flatMap((write: MainWrite) => (write.type === 'createConversation' ? [write.conversation.id] : [])),
      );
      const answers = [];
      for (const backend of backends) {
        const session = backend.open(onTestFinished);
        for (const batch of made) await session.storage.commit(batch);
        await session.migrate('1', '2', [step]);
        answers.push(observe(await session.reopen('2'), 2, conversations.slice(0, 3)));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }),
    { seed: 65, numRuns: 4 },
  );
}, 60_000);

test('a JSONL migration that fails at any step leaves the old session, and one that was interrupted is finished by opening [6.5-8] [6.5-6]', async () => {
  const migrated = async (session: JsonlSession) => read(await session.reopen('3'));
  const reference = new JsonlSession(onTestFinished);
  for (const batch of batches) await reference.storage.commit(batch);
  const before = read(reference.storage);
  await reference.migrate('1', '3', migrations);
  const after = await migrated(reference);
  expect(read((await import('./jsonl/storage.ts')).JsonlStorage.open(`${reference.file}.bak`))).toMatchObject({
    version: '1',
    lastSeq: 13,
  });

  for (const [operation, next] of [
    ['write', 'again'],
    ['sync', 'again'],
    ['copy', 'again'],
    ['rename', 'again'],
    ['syncFolder', 'opened'],
    ['syncFolder', 'migrated on'],
  ] as const) {
    const files = faultyFiles();
    const session = new JsonlSession(onTestFinished, { files });
    for (const batch of batches) await session.storage.commit(batch);
    files.failing.add(operation);
    await expect(session.migrate('1', '3', migrations)).rejects.toMatchObject({ code: 'EIO' });
    files.failing.clear();
    if (next !== 'again') {
      // The rename was made, the folder of scratch did not follow.
      expect(fs.existsSync(`${session.file}.scratch.3`)).toBe(true);
    }
    if (next === 'migrated on') {
      await session.migrate('3', '4', [{ from: '3', to: '4' }]);
      expect(read(await session.reopen('4'))).toEqual({ ...(after as object), version: '4' });
      continue;
    }
    if (next === 'again') {
      expect(read(await session.reopen())).toEqual(before);
      await session.migrate('1', '3', migrations);
    }
    expect(await migrated(session)).toEqual(after);
    expect(fs.existsSync(`${session.file}.scratch.3`)).toBe(false);
  }
});
