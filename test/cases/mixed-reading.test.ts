/** Public reports that concern several harnesses, folders and the machine itself, as small homes: what `case.json` says must hold. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { search } from '../../server/ledger/search.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { diskFolders, ProjectFolders } from '../../server/main/project-folder.ts';
import { threadView } from '../../server/main/thread-view.ts';
import { claudeShuttle } from '../../shuttles/claude/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { cases, copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

function folderOf(number: string): string {
  const name = fs.readdirSync(cases).find((folder) => folder.startsWith(`${number}-`));
  if (name === undefined) throw new Error(`no case ${number}`);
  return path.join(cases, name);
}
function checkOf(number: string): Readonly<Record<string, unknown>> {
  return (JSON.parse(fs.readFileSync(path.join(folderOf(number), 'case.json'), 'utf8')) as { check: Readonly<Record<string, unknown>> }).check;
}
const rows = ({ ledger }: HomeLedger): readonly ThreadRow[] => ledger.threads.newest(100).filter((row) => row.child === 0);

/** Every file below the folder, with what a write would change of it. */
function filesIn(folder: string): readonly (readonly [string, string, number])[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => fs.lstatSync(file).isFile())
    .toSorted()
    .map((file) => [file, fs.readFileSync(file, 'latin1'), fs.statSync(file).mtimeMs] as const);
}

test('23: a session is of the folder that it began in, and is resumed there, though it went on in a worktree', async () => {
  const check = checkOf('23') as { readonly project: string; readonly lastCwd: string; readonly sessions: number };
  await using home = new HomeLedger(path.join(folderOf('23'), 'home'));
  await home.catchUp();
  expect(rows(home)).toHaveLength(check.sessions);
  const [row] = rows(home);
  if (row === undefined) throw new Error('no thread');
  expect(row.cwd).toBe(check.project);
  const [native] = home.ledger.natives.byThread(row.number);
  expect(JSON.parse(native?.facts ?? '{}')).toMatchObject({ startCwd: check.project, cwd: check.lastCwd });
  // A record whose parent was never written does not part the session in two.
  const entries = await allEntries(home.ledger, row.session, row.current_conversation);
  expect(entries.filter(({ kind }) => kind === 'user')).toHaveLength(2);
  if ('absent' in claudeShuttle.launch) throw new Error('launch is absent');
  expect(claudeShuttle.launch.resume(native?.native_id ?? '', row.cwd).cwd).toBe(check.project);
});

test('27: on Windows all spellings of a folder are one project, elsewhere each stands for itself; none is changed', async () => {
  await using home = new HomeLedger(path.join(folderOf('27'), 'home'));
  await home.catchUp();
  const found = rows(home);
  expect(found).toHaveLength(checkOf('27')['sessions'] as number);
  const wsl = '/mnt/c/Users/dev/harbor-app';
  const nowhere = { real: () => undefined, isSame: () => false };
  const onWindows = new ProjectFolders('win32', nowhere);
  const projects = new Map<string, Set<string>>();
  for (const row of found) {
    const { cwd, project = cwd } = threadView(home.ledger, row, new Map(), (folder) => onWindows.keyOf(folder));
    projects.set(project, (projects.get(project) ?? new Set()).add(cwd));
  }
  expect(projects.size).toBe(2);
  expect([...(projects.get(wsl) ?? [])]).toEqual([wsl]);
  const spellings = found.map(({ cwd }) => cwd).filter((cwd) => cwd !== wsl);
  expect(new Set(spellings).size).toBeGreaterThan(2);
  // A search in the folder finds what was said in it under any spelling.
  const hits = async (cwd: string, folders: ProjectFolders): Promise<number> => {
    const { hits: all } = search(home.ledger, { words: 'from', cwd, limit: 100 }, { folders });
    return new Set(all.map(({ thread }) => thread)).size;
  };
  const first = spellings[0] ?? '';
  const elsewhere = new ProjectFolders('linux', nowhere);
  expect(await hits(first, onWindows)).toBeGreaterThan(await hits(first, elsewhere));
  expect(new Set(found.map(({ cwd }) => elsewhere.keyOf(cwd))).size).toBe(new Set(found.map(({ cwd }) => cwd)).size);
});

test('71a: an id in a record is never a path, a word of a shell or a name; nothing is written, no login of a repository is shown', async () => {
  const copy = copyHome(path.join(folderOf('71a'), 'home'));
  const before = filesIn(copy);
  await using home = new HomeLedger(copy);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(rows(home)).toHaveLength(checkOf('71a')['sessions'] as number);
  const natives = rows(home).flatMap(({ number }) => home.ledger.natives.byThread(number));
  for (const { native_id, path: file } of natives) {
    expect(native_id).toMatch(/^[A-Za-z0-9-]+$/u);
    expect(path.basename(file)).toContain(native_id);
  }
  expect(filesIn(copy)).toEqual(before);
  const shown = rows(home).map((row) => threadView(home.ledger, row, new Map()));
  expect(JSON.stringify(shown)).not.toContain('FAKEtoken');
  expect(natives.map(({ facts }) => facts).join('\n')).not.toContain('FAKEtoken');
  expect(shown.find(({ harness }) => harness === 'codex')?.repo).toBe('https://x.invalid/r.git');
  for (const { harness, native_id } of natives) {
    const launch = shuttles.find((shuttle) => shuttle.harness === harness)?.launch;
    if (launch === undefined || 'absent' in launch) continue;
    expect(launch.resume(native_id, '/srv/demo/$(touch pwned)').argv).toContain(native_id);
  }
  fs.rmSync(copy, { recursive: true });
});

test('71a: a link, a pipe, a folder and an unreadable file under a session’s name are passed over, a linked root is read', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-odd-'));
  const real = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  fs.mkdirSync(path.join(home, '.claude'));
  fs.symlinkSync(path.join(real, '.claude/projects'), path.join(home, '.claude/projects'));
  const folder = path.join(real, '.claude/projects/-home-user-shop');
  const outside = path.join(home, 'outside.jsonl');
  fs.copyFileSync(path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? ''), outside);
  const named = (n: number): string => path.join(folder, `${n}1111111-1111-4111-8111-111111111111.jsonl`);
  fs.symlinkSync(outside, named(1));
  execFileSync('mkfifo', [named(2)]);
  fs.mkdirSync(named(3));
  fs.symlinkSync(named(4), named(4));
  fs.symlinkSync(home, path.join(folder, 'linked-folder'));
  await using ledger = new HomeLedger(home);
  await ledger.catchUp();
  expect(rows(ledger)).toHaveLength(1);
  fs.rmSync(home, { recursive: true });
  fs.rmSync(real, { recursive: true });
});

test('72: the workspace that is opened through the link holds the session, also when the folder is gone', async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-link-')));
  execFileSync('sh', [path.join(folderOf('72'), 'setup.sh'), folder]);
  await using home = new HomeLedger(path.join(folder, 'home'));
  await home.catchUp();
  expect(rows(home)).toHaveLength(checkOf('72')['sessions'] as number);
  const [row] = rows(home);
  const alias = path.join(folder, 'alias', 'harbor-app');
  const same = (): readonly string[] => new ProjectFolders('linux', diskFolders).same(alias, [row?.cwd ?? '']);
  expect(same()).toEqual([row?.cwd]);
  const { hits } = search(home.ledger, { words: 'link', cwd: alias, limit: 5 }, { folders: new ProjectFolders('linux', diskFolders) });
  expect(hits).toHaveLength(1);
  fs.rmdirSync(path.join(folder, 'real', 'harbor-app'));
  expect(same()).toEqual([row?.cwd]);
  fs.rmSync(folder, { recursive: true });
});

test.each(['claude/02-print-tools', 'codex/13-claude-import-by-codex', 'pi/pi-03-1.6.0-tree-fork-clone', 'gemini/resumed'])(
  'reading changes nothing of a home (%s)',
  async (name) => {
    const copy = copyHome(path.join(fixtures, name));
    const before = filesIn(copy);
    await using home = new HomeLedger(copy);
    await home.catchUp();
    await home.catchUp();
    expect(filesIn(copy)).toEqual(before);
    fs.rmSync(copy, { recursive: true });
  },
);

test.each([
  ['linux', '.config/Claude'],
  ['darwin', 'Library/Application Support/Claude'],
  ['darwin', 'Library/Application Support/Claude-3p'],
] as const)('Claude Desktop on %s (%s): its lists name the sessions of both tabs, and stubs and logs are none', async (platform, data) => {
  const copy = copyHome(path.join(fixtures, 'claude-desktop/home'));
  fs.cpSync(path.join(fixtures, 'claude-desktop/Claude'), path.join(copy, data), { recursive: true });
  await using home = new HomeLedger(copy, {}, platform);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const found = rows(home).map(({ title, cwd, surface, archived }) => ({ title, cwd, surface, archived }));
  expect(found.toSorted((a, b) => (a.title < b.title ? -1 : 1))).toEqual([
    { title: 'Cart total bug', cwd: '/home/user/shop', surface: 'unknown', archived: 0 },
    { title: 'Sort my notes', cwd: '/home/user/notes', surface: 'cowork', archived: 0 },
  ]);
  // Renamed and archived in the app: no session file changes.
  const list = path.join(copy, data, 'claude-code-sessions/11111111-0000-4000-8000-0000000000aa/22222222-0000-4000-8000-0000000000bb');
  const file = path.join(list, 'local_5d1d6c1e-0c5a-4c35-9b44-1f2e3d4c5b6a.json');
  const told = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
  fs.writeFileSync(file, JSON.stringify({ ...told, title: 'The cart', titleSource: 'user', isArchived: true }));
  await home.catchUp();
  expect(rows(home).find(({ cwd }) => cwd === '/home/user/shop')).toMatchObject({ title: 'The cart', archived: 1 });
  fs.rmSync(copy, { recursive: true });
});
