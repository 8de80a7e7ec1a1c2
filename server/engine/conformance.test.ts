/**
 * Every storage backend gives the same answers (engine specification 10.1): one stream of mutations, made once, is given to all of the registry, and
 * everything that can be read is compared, before and after they are opened again. There is no way to leave a backend out.
 */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchList, scratchValue, sessionValue } from './address.ts';
import { contextAt } from './context.ts';
import type { CommitBatch, Id, Json, MainWrite, StateWrite } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { backends } from './testing/backends.ts';
import type { Backend, TestSession } from './testing/backends.ts';
import { histories, kinds, recorded, scratchOf, stateOf } from './testing/mutations.ts';
import { observe } from './testing/observe.ts';
import { entryPack } from './testing/packing.ts';

interface Opened {
  readonly backend: Backend;
  readonly session: TestSession;
}
const openAll = (): readonly Opened[] => backends.map((backend) => ({ backend, session: backend.open(onTestFinished) }));

/** Runs the same on every backend and expects the first one's answer of all. */
async function agreed<T>(opened: readonly Opened[], ask: (storage: Storage) => T | Promise<T>): Promise<T> {
  const [first, ...others] = opened;
  if (first === undefined) throw new Error('no backend');
  const answer = await ask(first.session.storage);
  for (const { backend, session } of others) {
    const other = await ask(session.storage);
    // The quick comparison is the stricter one; the other prints what differs.
    if (isDeepStrictEqual(other, answer)) continue;
    expect(other, `${backend.name} beside ${first.backend.name}`).toEqual(answer);
    expect(other, `${backend.name} beside ${first.backend.name}`).toStrictEqual(answer);
  }
  return answer;
}

async function reopenAll(opened: readonly Opened[]): Promise<void> {
  for (const { session } of opened) await session.reopen();
}

test('the registry has every backend there is', () => {
  expect(backends.map((backend) => backend.name)).toEqual(['memory', 'jsonl', 'sqlite', 'packed']);
});

test('one stream of mutations reads alike everywhere, reopened in between and at the end [10.1-1] [10.1-2] [10.1-3] [10.1-4] [10.1-5] [10.1-6] [10.1-7] [7.1-1] [5.1-1]', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(), async (history, probe) => {
      const batches = await recorded(history);
      const opened = openAll();
      const conversations = [
        ...batches.flatMap(({ writes }) => writes.flatMap((w) => (w.type === 'createConversation' ? [w.conversation.id] : []))),
        9999,
      ];
      const half = probe % batches.length;
      for (const [i, batch] of batches.entries()) {
        await agreed(opened, (storage) => storage.commit(batch));
        if (i === half) {
          const before = await agreed(opened, (storage) => observe(storage, probe, conversations));
          await reopenAll(opened);
          expect(await agreed(opened, (storage) => observe(storage, probe, conversations))).toEqual(before);
        }
      }
      const last = await agreed(opened, (storage) => observe(storage, probe + 1, conversations));
      await reopenAll(opened);
      expect(await agreed(opened, (storage) => observe(storage, probe + 1, conversations))).toEqual(last);
      const next = await agreed(opened, (storage) =>
        storage.commit(main({ type: 'createConversation', conversation: { id: storage.lastSeq + 1 } })),
      );
      expect(next.first).toBe(batches.reduce((sum, batch) => sum + batch.writes.length, 1));
    }),
    // A smaller counterexample is not worth the time that it takes: the seed is fixed.
    { seed: 101, numRuns: 10, endOnFailure: true },
  );
}, 300_000);

test('the streams have everything that they are to compare', async () => {
  const seen = new Set<string>();
  for (const history of fc.sample(histories, { seed: 101, numRuns: 10 }))
    for (const batch of await recorded(history)) for (const write of batch.writes) seen.add(`${batch.kind} ${featuresOf(write)}`);
  const features = {
    createConversation: ['', 'parent', 'owner'],
    deleteConversation: [''],
    entry: ['', 'head', 'key', 'byTaskId', 'key byTaskId'],
    task: ['', 'after', 'background', 'background owns', 'background after'],
    patch: ['', 'abort'],
    settle: [''],
  };
  const states = ['value.set', 'value.delete', 'list.append', 'list.remove', 'list.clear'];
  const wanted = [
    ...Object.entries(features).flatMap(([type, names]) => names.map((name) => `main ${type} ${name}`.trim())),
    ...states.flatMap((state) => [`main ${state}`, `main ${state} rewind`, `scratch ${state}`]),
  ];
  expect([...seen].toSorted()).toEqual(wanted.toSorted());
});

function featuresOf(write: MainWrite): string {
  const [record, names]: [object, readonly string[]] =
    write.type === 'entry'
      ? [write.entry, ['head', 'key', 'byTaskId']]
      : write.type === 'task'
        ? [write.task, ['background', 'owns', ...(write.task.after.length > 0 ? ['after'] : [])]]
        : write.type === 'createConversation'
          ? [write.conversation, ['parent', 'owner']]
          : write.type === 'patch'
            ? [write, ['abort']]
            : ['addr' in write && write.addr.rewind ? { rewind: true } : {}, ['rewind']];
  return [write.type, ...names.filter((name) => name in record)].join(' ');
}

const main = (...writes: readonly MainWrite[]): CommitBatch => ({ kind: 'main', writes });
const conversation = (id: Id, parent?: { conversationId: Id; at: Id }): MainWrite => ({
  type: 'createConversation',
  conversation: { id, ...(parent === undefined ? {} : { parent }) },
});
const entry = (id: Id, conversationId: Id, kind = 'note', content: Json = { text: `entry ${id}` }): MainWrite => ({
  type: 'entry',
  entry: { id, conversationId, kind, content, ...(kind === 'summary' ? { head: true } : {}) },
});
const mode = conversationValue<string>('mode', { rewind: true });
const moves = conversationList<string>('moves', { rewind: true });
const set = (id: Id, value: string): StateWrite => ({ type: 'value.set', addr: bound(mode, id), value });
const unset = (id: Id): StateWrite => ({ type: 'value.delete', addr: bound(mode, id) });
const append = (id: Id, value: string): StateWrite => ({ type: 'list.append', addr: bound(moves, id), value });
const clear = (id: Id): StateWrite => ({ type: 'list.clear', addr: bound(moves, id) });
const removal = (id: Id, element: Id): StateWrite => ({ type: 'list.remove', addr: bound(moves, id), element });

async function played(...writes: readonly MainWrite[]): Promise<readonly Opened[]> {
  const opened = openAll();
  for (const write of writes) await agreed(opened, (storage) => storage.commit(main(write)));
  await reopenAll(opened);
  return opened;
}
const modeOf = (storage: Storage, id: Id, at?: Id) => storage.getValue(bound(mode, id), at)?.value;
const movesOf = (storage: Storage, id: Id, at?: Id) =>
  storage.readList(bound(moves, id), { limit: end, ...(at === undefined ? {} : { at }) }).items.map(({ value }) => value);

test('a fork before a deletion has the value, one after it has none, and setting it anew changes neither [10.1-8] [4.2-5]', async () => {
  const opened = await played(
    conversation(1),
    set(1, 'plan'),
    entry(3, 1),
    unset(1),
    entry(5, 1),
    conversation(6, { conversationId: 1, at: 3 }),
    conversation(7, { conversationId: 1, at: 5 }),
    set(1, 'work'),
    entry(9, 1),
    conversation(10, { conversationId: 6, at: 3 }),
    unset(10),
  );
  expect(await agreed(opened, (storage) => [1, 6, 7, 10].map((id) => modeOf(storage, id)))).toEqual([
    'work',
    'plan',
    undefined,
    undefined,
  ]);
  expect(await agreed(opened, (storage) => [0, 3, 5, 9].map((at) => modeOf(storage, 1, at)))).toEqual([
    undefined,
    'plan',
    undefined,
    'work',
  ]);
});

test('a fork before a clear has the elements, one after it only new ones, and a removal in a fork is its own [10.1-9] [4.2-3] [4.2-4] [4.4-3]', async () => {
  const opened = await played(
    conversation(1),
    append(1, 'a'),
    append(1, 'b'),
    entry(4, 1),
    clear(1),
    entry(6, 1),
    append(1, 'c'),
    entry(8, 1),
    conversation(9, { conversationId: 1, at: 4 }),
    conversation(10, { conversationId: 1, at: 8 }),
    removal(9, 2),
    append(9, 'd'),
    entry(13, 9),
    clear(10),
    append(10, 'e'),
    removal(1, 7),
  );
  expect(await agreed(opened, (storage) => [1, 9, 10].map((id) => movesOf(storage, id)))).toEqual([[], ['b', 'd'], ['e']]);
  expect(await agreed(opened, (storage) => [4, 6, 8].map((at) => movesOf(storage, 1, at)))).toEqual([['a', 'b'], [], ['c']]);
  expect(await agreed(opened, (storage) => movesOf(storage, 9, 4))).toEqual(['a', 'b']);
});

test('a fork before a later summary has the context from before it [10.1-10]', async () => {
  const opened = await played(
    conversation(1),
    entry(2, 1),
    entry(3, 1),
    conversation(4, { conversationId: 1, at: 3 }),
    entry(5, 1, 'summary', { text: 'sum', retainFrom: 3 }),
    entry(6, 4),
    conversation(7, { conversationId: 1, at: 5 }),
  );
  const ids = (storage: Storage, id: Id, through?: Id) => contextAt(storage, kinds, id, through).map((one) => one.entry.id);
  expect(await agreed(opened, (storage) => [1, 4, 7].map((id) => ids(storage, id)))).toEqual([
    [5, 3],
    [2, 3, 6],
    [5, 3],
  ]);
  expect(await agreed(opened, (storage) => [ids(storage, 1, 3), ids(storage, 7, 3), storage.newestHead(4, end)])).toEqual([
    [2, 3],
    [2, 3],
    undefined,
  ]);
});

test('cutoffs of nested sources cap every level, and deleted sources are read through [10.1-11] [7.2-6] [7.2-7]', async () => {
  const opened = await played(
    conversation(1),
    set(1, 'a'),
    entry(3, 1),
    entry(4, 1),
    conversation(5, { conversationId: 1, at: 4 }),
    set(5, 'b'),
    entry(7, 5),
    conversation(8, { conversationId: 5, at: 3 }),
    entry(9, 8),
    conversation(10, { conversationId: 8, at: 9 }),
    entry(11, 10),
    set(1, 'late'),
    entry(13, 1),
    conversation(14, { conversationId: 10, at: 0 }),
    { type: 'deleteConversation', id: 5 },
    { type: 'deleteConversation', id: 1 },
  );
  const transcript = (storage: Storage, id: Id) => storage.scanEntries({ conversationId: id, limit: end }).items.map((e) => e.id);
  expect(await agreed(opened, (storage) => [1, 5, 8, 10, 14].map((id) => transcript(storage, id)))).toEqual([
    [],
    [],
    [3, 9],
    [3, 9, 11],
    [],
  ]);
  expect(await agreed(opened, (storage) => [1, 8, 10, 14].map((id) => modeOf(storage, id)))).toEqual([
    undefined,
    'a',
    'a',
    undefined,
  ]);
  expect(await agreed(opened, (storage) => modeOf(storage, 10, 3))).toBe('a');
});

test('historical reads of sticky and session state are refused, and forks leave it untouched [10.1-12] [7.2-8] [4.2-6]', async () => {
  const sticky = conversationValue<string>('seen', { rewind: false });
  const opened = await played(
    conversation(1),
    entry(2, 1),
    { type: 'value.set', addr: bound(sticky, 1), value: 'new' },
    { type: 'value.set', addr: sessionValue('name'), value: 'shop' },
    conversation(5, { conversationId: 1, at: 2 }),
  );
  await agreed(opened, (storage) => {
    for (const addr of [bound(sticky, 1), sessionValue<string>('name'), bound(scratchValue<string>('v'), 1)])
      expect(() => storage.getValue(addr, 2)).toThrow(expect.objectContaining({ code: 'notRewindable' }));
    expect(() => storage.readList(bound(scratchList('v'), 1), { at: 2, limit: 1 })).toThrow(
      expect.objectContaining({ code: 'notRewindable' }),
    );
    return [storage.getValue(bound(sticky, 1)), storage.getValue(bound(sticky, 5)), storage.getValue(sessionValue('name'))];
  });
});

test('what a storage refuses it refuses alike, whole and without consuming a number [7.3-1] [7.3-3] [3.1-4] [4.6-3] [4.6-4] [10.2-3]', async () => {
  const task: MainWrite = {
    type: 'task',
    role: 'start',
    task: { id: 3, conversationId: 1, kind: 'work', status: 'pending', state: {}, after: [] },
  };
  const opened = await played(conversation(1), entry(2, 1), task);
  const over: MainWrite = { type: 'settle', id: 3, status: 'done', state: {} };
  const own: StateWrite = { type: 'value.set', addr: bound(scratchValue<number>('v'), 3), value: 1 };
  const rewindableSession: StateWrite = { type: 'list.clear', addr: { ...sessionValue('n'), rewind: true } };
  const refused: readonly (readonly [CommitBatch, string])[] = [
    [main(entry(4, 1), entry(6, 1)), 'sequence'],
    [main(conversation(5)), 'sequence'],
    [main({ ...task }), 'sequence'],
    [main({ type: 'deleteConversation', id: 9 }), 'unknownConversation'],
    [main({ type: 'deleteConversation', id: 1 }, { type: 'deleteConversation', id: 1 }), 'unknownConversation'],
    [main({ type: 'patch', id: 9, abort: true }), 'taskIsTerminal'],
    [main(over, { type: 'patch', id: 3, abort: true }), 'taskIsTerminal'],
    [main(set(1, 'a'), own), 'scope'],
    [main(rewindableSession), 'scope'],
    [{ kind: 'scratch', task: 3, writes: [own, set(1, 'a')] }, 'scope'],
    [{ kind: 'scratch', task: 3, writes: [{ ...own, addr: { ...own.addr, rewind: true } }] }, 'scope'],
    [{ kind: 'scratch', task: 3, writes: [{ ...own, addr: bound(scratchValue<number>('v'), 2) }] }, 'scope'],
    [{ kind: 'scratch', task: 2, writes: [own] }, 'taskIsTerminal'],
  ];
  const before = await agreed(opened, (storage) => observe(storage, 1, [1]));
  for (const [batch, code] of refused) {
    const failure = await agreed(opened, (storage) => storage.commit(batch).catch((error: unknown) => error));
    expect(failure).toMatchObject({ name: 'Rejected', code });
  }
  expect(await agreed(opened, (storage) => observe(storage, 1, [1]))).toEqual(before);
  await reopenAll(opened);
  expect(await agreed(opened, (storage) => observe(storage, 1, [1]))).toEqual(before);
  expect(await agreed(opened, (storage) => storage.commit({ kind: 'scratch', task: 3, writes: [own] }))).toEqual({
    first: 4,
    last: 4,
  });
  await agreed(opened, (storage) => storage.commit(main(over)));
  expect(await agreed(opened, (storage) => storage.getValue(own.addr))).toBeUndefined();
});

test('a closure inside the commit that throws leaves nothing of the batch [3.3-1]', async () => {
  const opened = await played(conversation(1));
  const seen: Id[] = [];
  for (const { session } of opened) {
    const within = () => {
      seen.push(session.storage.lastSeq);
      throw new Error('no');
    };
    await expect(session.storage.commit(main(entry(2, 1)), within)).rejects.toThrow('no');
  }
  await reopenAll(opened);
  expect(await agreed(opened, (storage) => [storage.lastSeq, storage.countEntries(1), [...storage.kinds]])).toEqual([1, 0, []]);
  expect(seen).toEqual(backends.map(() => 1));
  expect(await agreed(opened, (storage) => storage.commit(main(), () => undefined))).toEqual({ first: 2, last: 1 });
  expect(await agreed(opened, (storage) => storage.commit({ kind: 'scratch', task: 9, writes: [] }))).toEqual({
    first: 2,
    last: 1,
  });
});

test("what is stored is nobody else's object: no writer and no reader can change it [4.1-5] [2.1-21]", async () => {
  const task = { id: 5, conversationId: 1, kind: 'work', status: 'pending', state: { deep: [1] }, after: [2] };
  const parent = { conversationId: 1, at: 2 };
  const content = { deep: [{ n: 1, gone: undefined }], when: new Date(0), nan: Number.NaN, ['__proto__']: { own: true } };
  const value = { deep: [1] };
  const opened = openAll();
  const writes: readonly MainWrite[] = [
    conversation(1),
    { type: 'entry', entry: { id: 2, conversationId: 1, kind: 'note', content: content as unknown as Json } },
    { type: 'value.set', addr: sessionValue('v'), value },
    { type: 'list.append', addr: bound(moves, 1), value },
    { type: 'task', role: 'start', task },
    { type: 'createConversation', conversation: { id: 6, parent } },
  ];
  const read = (storage: Storage) => [
    storage.getEntries([2]).get(2)?.content,
    storage.getValue(sessionValue<{ deep: number[] }>('v'))?.value,
    storage.readList(bound(moves, 1), { limit: 1 }).items[0]?.value,
    storage.getTasks([5]).get(5),
    storage.getTaskHeaders([5]).get(5)?.after,
    storage.getConversations([6]).get(6)?.parent,
  ];
  await agreed(opened, (storage) => storage.commit(main(...writes)));
  const before = await agreed(opened, read);
  expect(before[0]).toEqual({ deep: [{ n: 1 }], when: '1970-01-01T00:00:00.000Z', nan: null, ['__proto__']: { own: true } });
  content.deep.push({ n: 2, gone: undefined });
  value.deep.push(2);
  task.state.deep.push(2);
  task.after.push(9);
  parent.at = 1;
  for (const { session } of opened) for (const found of read(session.storage)) spoil(found);
  expect(await agreed(opened, read)).toEqual(before);
  await expect(
    agreed(opened, (storage) =>
      storage.commit(main({ type: 'value.set', addr: sessionValue('v'), value: undefined as unknown as Json })),
    ),
  ).rejects.toThrow(TypeError);
});

/** Changes everything that it reaches. */
function spoil(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(spoil);
    value.push('spoilt');
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(spoil);
    Object.assign(value, { spoilt: true, id: -1 });
  }
}

test('names that are no well-formed text, and keys of every plane, are found and ordered alike [7.2-10]', async () => {
  const keys = ['', ':', 'a', 'B', 'é', '\ud800', '\uffee', '\ue000', '😀', '😀a', 'a\u0000b', '\u0000', '\uffff', '𐀀'];
  const rewindable = (key: string) => bound(conversationValue<string>('n', { rewind: true, key }), 1);
  const opened = await played(
    conversation(1),
    ...keys.map((key): MainWrite => ({ type: 'value.set', addr: sessionValue('n', key), value: `s${key}` })),
    ...keys.map((key): MainWrite => ({ type: 'value.set', addr: rewindable(key), value: `r${key}` })),
  );
  const scan = (storage: Storage, after?: string) =>
    [{ session: true } as const, { conversation: 1 }].map((scope) =>
      storage
        .scanValues({
          scope,
          namespace: 'n',
          rewind: 'conversation' in scope,
          limit: 9,
          ...(after === undefined ? {} : { after }),
        })
        .items.map((item) => item.key),
    );
  const [first] = await agreed(opened, (storage) => scan(storage));
  expect(first).toEqual(['', '\u0000', ':', 'B', 'a', 'a\u0000b', 'é', '\ue000', '\uffee']);
  for (const key of keys)
    await agreed(opened, (storage) => [
      scan(storage, key),
      storage.getValue(sessionValue('n', key)),
      storage.getValue(rewindable(key)),
    ]);
  await agreed(opened, (storage) => storage.commit(main(entry(storage.lastSeq + 1, 1, 'odd \ud800'))));
  expect(
    await agreed(opened, (storage) => storage.scanEntries({ conversationId: 1, kind: 'odd \udc01', limit: 1 }).items.length),
  ).toBe(1);
});

test('cursors and limits mean the same everywhere [7.2-2] [7.2-5] [7.2-15]', async () => {
  const opened = await played(conversation(1), ...[2, 3, 4, 5].map((id) => entry(id, 1)), append(1, 'a'), append(1, 'b'));
  for (const limit of [0, 1, 2.7, 4, -1, Infinity, end])
    for (const cursor of [{}, { after: 3 }, { before: 4 }, { after: 99 }, { before: end }, { after: -1 }, { before: 1 }])
      for (const range of [{}, { from: 3 }, { through: 3 }, { from: 4, through: 2 }])
        await agreed(opened, (storage) => [
          storage.readEntries({ conversationId: 1, limit, ...cursor, ...range }),
          storage.scanConversations({ limit, ...cursor }),
          storage.readList(bound(moves, 1), { limit, ...cursor }),
        ]);
  for (const query of [{ limit: 1, after: 1, before: 3 }, { limit: Number.NaN }])
    for (const ask of [
      (storage: Storage) => storage.scanEntries({ conversationId: 1, ...query }),
      (storage: Storage) => storage.scanConversations(query),
      (storage: Storage) => storage.scanTasks(query),
      (storage: Storage) => storage.scanTaskHeaders(query),
      (storage: Storage) => storage.readList(bound(moves, 1), query),
    ])
      await agreed(opened, (storage) => {
        expect(() => ask(storage)).toThrow(expect.objectContaining({ code: 'cursor' }));
      });
});

test('batched reads give what there is, once, in the order that was asked for [7.2-11]', async () => {
  const opened = await played(conversation(1), entry(2, 1), entry(3, 1));
  expect(await agreed(opened, (storage) => [...storage.getEntries([3, 9, 2, 3, 0.5]).keys()])).toEqual([3, 2]);
  expect(await agreed(opened, (storage) => [...storage.getConversations([7, 1, 2]).keys()])).toEqual([1]);
});

test('a closed handle takes no commit [6.4-3]', async () => {
  for (const { session } of openAll()) {
    await session.storage.close();
    await session.storage.close();
    await expect(session.storage.commit(main(conversation(1)))).rejects.toMatchObject({ code: 'closed' });
  }
});

test('state of a task and of a conversation never mix, whatever their numbers [4.1-6]', async () => {
  const opened = await played(
    { type: 'task', role: 'start', task: { id: 1, conversationId: 2, kind: 'work', status: 'pending', state: {}, after: [] } },
    conversation(2),
    conversation(3),
  );
  const place = { namespace: 'v', rewind: false };
  await agreed(opened, (storage) =>
    storage.commit({
      kind: 'scratch',
      task: 1,
      writes: [{ type: 'value.set', addr: { ...place, scope: { scratch: 1 } }, value: 'x' }],
    }),
  );
  const scopes = [{ session: true }, { conversation: 1 }, { conversation: 2 }, { scratch: 1 }, { scratch: 2 }] as const;
  expect(await agreed(opened, (storage) => scopes.map((scope) => storage.getValue({ ...place, scope })?.value))).toEqual([
    undefined,
    undefined,
    undefined,
    'x',
    undefined,
  ]);
  expect(stateOf(1).values.length + scratchOf(1).values.length).toBeGreaterThan(8);
});

test('packs that a commit brings change no answer, whether a backend has a use for them or not [7.5-8]', async () => {
  const opened = await played(conversation(1));
  const entries = [2, 3, 4, 5, 6].map((id) => ({ id, conversationId: 1, kind: 'note', content: { text: `entry ${id}` } }));
  const batch = main(...entries.map((one): MainWrite => ({ type: 'entry', entry: one })));
  await agreed(opened, (storage) =>
    storage.commit(batch, undefined, [entryPack(entries.slice(1, 3)), entryPack(entries.slice(3))]),
  );
  const read = (storage: Storage) => storage.readEntries({ conversationId: 1, limit: end }).items;
  expect(await agreed(opened, read)).toEqual(entries);
  await reopenAll(opened);
  expect(await agreed(opened, read)).toEqual(entries);
});
