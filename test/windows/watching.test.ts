/** What a window sees of folders that come later, of a system without watches, and of old sessions that go on. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assistantRow, sessionId, TestHome, userRow } from '../ingest/claude-session.ts';
import { closeWindows, doctor, faultsIn, finding, hasFault, isView, tells, Window } from './window.ts';

let home: TestHome;
let ledger: string;
beforeEach(() => {
  home = new TestHome();
  ledger = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-watching-'));
});
afterEach(async () => {
  await closeWindows();
  home[Symbol.dispose]();
  fs.rmSync(ledger, { recursive: true, force: true });
});

/** A session with ids of its own. */
function writeSession(folder: string, n: number, text: string): string {
  const id = `aaaaaaaa-1111-4111-8111-${String(n).padStart(12, '0')}`;
  const file = path.join(home.home, '.claude/projects', folder, `${id}.jsonl`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, own(n, userRow(1, null, text)));
  return file;
}
function own(n: number, row: string): string {
  const id = `aaaaaaaa-1111-4111-8111-${String(n).padStart(12, '0')}`;
  return row.replaceAll('00000000-0000-4000-8000', `0000${String(n).padStart(4, '0')}-0000-4000-8000`).replaceAll(sessionId, id);
}

test('folders that appear later, from a harness that was not there to a project of today, are seen', async () => {
  fs.rmSync(path.join(home.home, '.claude'), { recursive: true });
  const window = new Window(home.home, ledger);
  await window.hears(isView);
  writeSession('-home-user-first', 1, 'the first of all');
  await window.hears(tells('"title":"the first of all"'));
  writeSession('-home-user-second', 2, 'in a project of its own');
  await window.hears(tells('"title":"in a project of its own"'));
  const day = path.join(home.home, '.codex/sessions/2026/11/30');
  fs.mkdirSync(day, { recursive: true });
  const id = '019a0000-0000-7000-8000-000000000001';
  const at = '2026-11-30T10:00:00.000Z';
  const rows = [
    {
      timestamp: at,
      type: 'session_meta',
      payload: { id, timestamp: at, cwd: '/home/user/shop', originator: 'codex_cli_rs', cli_version: '0.171.0' },
    },
    {
      timestamp: at,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a day of Codex' }] },
    },
    { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'a day of Codex' } },
  ];
  fs.writeFileSync(
    path.join(day, `rollout-2026-11-30T10-00-00-${id}.jsonl`),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
  await window.hears(tells('a day of Codex'));
}, 90_000);

test('an old session in a folder that nobody watches goes on and is seen', async () => {
  // More folders than are watched; the first ones are the oldest.
  const files = Array.from({ length: 90 }, (_, n) => {
    const file = writeSession(`-home-user-p${n}`, n, `session ${n}`);
    const hours = Date.now() / 1000 - (100 - n) * 3600;
    fs.utimesSync(file, hours, hours);
    return file;
  });
  const window = new Window(home.home, ledger);
  await window.hears(isView);
  await window.hears(() => JSON.stringify(window.said).includes('"title":"session 0"'));
  const [oldest = ''] = files;
  fs.appendFileSync(oldest, own(0, assistantRow(2, 1, 'goes on')));
  await window.hears(tells('"entries":2,'));
  if (process.platform !== 'linux') return;
  const folder = `/proc/${window.child.pid}/fdinfo`;
  const watches = fs.readdirSync(folder).reduce((sum, name) => {
    const text = fs.existsSync(path.join(folder, name)) ? fs.readFileSync(path.join(folder, name), 'utf8') : '';
    return sum + (text.match(/^inotify wd:/gm)?.length ?? 0);
  }, 0);
  expect(watches).toBeGreaterThan(60);
  expect(watches).toBeLessThan(90);
}, 90_000);

/** A person's own limit, of a namespace: that of the machine is not touched. */
const noWatches = ['unshare', '-U', '-r', 'sh', '-c', 'echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh'];
function mayLimit(): boolean {
  try {
    const [program = '', ...args] = noWatches;
    execFileSync(program, [...args, 'true'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform !== 'linux' || !mayLimit())(
  'a system without file watches is told of with the remedy, and everything is seen by sweeps',
  async () => {
    home.write(userRow(1, null, 'one'));
    const window = new Window(home.home, ledger, { before: noWatches });
    const fault = faultsIn(await window.hears(hasFault('W001')))?.find(({ id }) => id === 'W001');
    expect(fault?.message).toContain('ENOSPC');
    expect(fault?.fix).toContain('max_user_watches');
    expect(finding(doctor(home.home, ledger), 'fault-W001')?.detail).toContain('every few seconds');
    home.append(assistantRow(2, 1, 'seen by a sweep'));
    await window.hears(tells('"entries":2,'));
  },
  90_000,
);
