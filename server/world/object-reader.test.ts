import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { missingIn } from './held-objects.ts';
import { objectId, writeLoose } from './loose-object.ts';
import { ObjectReader } from './object-reader.ts';

const store = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-objects-'));
execFileSync('git', ['init', '-q', '--bare', store]);
const git = (...argv: readonly string[]): string =>
  execFileSync('git', ['-C', store, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
let running: ChildProcessWithoutNullStreams | undefined;
let starts = 0;
const reader = new ObjectReader(() => {
  starts++;
  running = spawn('git', ['cat-file', '--batch'], { cwd: store });
  return running;
});
afterEach(() => reader.close());

const contents = ['', 'a\n', 'x'.repeat(3_000_000), '\0\n\n\0', 'no newline'].map((text) => Buffer.from(text));
const none = '0'.repeat(40);
const idsOf = (digits: readonly string[]): readonly Buffer[] => digits.map((id) => Buffer.from(id, 'hex'));

test('what was written is what git finds, and what git reads is given in the order of the names', async () => {
  const ids = await Promise.all(contents.map((content) => writeLoose(store, 'blob', content)));
  expect(ids).toEqual(contents.map((content) => objectId('blob', content)));
  expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  const found = await reader.ask([...ids, none, 'no such name', ...ids]);
  expect(found?.map((one) => one?.content ?? null)).toEqual([...contents, null, null, ...contents]);
});

test('content that is too large is passed over, and what comes behind it is right', async () => {
  const ids = contents.map((content) => objectId('blob', content));
  const both = await Promise.all([reader.ask([...ids, ids[2] ?? '', none, ids[1] ?? ''], 100), reader.ask(ids)]);
  expect(both[0]?.map((one) => one?.content?.toString() ?? one?.size ?? null)).toEqual([
    '',
    'a\n',
    3_000_000,
    '\0\n\n\0',
    'no newline',
    3_000_000,
    null,
    'a\n',
  ]);
  expect(both[1]?.map((one) => one?.content)).toEqual(contents);
});

test('one git answers them all; when it is killed what is waited for fails, and the next question starts another', async () => {
  const id = objectId('blob', contents[1] ?? Buffer.alloc(0));
  const before = starts;
  for (let n = 0; n < 5; n++) expect((await reader.ask([id]))?.[0]?.type).toBe('blob');
  expect(starts).toBe(before + 1);
  running?.kill('SIGSTOP');
  const waiting = reader.ask([id]);
  running?.kill('SIGKILL');
  expect(await waiting).toBeUndefined();
  expect((await reader.ask([id]))?.[0]?.type).toBe('blob');
  expect(starts).toBe(before + 2);
  expect(await reader.ask(['a name\nof two lines'])).toBeUndefined();
  expect(await reader.ask([])).toEqual([]);
});

test('what is asked while the git is closed is answered by the next one', async () => {
  const ids = contents.map((content) => objectId('blob', content));
  const before = starts;
  const waiting = [reader.ask(ids), reader.ask(ids.slice(0, 2))];
  reader.close();
  expect((await Promise.all(waiting)).map((found) => found?.map((one) => one?.content))).toEqual([
    contents,
    contents.slice(0, 2),
  ]);
  expect(starts).toBe(before + 2);
});

test('a git that cannot be started fails, and nothing else', async () => {
  const broken = new ObjectReader(() => spawn(path.join(store, 'no-git'), { cwd: store }));
  expect(await broken.ask([none])).toBeUndefined();
  broken.warm();
  broken.close();
});

test('which objects are there is told as git tells it, alone or in packs, and never by a list that is torn', async () => {
  const fresh = await Promise.all(Array.from({ length: 300 }, (_, n) => writeLoose(store, 'blob', Buffer.from(`number ${n}`))));
  const absent = Array.from({ length: 300 }, (_, n) => objectId('blob', Buffer.from(`absent ${n}`)));
  const all = [...fresh, ...absent];
  expect(missingIn(store, idsOf(all))).toEqual(absent);
  execFileSync('git', ['-C', store, 'pack-objects', '-q', path.join(store, 'objects/pack/pack')], {
    input: fresh.slice(0, 200).join('\n'),
  });
  git('prune-packed', '-q');
  expect(missingIn(store, idsOf(all))).toEqual(absent);
  const answers = execFileSync('git', ['-C', store, 'cat-file', '--batch-check'], { input: all.join('\n'), encoding: 'utf8' });
  expect(answers.match(/missing/gu)).toHaveLength(300);
  const [list = ''] = fs.readdirSync(path.join(store, 'objects/pack')).filter((name) => name.endsWith('.idx'));
  const file = path.join(store, 'objects/pack', list);
  const bytes = fs.readFileSync(file);
  for (const length of [0, 7, 8, 1031, 1032, 1100]) {
    fs.rmSync(file);
    fs.writeFileSync(file, bytes.subarray(0, length));
    expect(missingIn(store, idsOf(fresh))).toHaveLength(200);
  }
  // One whose counts lead out of it.
  const wrong = Buffer.from(bytes);
  for (let first = 0; first < 255; first++) wrong.writeUInt32BE(0xffffffff, 8 + 4 * first);
  fs.rmSync(file);
  fs.writeFileSync(file, wrong);
  expect(missingIn(store, idsOf(absent))).toEqual(absent);
  fs.rmSync(file);
  fs.writeFileSync(file, bytes);
});

test('an object whose folder is gone is written all the same, and nothing is left beside it', async () => {
  const content = Buffer.from('in a folder of its own');
  const id = objectId('blob', content);
  fs.rmSync(path.join(store, 'objects', id.slice(0, 2)), { recursive: true, force: true });
  expect(await writeLoose(store, 'blob', content)).toBe(id);
  expect(git('cat-file', 'blob', id)).toBe(content.toString());
  expect(fs.readdirSync(path.join(store, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
});
