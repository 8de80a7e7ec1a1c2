import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { factsOf } from '../../shuttles/kit/file-facts.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { append, cutBack } from './append.ts';
import type { AppendDisk } from './append.ts';

function fileWith(text: string): { readonly root: string; readonly file: string; readonly facts: FileFacts } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-append-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const file = path.join(root, 'session.jsonl');
  fs.writeFileSync(file, text);
  return { root, file, facts: factsOf(fs.statSync(file, { bigint: true })) };
}
const read = (file: string): string => fs.readFileSync(file, 'utf8');
const more = Buffer.from('three\nfour\n');
const real: AppendDisk = {
  fsyncSync: fs.fsyncSync,
  ftruncateSync: fs.ftruncateSync,
  write: (descriptor, bytes, offset, length) => fs.writeSync(descriptor, bytes, offset, length),
};

test('bytes go behind the end, however few of them the system takes at once', () => {
  const { root, file, facts } = fileWith('one\ntwo\n');
  const slow: AppendDisk = { ...real, write: (descriptor, bytes, offset) => fs.writeSync(descriptor, bytes, offset, 1) };
  expect(append(root, file, facts, more, slow)).toBeUndefined();
  expect(read(file)).toBe('one\ntwo\nthree\nfour\n');
});

test('a file that is not as it was found gets nothing', () => {
  const { root, file, facts } = fileWith('one\n');
  fs.appendFileSync(file, 'two\n');
  expect(append(root, file, facts, more)).toMatchObject({ kind: 'changed' });
  fs.truncateSync(file, 4);
  fs.utimesSync(file, 1, 1);
  expect(append(root, file, facts, more)).toMatchObject({ kind: 'changed' });
  const other = `${file}.other`;
  fs.renameSync(file, other);
  fs.writeFileSync(file, 'one\n');
  expect(append(root, file, facts, more)).toMatchObject({ kind: 'changed' });
  expect([read(file), read(other)]).toEqual(['one\n', 'one\n']);
});

test('a link that leads out of the folder is not followed, and a missing file is not made', () => {
  const { root, file, facts } = fileWith('one\n');
  const outside = fileWith('mine\n');
  const link = path.join(root, 'link.jsonl');
  fs.symlinkSync(outside.file, link);
  expect(append(root, link, outside.facts, more)).toMatchObject({ kind: 'failed' });
  expect(read(outside.file)).toBe('mine\n');
  expect(append(root, path.join(root, 'none.jsonl'), facts, more)).toMatchObject({ kind: 'failed' });
  expect(fs.existsSync(path.join(root, 'none.jsonl'))).toBe(false);
  expect(read(file)).toBe('one\n');
});

test('what a full disk leaves of it is told from what somebody else wrote, and is taken back', () => {
  const { root, file, facts } = fileWith('one\n');
  const full: AppendDisk = {
    ...real,
    write: (descriptor, bytes) => {
      fs.writeSync(descriptor, bytes, 0, 5);
      throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    },
  };
  expect(append(root, file, facts, more, full)).toMatchObject({ kind: 'failed', detail: `${file}: ENOSPC` });
  expect(read(file)).toBe('one\nthree');
  const isOwn = (end: Uint8Array): boolean => more.subarray(0, end.length).equals(end);
  expect(cutBack(file, facts.size, isOwn)).toBe('removed');
  expect(read(file)).toBe('one\n');
  expect(cutBack(file, facts.size, isOwn)).toBe('nothing');
  fs.appendFileSync(file, 'mine\n');
  expect(cutBack(file, facts.size, isOwn)).toBe('goneOnWith');
  expect(read(file)).toBe('one\nmine\n');
  expect(cutBack(path.join(root, 'none.jsonl'), 0, isOwn)).toBe('nothing');
});

test('another program that writes at the same moment loses nothing, and it is told', () => {
  const { root, file, facts } = fileWith('one\n');
  const together: AppendDisk = {
    ...real,
    write: (descriptor, bytes, offset, length) => {
      fs.appendFileSync(file, 'mine\n');
      return fs.writeSync(descriptor, bytes, offset, length);
    },
  };
  expect(append(root, file, facts, more, together)).toMatchObject({ kind: 'changed' });
  expect(read(file)).toBe('one\nmine\nthree\nfour\n');
});
