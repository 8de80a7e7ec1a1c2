/** The JSONL backend by itself: its lines, what it takes for the end of a file, and what becomes of failures (engine specification 7.4, 10.2). */
import fs from 'node:fs';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationValue, scratchList, scratchValue, sessionValue } from '../address.ts';
import { UncertainPersistence } from '../errors.ts';
import type { CommitBatch, Id, Json, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import type { Storage } from '../storage.ts';
import { JsonlSession } from '../testing/backends.ts';
import { faultyFiles } from '../testing/faulty-files.ts';
import { histories, recorded } from '../testing/mutations.ts';
import { observe } from '../testing/observe.ts';
import { JsonlStorage } from './storage.ts';

function opened() {
  const files = faultyFiles();
  const session = new JsonlSession(onTestFinished, { files });
  return { session, files, file: session.file };
}
const main = (...writes: readonly MainWrite[]): CommitBatch => ({ kind: 'main', writes });
const conversation = (id: Id): MainWrite => ({ type: 'createConversation', conversation: { id } });
const entry = (id: Id, content: Json = { n: id }): MainWrite => ({
  type: 'entry',
  entry: { id, conversationId: 1, kind: 'note', content },
});
const task = (id: Id): MainWrite => ({
  type: 'task',
  role: 'inflight',
  task: { id, conversationId: 1, kind: 'work', status: 'running', state: {}, after: [] },
});
const settle = (id: Id): MainWrite => ({ type: 'settle', id, status: 'done', state: {} });
const frames = scratchList<number>('frames');
const frame = (of: Id, value: number): CommitBatch => ({
  kind: 'scratch',
  task: of,
  writes: [{ type: 'list.append', addr: bound(frames, of), value }],
});
const framesOf = (storage: Storage, of: Id) =>
  storage.readList(bound(frames, of), { limit: end }).items.map(({ value }) => value);
const lines = (file: string) => fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
const scratchFile = (file: string, of: Id) => `${file}.scratch/${of}`;

test('the file is a header and one line a batch, which says the number of its first write [7.4-1]', async () => {
  const { session, file } = opened();
  expect(fs.existsSync(file)).toBe(false);
  await session.storage.commit(main(conversation(1), entry(2)));
  await session.storage.commit(main(entry(3, 'text'), { type: 'value.set', addr: sessionValue('name', 'k'), value: [1] }));
  await session.storage.commit(main());
  expect(lines(file).map((line) => JSON.parse(line) as unknown)).toEqual([
    { session: 'engine', version: '1' },
    { first: 1, writes: [{ type: 'createConversation' }, { type: 'entry', conversationId: 1, kind: 'note', content: { n: 2 } }] },
    {
      first: 3,
      writes: [
        { type: 'entry', conversationId: 1, kind: 'note', content: 'text' },
        { type: 'value.set', namespace: 'name', key: 'k', value: [1] },
      ],
    },
  ]);
});

test('scratch lies in one file a task and takes its numbers from the one sequence [7.4-10] [7.4-3]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1), task(2), task(3)));
  await session.storage.commit(frame(2, 1));
  const before = fs.statSync(scratchFile(file, 2)).size;
  await session.storage.commit(frame(2, 2));
  await session.storage.commit(frame(3, 3));
  expect(fs.statSync(scratchFile(file, 2)).size).toBe(2 * before);
  const mainSize = fs.statSync(file).size;
  let storage = await session.reopen();
  expect([storage.lastSeq, framesOf(storage, 2), framesOf(storage, 3)]).toEqual([6, [1, 2], [3]]);
  expect(fs.statSync(file).size).toBe(mainSize);
  expect(await storage.commit(main(settle(3)))).toEqual({ first: 7, last: 7 });
  expect(fs.readdirSync(`${file}.scratch`)).toEqual(['2']);
  storage = await session.reopen();
  expect([storage.lastSeq, framesOf(storage, 2), framesOf(storage, 3)]).toEqual([7, [1, 2], []]);
});

test('a line that was torn at any byte is dropped alone, and the next commit takes its place [7.4-4] [10.2-4]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1), task(2)));
  await session.storage.commit(main(entry(3), entry(4, 'ä 😀')));
  await session.storage.commit(frame(2, 1));
  await session.storage.commit(frame(2, 2));
  await session.storage.close();
  const scratch = scratchFile(file, 2);
  const whole = { main: fs.readFileSync(file), scratch: fs.readFileSync(scratch) };
  const lineStart = (bytes: Buffer) => bytes.lastIndexOf(10, -2) + 1;
  const restore = (): void => {
    fs.writeFileSync(file, whole.main);
    fs.writeFileSync(scratch, whole.scratch);
  };
  for (let cut = lineStart(whole.main); cut < whole.main.length; cut++) {
    restore();
    fs.truncateSync(file, cut);
    const storage = JsonlStorage.open(file);
    expect([storage.lastSeq, storage.countEntries(1), framesOf(storage, 2)]).toEqual([6, 0, [1, 2]]);
    await storage.commit(main(entry(7)));
    await storage.close();
    const again = JsonlStorage.open(file);
    expect([again.lastSeq, [...again.getEntries([3, 7]).keys()], lines(file).length]).toEqual([7, [7], 3]);
  }
  for (let cut = lineStart(whole.scratch); cut < whole.scratch.length; cut++) {
    restore();
    fs.truncateSync(scratch, cut);
    const storage = JsonlStorage.open(file);
    expect([storage.lastSeq, storage.countEntries(1), framesOf(storage, 2)]).toEqual([5, 2, [1]]);
    await storage.commit(frame(2, 9));
    await storage.close();
    const again = JsonlStorage.open(file);
    expect([again.lastSeq, framesOf(again, 2)]).toEqual([6, [1, 9]]);
  }
  for (let cut = 0; cut <= whole.main.indexOf(10); cut++) {
    fs.writeFileSync(file, whole.main.subarray(0, cut));
    const storage = JsonlStorage.open(file);
    expect(storage.lastSeq).toBe(0);
    await storage.commit(main(conversation(1)));
    await storage.close();
    expect(JsonlStorage.open(file).lastSeq).toBe(1);
  }
});

test('a malformed complete line fails the open, names file and line, and leaves the file as it is [7.4-5] [10.2-5]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1), task(2)));
  await session.storage.commit(frame(2, 1));
  await session.storage.commit(main(entry(4)));
  await session.storage.close();
  const whole = fs.readFileSync(file);
  const batch = (...writes: readonly unknown[]) => JSON.stringify({ first: 9, writes });
  const at = { namespace: 'n' };
  const malformed: readonly (string | Buffer)[] = [
    '',
    '{"first":9,"writes":[',
    'null',
    '[]',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '\u0000\u0000',
    '{"first":9,"writes":[]}',
    '{"first":"9","writes":[{"type":"createConversation"}]}',
    '{"first":4,"writes":[{"type":"createConversation"}]}',
    '{"first":9007199254740991,"writes":[{"type":"createConversation"},{"type":"createConversation"}]}',
    batch('entry'),
    batch({ type: 'unknown' }),
    batch({ type: 'entry', conversationId: 1, kind: 'note' }),
    batch({ type: 'entry', conversationId: 1, kind: 7, content: 1 }),
    batch({ type: 'entry', conversationId: 1, kind: 'note', key: 1, content: 1 }),
    batch({ type: 'entry', conversationId: -1, kind: 'note', content: 1 }),
    batch({ type: 'createConversation', parent: { conversationId: 1 } }),
    batch({ type: 'createConversation', owner: 'x' }),
    batch({ type: 'deleteConversation', id: 77 }),
    batch({ type: 'task', conversationId: 1, kind: 'k', status: 's', role: 'odd', after: [], state: 1 }),
    batch({ type: 'task', conversationId: 1, kind: 'k', status: 's', role: 'start', after: ['x'], state: 1 }),
    batch({ type: 'patch', id: 77, abort: true }),
    batch({ type: 'patch' }),
    batch({ type: 'patch', id: 2, status: 7 }),
    batch({ type: 'patch', id: 2, role: 'odd' }),
    batch({ type: 'patch', id: 2, abort: 1 }),
    batch({ type: 'list.clear', ...at, rewind: 1 }),
    batch({ type: 'entry', conversationId: 1, kind: 'note', head: 'x', content: 1 }),
    batch({ type: 'value.set', ...at }),
    batch({ type: 'value.set', value: 1 }),
    batch({ type: 'value.set', ...at, key: 1, value: 1 }),
    batch({ type: 'value.set', ...at, rewind: true, value: 1 }),
    batch({ type: 'value.set', ...at, ops: [['s', ['v'], 1]] }),
    batch({ type: 'list.append', ...at }),
    batch({ type: 'list.remove', ...at, element: 'x' }),
    batch({ type: 'list.clear', ...at, conversationId: 'x' }),
  ];
  for (const bad of malformed) {
    fs.writeFileSync(file, Buffer.concat([whole, Buffer.from(bad), Buffer.from(`\n${batch({ type: 'createConversation' })}\n`)]));
    const before = fs.readFileSync(file);
    expect(() => JsonlStorage.open(file), String(bad)).toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringMatching(/^line 4 of .*session\.jsonl /) as string }),
    );
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  }
  for (const header of ['{}', 'x', '{"session":"engine"}', '{"session":"other","version":"1"}']) {
    fs.writeFileSync(file, `${header}\n`);
    expect(() => JsonlStorage.open(file)).toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringMatching(/^line 1 of/) as string }),
    );
  }
  fs.writeFileSync(file, whole);
  for (const bad of [
    'x',
    '{"first":2,"writes":[{"type":"list.clear","namespace":"n"}]}',
    batch({ type: 'createConversation' }),
  ]) {
    fs.writeFileSync(scratchFile(file, 2), `${bad}\n`);
    expect(() => JsonlStorage.open(file), bad).toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringMatching(/^line 1 of .*scratch.2 /) as string }),
    );
  }
});

test('operations that do not fit the value before them are malformed [7.4-5]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main({ type: 'value.set', addr: sessionValue('n'), value: { a: 'text' } }));
  await session.storage.close();
  const whole = fs.readFileSync(file, 'utf8');
  for (const ops of [
    [['s', ['x', 'y'], 1]],
    [['a', ['v', 'missing'], 'x']],
    [['?']],
    [['s', ['v', '__proto__', 'x'], 1]],
    'r',
    [['a', 5, 'x']],
    [['d', ['v']]],
  ]) {
    fs.writeFileSync(file, `${whole}${JSON.stringify({ first: 2, writes: [{ type: 'value.set', namespace: 'n', ops }] })}\n`);
    expect(() => JsonlStorage.open(file), JSON.stringify(ops)).toThrow(expect.objectContaining({ code: 'malformed' }));
  }
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('while its bytes are written nobody sees a batch, and the next commits wait for it [7.4-2] [10.2-1]', async () => {
  const { session, files, file } = opened();
  await session.storage.commit(main(conversation(1), task(2)));
  for (const next of [main(entry(3)), frame(2, 1)]) {
    const gate = Promise.withResolvers<void>();
    files.gate = gate.promise;
    const before = observe(session.storage, 1, [1]);
    const first = session.storage.lastSeq + 1;
    const commits = [next, main(entry(first + 1)), frame(2, 2)].map((batch) => session.storage.commit(batch));
    const closing = session.storage.close();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(observe(session.storage, 1, [1])).toEqual(before);
    gate.resolve();
    expect((await Promise.all(commits)).map((written) => written.first)).toEqual([first, first + 1, first + 2]);
    await closing;
    files.gate = undefined;
    expect((await session.reopen()).lastSeq).toBe(first + 2);
  }
  expect(lines(file).length).toBe(5);
});

test('a write that is cut short by a full disk is taken back, consumes nothing and can be made again [7.4-12] [7.3-6] [3.1-4]', async () => {
  const { session, files, file } = opened();
  const line = JSON.stringify({
    first: 4,
    writes: [{ type: 'entry', conversationId: 1, kind: 'note', content: 'x'.repeat(100) }],
  });
  await session.storage.commit(main(conversation(1), task(2)));
  await session.storage.commit(frame(2, 1));
  const before = fs.readFileSync(file);
  for (const space of [0, 1, line.length - 1, line.length]) {
    files.space = space;
    await expect(session.storage.commit(main(entry(4, 'x'.repeat(100))))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect([session.storage.lastSeq, fs.readFileSync(file).equals(before)]).toEqual([3, true]);
    files.space = space === 0 ? 0 : 5;
    await expect(session.storage.commit(frame(2, 2))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect([session.storage.lastSeq, framesOf(session.storage, 2)]).toEqual([3, [1]]);
  }
  files.space = Infinity;
  files.chunk = 3;
  await session.storage.commit(main(entry(4, 'x'.repeat(100))));
  await session.storage.commit(frame(2, 2));
  const storage = await session.reopen();
  expect([storage.lastSeq, storage.countEntries(1), framesOf(storage, 2)]).toEqual([5, 1, [1, 2]]);
});

test('a failed write that cannot be taken back leaves the session uncertain until it is opened again [7.4-12] [3.3-2]', async () => {
  const { session, files } = opened();
  await session.storage.commit(main(conversation(1)));
  files.space = 20;
  files.failing.add('truncate');
  const failure = await session.storage.commit(main(entry(2))).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UncertainPersistence);
  expect(failure).toMatchObject({ cause: { code: 'ENOSPC' } });
  files.space = Infinity;
  files.failing.clear();
  await expect(session.storage.commit(main(entry(2)))).rejects.toBe(failure);
  expect(session.storage.lastSeq).toBe(1);
  const storage = await session.reopen();
  await storage.commit(main(entry(2)));
  expect((await session.reopen()).countEntries(1)).toBe(1);
});

test('a second writer of the file is noticed before the next append [7.4-12]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1)));
  const other = JsonlStorage.open(file);
  await other.commit(main(entry(2, 'other')));
  await other.close();
  await expect(session.storage.commit(main(entry(2, 'mine')))).rejects.toBeInstanceOf(UncertainPersistence);
  const storage = await session.reopen();
  expect(storage.getEntries([2]).get(2)?.content).toBe('other');
});

test('a retired scope is invisible although its file cannot be removed, and goes when it can [10.2-6] [7.4-11]', async () => {
  const { session, files, file } = opened();
  await session.storage.commit(main(conversation(1), task(2), task(3)));
  await session.storage.commit(frame(2, 1));
  await session.storage.commit(frame(3, 1));
  files.failing.add('remove');
  await session.storage.commit(main(settle(2)));
  expect([framesOf(session.storage, 2), fs.readdirSync(`${file}.scratch`)]).toEqual([[], ['2', '3']]);
  const storage = await session.reopen();
  expect([framesOf(storage, 2), framesOf(storage, 3), storage.lastSeq, fs.readdirSync(`${file}.scratch`)]).toEqual([
    [],
    [1],
    6,
    ['2', '3'],
  ]);
  await expect(storage.commit(frame(2, 9))).rejects.toMatchObject({ code: 'taskIsTerminal' });
  files.failing.clear();
  await session.reopen();
  expect(fs.readdirSync(`${file}.scratch`)).toEqual(['3']);
});

test('a file that an unknown task left is not the scratch of a later task with its number [7.4-11]', async () => {
  const { session, files, file } = opened();
  await session.storage.commit(main(conversation(1)));
  await session.storage.commit(main(task(2)));
  await session.storage.commit(frame(2, 1));
  await session.storage.close();
  // As after a crash of the machine that kept the scratch and lost the end of the main file.
  fs.truncateSync(file, fs.readFileSync(file).lastIndexOf(10, -2) + 1);
  files.failing.add('remove');
  await expect(session.reopen()).rejects.toMatchObject({ code: 'EIO' });
  files.failing.clear();
  const storage = await session.reopen();
  expect([storage.lastSeq, fs.readdirSync(`${file}.scratch`)]).toEqual([1, []]);
  fs.writeFileSync(scratchFile(file, 2), '{"first":3,"writes":[{"type":"list.append","namespace":"frames","value":"old"}]}\n');
  await storage.commit(main(task(2)));
  expect(framesOf(storage, 2)).toEqual([]);
  await storage.commit(frame(2, 5));
  expect(framesOf(await session.reopen(), 2)).toEqual([5]);
});

test('flushing to the disk is an option: with it every file is synced before its commit resolves, and new names too [7.4-6]', async () => {
  const { session, files } = opened();
  await session.storage.commit(main(conversation(1), task(2)));
  expect(files.counts.get('sync')).toBeUndefined();
  await session.storage.close();
  const durable = JsonlStorage.open(session.file, { files, sync: 'commit' });
  onTestFinished(() => void durable.close());
  await durable.commit(main(entry(3)));
  expect([files.counts.get('sync'), files.counts.get('syncFolder')]).toEqual([1, undefined]);
  await durable.commit(frame(2, 1));
  expect([files.counts.get('sync'), files.counts.get('syncFolder')]).toEqual([2, 1]);
  files.failing.add('sync');
  await expect(durable.commit(main(entry(5)))).rejects.toBeInstanceOf(UncertainPersistence);
  expect(durable.countEntries(1)).toBe(1);
});

test('more scopes than files may be open at once all keep their lines [4.6-1]', async () => {
  const { session, files } = opened();
  const tasks = Array.from({ length: 90 }, (_, i) => i + 2);
  await session.storage.commit(main(conversation(1), ...tasks.map(task)));
  for (const value of [1, 2]) for (const id of tasks) await session.storage.commit(frame(id, value));
  expect(files.open.size).toBe(65);
  const storage = await session.reopen();
  expect(files.open.size).toBe(0);
  for (const id of tasks) expect(framesOf(storage, id)).toEqual([1, 2]);
});

test('a session of another storage version is refused with both versions and left as it is [6.5-5]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1)));
  const before = fs.readFileSync(file);
  await expect(session.reopen('7')).rejects.toMatchObject({
    code: 'storageVersion',
    message: expect.stringMatching(/1.*7/) as string,
  });
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

test('values of any history are the same from operations and whole lines alike [7.4-7]', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { session, file } = opened();
      for (const batch of await recorded(history)) await session.storage.commit(batch);
      const before = observe(session.storage, 3, []);
      expect(observe(await session.reopen(), 3, [])).toEqual(before);
      expect(lines(file).length).toBeGreaterThan(5);
    }),
    { seed: 404, numRuns: 10 },
  );
});

const checkpoint = bound(scratchValue<Json>('checkpoint'), 2);

test('a large value that changes costs the file its change, as scratch and as state [7.4-9] [7.4-7]', async () => {
  const { session, file } = opened();
  await session.storage.commit(main(conversation(1), task(2)));
  const value = (n: number): Json => ({
    text: 'word '.repeat(2000 + n),
    parts: Array.from({ length: 100 }, (_, i) => ({ i, at: i === n ? 'now' : '' })),
  });
  const set = (n: number): MainWrite => ({ type: 'value.set', addr: sessionValue('v'), value: value(n) });
  await session.storage.commit(main(set(0)));
  await session.storage.commit({ kind: 'scratch', task: 2, writes: [{ type: 'value.set', addr: checkpoint, value: value(0) }] });
  const sizes = () => [fs.statSync(file).size, fs.statSync(scratchFile(file, 2)).size];
  const before = sizes();
  for (let n = 1; n <= 50; n++) {
    await session.storage.commit(main(set(n)));
    await session.storage.commit({
      kind: 'scratch',
      task: 2,
      writes: [{ type: 'value.set', addr: checkpoint, value: value(n) }],
    });
  }
  sizes().forEach((size, i) => expect(size - (before[i] ?? 0)).toBeLessThan(50 * 250));
  const storage = await session.reopen();
  expect([storage.getValue(sessionValue('v'))?.value, storage.getValue(checkpoint)?.value]).toEqual([value(50), value(50)]);
  expect(JSON.stringify(storage.getValue(checkpoint)?.value)).toBe(JSON.stringify(value(50)));
});

test('several values of one address in one batch are the same when they are read again [7.4-7]', async () => {
  const { session, file } = opened();
  const addr = bound(conversationValue<string>('v', { rewind: true }), 1);
  const text = 'long '.repeat(300);
  const set = (value: string): MainWrite => ({ type: 'value.set', addr, value });
  await session.storage.commit(main(conversation(1), set(text)));
  await session.storage.commit(
    main(set(`${text}a`), { type: 'value.delete', addr }, set(`${text}b`), entry(6), { type: 'list.clear', addr }),
  );
  await session.storage.commit(main({ type: 'value.delete', addr }, set(`${text}bc`)));
  await session.storage.commit(main(set(text)));
  const value = (at?: Id) => session.storage.getValue(addr, at)?.value;
  expect(lines(file).map((line) => (line.match(/"ops"/g) ?? []).length)).toEqual([0, 0, 2, 1, 0]);
  await session.reopen();
  expect([value(6), value()]).toEqual([`${text}b`, text]);
});

test('what operations would not give exactly is written whole [7.4-8]', async () => {
  const { session, file } = opened();
  const text = 'long '.repeat(300);
  const values: readonly Json[] = [
    { a: 1, b: 2, text },
    { b: 2, a: 1, text },
    JSON.parse(`{"__proto__":{"x":1},"text":"${text}"}`) as Json,
    JSON.parse(`{"__proto__":{"x":2},"text":"${text}"}`) as Json,
    { constructor: { name: 1 }, text },
    { constructor: { name: 2 }, text },
    [text, text],
    text,
    `${text}and more`,
    null,
    { text },
  ];
  for (const value of values) await session.storage.commit(main({ type: 'value.set', addr: sessionValue('v'), value }));
  const whole = lines(file).map((line) => line.includes('"value":'));
  // The header, then: only the string that grew is a change.
  expect(whole).toEqual([false, true, true, true, true, true, true, true, true, false, true, true]);
  await session.storage.close();
  const all = fs.readFileSync(file, 'utf8').split('\n');
  for (const [i, value] of values.entries()) {
    fs.writeFileSync(file, `${all.slice(0, i + 2).join('\n')}\n`);
    expect(JSON.stringify(JsonlStorage.open(file).getValue(sessionValue('v'))?.value)).toBe(JSON.stringify(value));
  }
});
