/** `loom restore-native`, `loom show --raw`, `loom threads` and `loom doctor` over sessions that their harness deleted. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyHome, fixtures } from '../home-ledger.ts';
import { sha256Of } from '../ingest/archive-home.ts';

const session = '6d4156ad-cac4-4341-89eb-59b76b9343d8';
let program = '';
let home = '';
let ledger = '';
let work = '';
let file = '';
let before = '';
let lines: readonly string[] = [];
beforeAll(() => {
  // The bundle, as people get it.
  const bundle = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bundle-'));
  const root = path.join(import.meta.dirname, '../..');
  const built = spawnSync(process.execPath, [path.join(root, 'esbuild.mjs'), '--quiet', `--out=${bundle}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  program = path.join(bundle, 'loom.cjs');
  home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  work = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-restore-'));
  ledger = path.join(work, 'ledger');
  const name = fs
    .readdirSync(home, { recursive: true })
    .map(String)
    .find((one) => one.endsWith(`${session}.jsonl`));
  file = path.join(home, name ?? '');
  before = sha256Of(file);
  lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(loom('ingest').status).toBe(0);
  fs.rmSync(file);
}, 60_000);
afterAll(() => {
  fs.rmSync(path.dirname(program), { recursive: true, force: true });
  fs.rmSync(home, { recursive: true, force: true });
  fs.rmSync(work, { recursive: true, force: true });
});

function loom(...args: readonly string[]): { readonly status: number | null; readonly out: string; readonly err: string } {
  const ran = spawnSync(process.execPath, [program, ...args, '--home', home, '--ledger', ledger], {
    encoding: 'utf8',
    cwd: work,
    env: { PATH: '/usr/bin:/bin', HOME: home },
    timeout: 60_000,
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

test('the list marks a thread whose file is gone, and says so to programs', () => {
  expect(loom('threads').out).toContain('source gone');
  const threads = JSON.parse(loom('threads', '--json').out) as { readonly sourceGone: boolean; readonly id: string }[];
  expect(threads.map(({ sourceGone }) => sourceGone)).toEqual([true]);
});

test('a thread whose file is gone is found, shown, and can still be handed over', () => {
  const shown = JSON.parse(loom('show', session, '--json').out) as { readonly entries: readonly { readonly text: string }[] };
  expect(shown.entries.length).toBeGreaterThan(5);
  const [word = ''] = shown.entries.flatMap(({ text }) => text.match(/[a-z]{6,}/giu) ?? []);
  expect(JSON.parse(loom('search', word, '--json').out)).not.toEqual([]);
  const baton = JSON.parse(loom('baton', session, '--to', 'codex', '--json').out) as { readonly bytes: number };
  expect(baton.bytes).toBeGreaterThan(200);
});

test('the records of a deleted file are shown out of the archive', () => {
  const shown = JSON.parse(loom('show', session, '--raw', '--json').out) as {
    readonly entries: readonly { readonly raw?: string; readonly rawFrom?: string }[];
  };
  expect(shown.entries.length).toBeGreaterThan(5);
  for (const { raw, rawFrom } of shown.entries) {
    expect(rawFrom).toBe('archive');
    expect(lines).toContain(raw);
  }
  expect(loom('show', session, '--raw').out).toContain('(from the archive) {');
});

test('a deleted file is written into a new folder of the current one, and told with its length and hash', () => {
  const first = loom('restore-native', session, '--json');
  expect(first).toMatchObject({ status: 0, err: '' });
  const { files, missing } = JSON.parse(first.out) as {
    readonly files: readonly { readonly path: string; readonly from: string; readonly bytes: number; readonly sha256: string }[];
    readonly missing: readonly unknown[];
  };
  expect(missing).toEqual([]);
  expect(files).toHaveLength(1);
  const [written] = files;
  expect(written).toMatchObject({ from: file, sha256: before });
  expect(sha256Of(written?.path ?? '')).toBe(before);
  expect(path.relative(fs.realpathSync(work), written?.path ?? '').split(path.sep)[0]).toMatch(/^loom-restored-/u);
  const again = loom('restore-native', session);
  expect(again.status).toBe(0);
  expect(again.out).toContain(before);
  expect(fs.readdirSync(work).filter((name) => name.startsWith('loom-restored-'))).toHaveLength(2);
});

test('what cannot be written is an expected failure that says why, and wrong usage is wrong usage', () => {
  const to = path.join(work, 'to');
  expect(loom('restore-native', session, '--to', to).status).toBe(0);
  const again = loom('restore-native', session, '--to', to);
  expect(again.status).toBe(1);
  expect(again.err).toContain('is there already');
  const store = loom('restore-native', session, '--to', home);
  expect(store.status).toBe(1);
  expect(store.err).toMatch(/^R002: .*--in-place/u);
  expect(loom('restore-native').status).toBe(2);
  expect(loom('restore-native', session, '--to', to, '--in-place').status).toBe(2);
  expect(loom('restore-native', 'nothing').status).toBe(1);
});

test('doctor tells how much is archived and how many threads are only in the ledger', () => {
  const { checks } = JSON.parse(loom('doctor', '--deep', '--json').out) as {
    readonly checks: readonly { readonly id: string; readonly ok: boolean; readonly detail: string }[];
  };
  expect(checks.find(({ id }) => id === 'archive')).toMatchObject({ ok: true });
  expect(checks.find(({ id }) => id === 'archive')?.detail).toMatch(/MB of session files in .* none of them damaged/u);
  expect(checks.find(({ id }) => id === 'source-gone')?.detail).toMatch(
    /^1 thread is only in the ledger.* 1 can be written back whole/u,
  );
});

test('a thread goes back where it lay when that is asked for, and is no longer gone', () => {
  const ran = loom('restore-native', session, '--in-place');
  expect(ran).toMatchObject({ status: 0, err: '' });
  expect(sha256Of(file)).toBe(before);
  expect(loom('threads').out).not.toContain('source gone');
});
