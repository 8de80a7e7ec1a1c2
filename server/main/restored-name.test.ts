import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DistinctNames, restoredName } from './restored-name.ts';

const linux = { platform: 'linux', home: '/home/user' } as const;
const windows = { platform: 'win32', home: 'C:\\Users\\user' } as const;

test('a file lies below the folder as it lay below the home, or below its disk', () => {
  expect(restoredName('/home/user/.claude/projects/-shop/a.jsonl', linux)).toEqual(['.claude', 'projects', '-shop', 'a.jsonl']);
  expect(restoredName('/srv/claude/a.jsonl', linux)).toEqual(['srv', 'claude', 'a.jsonl']);
  expect(restoredName('/home/user2/a.jsonl', linux)).toEqual(['home', 'user2', 'a.jsonl']);
  expect(restoredName('C:\\Users\\User\\.codex\\a.jsonl', windows)).toEqual(['.codex', 'a.jsonl']);
  expect(restoredName('D:\\codex\\a.jsonl', windows)).toEqual(['D', 'codex', 'a.jsonl']);
  expect(restoredName('\\\\server\\share\\a.jsonl', windows)).toEqual(['server', 'share', 'a.jsonl']);
});

test('names that Windows gives to devices, streams and ends that it drops become ordinary names there', () => {
  expect(restoredName('D:\\x\\CON', windows).at(-1)).toBe('_CON');
  expect(restoredName('D:\\x\\nul.jsonl', windows).at(-1)).toBe('_nul.jsonl');
  expect(restoredName('D:\\x\\COM1.tar.gz', windows).at(-1)).toBe('_COM1.tar.gz');
  expect(restoredName('D:\\x\\a.jsonl:stream', windows).at(-1)).toBe('a.jsonl_stream');
  expect(restoredName('D:\\x\\end. ', windows).at(-1)).toBe('end__');
  expect(restoredName('/srv/a:b', linux).at(-1)).toBe('a:b');
  expect(restoredName('/srv/back\\slash', linux).at(-1)).toBe('back\\slash');
});

test('no path, whatever it is, leads out of the folder', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '~', 'a', 'CON', 'C:', '\0', '...', '. .', 'x..'),
    fc.string({ maxLength: 6 }),
  );
  const paths = fc.tuple(
    fc.array(part, { maxLength: 8 }),
    fc.constantFrom('/', '\\'),
    fc.constantFrom('', '/', '\\', 'C:\\', '/home/user/'),
  );
  fc.assert(
    fc.property(paths, ([parts, separator, start]) => {
      for (const facts of [linux, windows]) {
        const rules = facts.platform === 'win32' ? path.win32 : path.posix;
        const folder = facts.platform === 'win32' ? 'E:\\to' : '/to';
        const names = restoredName(start + parts.join(separator), facts);
        expect(names.length).toBeGreaterThan(0);
        const relative = rules.relative(folder, rules.join(folder, ...names));
        expect(relative).not.toBe('');
        expect(relative.split(rules.sep)[0]).not.toBe('..');
        expect(rules.isAbsolute(relative)).toBe(false);
        expect(names.join('')).not.toContain('\0');
      }
    }),
    { seed: 21, numRuns: 2000 },
  );
});

test('names that differ only by case or by the form of a character are kept apart', () => {
  const names = new DistinctNames();
  expect(names.give(['a', 'B.jsonl'])).toEqual(['a', 'B.jsonl']);
  expect(names.give(['A', 'b.jsonl'])).toEqual(['A', 'b (2).jsonl']);
  expect(names.give(['a', 'é'])).toEqual(['a', 'é']);
  expect(names.give(['a', 'e\u0301'])).toEqual(['a', 'e\u0301 (2)']);
  expect(names.give(['a', '.env'])).toEqual(['a', '.env']);
  expect(names.give(['a', '.ENV'])).toEqual(['a', '.ENV (2)']);
});
