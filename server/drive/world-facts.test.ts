import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseStatus, worldFacts } from './world-facts.ts';

test('a worktree is told by its head, branch and dirty files, and its index is not touched', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-world-'));
  const git = (...argv: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...argv], { cwd: folder });
  git('init', '-q', '-b', 'main');
  fs.writeFileSync(path.join(folder, 'one.txt'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  fs.writeFileSync(path.join(folder, 'one.txt'), 'changed\n');
  fs.writeFileSync(path.join(folder, 'new file.txt'), 'new\n');
  const index = fs.readFileSync(path.join(folder, '.git/index'));
  const facts = await worldFacts(folder, 7, process.env);
  expect(facts).toMatchObject({ at: 7, branch: 'main', dirtyTotal: 2 });
  expect(facts?.head).toMatch(/^[0-9a-f]{40}$/u);
  expect(facts?.dirtyFiles).toEqual([
    { path: 'one.txt', change: 'M' },
    { path: 'new file.txt', change: 'untracked' },
  ]);
  expect(fs.readFileSync(path.join(folder, '.git/index'))).toEqual(index);
  fs.rmSync(folder, { recursive: true, force: true });
});

test('a folder without git, or none at all, has no facts', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-world-'));
  expect(await worldFacts(folder, 0, process.env)).toBeNull();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(await worldFacts(folder, 0, process.env)).toBeNull();
});

test('renames, conflicts and an unborn branch are read', () => {
  const status = [
    '# branch.oid (initial)',
    '# branch.head main',
    '2 R. N... 100644 100644 100644 a b R100 to name.txt',
    'from.txt',
    'u UU N... 1 1 1 1 a b c both.txt',
    '',
  ].join('\0');
  expect(parseStatus(status, 0)).toMatchObject({
    head: null,
    branch: 'main',
    dirtyFiles: [
      { path: 'to name.txt', change: 'R' },
      { path: 'both.txt', change: 'conflict' },
    ],
  });
});
