import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeNew, type Disk } from './files.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-files-'));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

const at = (...parts: string[]): string => path.join(folder, ...parts);
const write = (
  file: string,
  {
    root = at('root'),
    text = '{"a":1}\n',
    mode = 0o600,
    disk,
  }: { root?: string; text?: string; mode?: number; disk?: Disk } = {},
) => writeNew({ root, path: file, bytes: Buffer.from(text), mode }, disk);
/** Every file below the test's folder. */
const files = (): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));

/** An error as the system gives it. */
function refusal(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'test' });
}

test('a new file is written whole, with the folders that lead to it and nothing beside it', () => {
  const text = 'x'.repeat(3_000_000);
  expect(write(at('root/2026/09/a.jsonl'), { text })).toEqual({ ok: true });
  expect(fs.readFileSync(at('root/2026/09/a.jsonl'), 'utf8')).toBe(text);
  expect(files()).toEqual(['root/2026/09/a.jsonl']);
});

test.skipIf(process.platform === 'win32')(
  'the file has the mode that was asked for and new folders are private, whatever the umask',
  () => {
    const umask = process.umask(0o077);
    try {
      write(at('root/p/a.jsonl'), { mode: 0o644 });
      write(at('root/p/b.jsonl'));
    } finally {
      process.umask(umask);
    }
    expect(fs.statSync(at('root/p/a.jsonl')).mode & 0o777).toBe(0o644);
    expect(fs.statSync(at('root/p/b.jsonl')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(at('root/p')).mode & 0o777).toBe(0o700);
  },
);

test('a file that is there is never replaced, not even when it comes at the last moment', () => {
  write(at('root/a.jsonl'), { text: 'first' });
  expect(write(at('root/a.jsonl'), { text: 'second' })).toMatchObject({ ok: false, kind: 'exists' });
  const late: Disk = {
    ...fs,
    linkSync(from, to) {
      fs.writeFileSync(to, 'theirs');
      fs.linkSync(from, to);
    },
  };
  expect(write(at('root/b.jsonl'), { disk: late })).toMatchObject({ ok: false, kind: 'exists' });
  fs.symlinkSync(at('nowhere'), at('root/c.jsonl'));
  expect(write(at('root/c.jsonl'))).toMatchObject({ ok: false, kind: 'exists' });
  expect(fs.readFileSync(at('root/a.jsonl'), 'utf8')).toBe('first');
  expect(fs.readFileSync(at('root/b.jsonl'), 'utf8')).toBe('theirs');
  expect(files().toSorted()).toEqual(['root/a.jsonl', 'root/b.jsonl', 'root/c.jsonl']);
});

test('where there are no hard links the file is copied, and still replaces nothing', () => {
  const linkless: Disk = {
    ...fs,
    linkSync() {
      throw refusal('EPERM');
    },
  };
  expect(write(at('root/a.jsonl'), { disk: linkless })).toEqual({ ok: true });
  expect(files()).toEqual(['root/a.jsonl']);
  const late: Disk = {
    ...linkless,
    copyFileSync(from, to, mode) {
      fs.writeFileSync(to, 'theirs');
      fs.copyFileSync(from, to, mode);
    },
  };
  expect(write(at('root/b.jsonl'), { disk: late })).toMatchObject({ ok: false, kind: 'exists' });
  expect(fs.readFileSync(at('root/b.jsonl'), 'utf8')).toBe('theirs');
});

test('a path out of the root is refused, in words as through links, and nothing is made there', () => {
  fs.mkdirSync(at('outside'));
  fs.mkdirSync(at('root'));
  fs.symlinkSync(at('outside'), at('root/link'));
  for (const file of [at('outside/a'), at('root/../outside/a'), at('root'), at('root-other/a'), at('root/link/deep/a')]) {
    expect(write(file), file).toMatchObject({ ok: false, kind: 'outside' });
  }
  expect(fs.readdirSync(at('outside'))).toEqual([]);
  expect(files().toSorted()).toEqual(['root/link']);
});

test('a root that is itself a link is fine', () => {
  fs.mkdirSync(at('real'));
  fs.symlinkSync(at('real'), at('root'));
  expect(write(at('root/p/a.jsonl'))).toEqual({ ok: true });
  expect(fs.existsSync(at('real/p/a.jsonl'))).toBe(true);
});

test.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'denied'],
  ['EROFS', 'denied'],
  ['EIO', 'failed'],
])('when the system refuses with %s nothing is left behind and the failure is told', (code, kind) => {
  const steps: (keyof Disk)[] = ['openSync', 'writeSync', 'fsyncSync', 'linkSync'];
  for (const step of steps) {
    const disk: Disk = {
      ...fs,
      [step]: () => {
        throw refusal(code);
      },
    };
    expect(write(at('root/a.jsonl'), { disk })).toMatchObject({ ok: false, kind, detail: expect.stringContaining(code) });
    expect(files()).toEqual([]);
  }
  const halfCopied: Disk = {
    ...fs,
    linkSync() {
      throw refusal('ENOTSUP');
    },
    copyFileSync(_from, to) {
      fs.writeFileSync(to, 'half');
      throw refusal(code);
    },
  };
  expect(write(at('root/a.jsonl'), { disk: halfCopied })).toMatchObject({ ok: false, kind });
  expect(files()).toEqual([]);
});

const three = (descriptor: number, bytes: NodeJS.ArrayBufferView, offset: number) => fs.writeSync(descriptor, bytes, offset, 3);

test('a part that could not be written at once is written on', () => {
  const slow: Disk = { ...fs, writeSync: three as Disk['writeSync'] };
  expect(write(at('root/a.jsonl'), { text: 'abcdefghi', disk: slow })).toEqual({ ok: true });
  expect(fs.readFileSync(at('root/a.jsonl'), 'utf8')).toBe('abcdefghi');
});

test('what a killed process left beside the place does not stand in the way', () => {
  fs.mkdirSync(at('root'));
  fs.writeFileSync(at(`root/.a.jsonl.${process.pid}-0.tmp`), 'old');
  expect(write(at('root/a.jsonl'))).toEqual({ ok: true });
  expect(fs.readFileSync(at('root/a.jsonl'), 'utf8')).toBe('{"a":1}\n');
});

test('a file where a folder should be is a failure', () => {
  fs.mkdirSync(at('root'));
  fs.writeFileSync(at('root/p'), '');
  expect(write(at('root/p/a.jsonl'))).toMatchObject({ ok: false });
  expect(files()).toEqual(['root/p']);
});
