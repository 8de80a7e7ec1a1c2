import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionRoot } from '../contract/shuttle.ts';
import { unchanged } from './file-facts.ts';
import { walk } from './walk.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-walk-'));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

function put(name: string, text = ''): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}
const root = (more: Partial<SessionRoot> = {}): SessionRoot => ({
  path: folder,
  depth: 3,
  matches: (relative) => relative.endsWith('.jsonl'),
  ...more,
});
const found = (of: SessionRoot): string[] =>
  walk(of)
    .files.map((file) => file.relative)
    .toSorted();

test('the files that match are found down to the depth of the root', () => {
  for (const name of ['a.jsonl', 'p/b.jsonl', 'p/b.txt', 'p/q/r/c.jsonl', 'p/q/r/s/d.jsonl']) put(name);
  expect(found(root())).toEqual(['a.jsonl', 'p/b.jsonl', 'p/q/r/c.jsonl']);
  expect(found(root({ depth: 0 }))).toEqual(['a.jsonl']);
  expect(found(root({ enters: (relative) => relative !== 'p/q' }))).toEqual(['a.jsonl', 'p/b.jsonl']);
});

test('a file is given with its facts, which change when it does', () => {
  put('a.jsonl', '12345');
  const [before] = walk(root()).files;
  expect(before).toMatchObject({ path: path.join(folder, 'a.jsonl'), size: 5 });
  expect(before?.mtimeMs).toBeCloseTo(fs.statSync(path.join(folder, 'a.jsonl')).mtimeMs, 1);
  const [again] = walk(root()).files;
  expect(again).toEqual(before);
  fs.appendFileSync(path.join(folder, 'a.jsonl'), '6');
  const [after] = walk(root()).files;
  expect(before && after && unchanged(before, after)).toBe(false);
  expect(after?.ino).toBe(before?.ino);
});

test('a root that does not exist has no files and is no fault', () => {
  expect(walk(root({ path: path.join(folder, 'none') }))).toEqual({ files: [], unreadable: [], truncated: false });
});

test('links, pipes and folders with the name of a session are passed over; a linked root is not', () => {
  put('real/a.jsonl');
  fs.mkdirSync(path.join(folder, 'real/folder.jsonl'));
  fs.symlinkSync(path.join(folder, 'real/a.jsonl'), path.join(folder, 'real/link.jsonl'));
  fs.symlinkSync(folder, path.join(folder, 'real/up'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(folder, 'real/pipe.jsonl')]);
  fs.symlinkSync(path.join(folder, 'real'), path.join(folder, 'linked'));
  expect(found(root({ path: path.join(folder, 'linked') }))).toEqual(['a.jsonl']);
});

test('what cannot be listed is reported and the rest is read', () => {
  put('a.jsonl');
  const walked = walk(root({ path: path.join(folder, 'a.jsonl') }));
  expect(walked.unreadable).toEqual([{ path: path.join(folder, 'a.jsonl'), code: 'ENOTDIR' }]);
});

// The superuser may list every folder.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a folder without permission is reported and the rest is read',
  () => {
    put('closed/a.jsonl');
    put('open/b.jsonl');
    fs.chmodSync(path.join(folder, 'closed'), 0);
    const walked = walk(root());
    fs.chmodSync(path.join(folder, 'closed'), 0o700);
    expect(walked.files.map((file) => file.relative)).toEqual(['open/b.jsonl']);
    expect(walked.unreadable).toEqual([{ path: path.join(folder, 'closed'), code: 'EACCES' }]);
  },
);

test('a walk ends at its limit and says so', () => {
  for (let i = 0; i < 20; i++) put(`${i}.jsonl`);
  const walked = walk(root(), 10);
  expect(walked.files).toHaveLength(10);
  expect(walked.truncated).toBe(true);
});

test('thousands of files are listed in a fraction of a second', () => {
  for (let i = 0; i < 100; i++) {
    fs.mkdirSync(path.join(folder, `p${i}`));
    for (let j = 0; j < 10; j++) fs.closeSync(fs.openSync(path.join(folder, `p${i}`, `${j}.jsonl`), 'w'));
  }
  const times = [0, 1, 2].map(() => {
    const began = performance.now();
    expect(walk(root()).files).toHaveLength(1000);
    return performance.now() - began;
  });
  expect(Math.min(...times)).toBeLessThan(500);
});
