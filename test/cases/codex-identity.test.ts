/** Which files of Codex are one thread: moved, archived, compressed, copied, with a header that names another id, and its subagents. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { zstdCompressSync } from 'node:zlib';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { isListed } from '../../server/main/list.ts';
import { HomeLedger } from '../home-ledger.ts';

const id = '01a05c32-5e80-7fc7-99fd-820ed783cd00';
const childId = '01a05c33-5e80-7fc7-99fd-820ed783cd00';
const name = `rollout-2026-09-01T09-00-00-${id}.jsonl`;

class CodexHome implements Disposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-codex-'));

  at(place: string): string {
    const file = path.join(this.home, '.codex', place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    return file;
  }
  write(place: string, lines: readonly object[]): string {
    const file = this.at(place);
    fs.writeFileSync(file, text(lines));
    return file;
  }
  [Symbol.dispose](): void {
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}

const text = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const at = (second: number): string => new Date(Date.UTC(2026, 8, 1, 9, 0, second)).toISOString();
const header = (own: string, more: object = {}): object => ({
  timestamp: at(0),
  type: 'session_meta',
  payload: { id: own, timestamp: at(0), cwd: '/home/user/shop', originator: 'codex-tui', cli_version: '0.171.0', ...more },
});
function turn(n: number, prompt: string, answer: string): readonly object[] {
  const said = (role: string, type: string, words: string): object => ({
    timestamp: at(n * 10 + 1),
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text: words }] },
  });
  const turnId = `01a05c3${n}-0000-7fc7-99fd-820ed783cd0${n}`;
  return [
    { timestamp: at(n * 10), type: 'event_msg', payload: { type: 'task_started', turn_id: turnId } },
    said('user', 'input_text', prompt),
    said('assistant', 'output_text', answer),
    { timestamp: at(n * 10 + 2), type: 'event_msg', payload: { type: 'task_complete', turn_id: turnId } },
  ];
}
const one = [header(id), ...turn(1, 'one', 'first')];

function list({ ledger }: HomeLedger): readonly ThreadRow[] {
  return ledger.threads.newest(100).filter((row) => isListed(row, false));
}
function only(home: HomeLedger): ThreadRow {
  const [row, ...others] = list(home);
  if (row === undefined || others.length > 0) throw new Error(`one thread was expected, not ${list(home).length}`);
  return row;
}
async function prompts({ ledger }: HomeLedger, row: ThreadRow): Promise<readonly string[]> {
  const entries = await allEntries(ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return entries.flatMap((entry) => (entry.kind === 'user' ? entry.content.content.map((block) => ('text' in block ? block.text : '')) : []));
}

test('a rollout that is compressed when it is cold, and plain again when it is resumed, stays one thread', async () => {
  using files = new CodexHome();
  const plain = files.write(`sessions/2026/09/01/${name}`, one);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const before = only(home);
  fs.writeFileSync(`${plain}.zst`, zstdCompressSync(text(one)));
  await home.catchUp();
  expect(only(home)).toEqual(before);
  fs.rmSync(plain);
  await home.catchUp();
  expect(only(home)).toMatchObject({ entries: before.entries, turns: 1, source_gone: 0 });
  fs.writeFileSync(plain, text([...one, ...turn(2, 'two', 'second')]));
  fs.rmSync(`${plain}.zst`);
  await home.catchUp();
  const row = only(home);
  expect(row).toMatchObject({ id: before.id, turns: 2, source_gone: 0 });
  expect(await prompts(home, row)).toEqual(['one', 'two']);
});

test.each(['sessions/2026/09/02/', 'sessions/', 'sessions/a/b/c/d/', 'archived_sessions/'])('a rollout that moved to %s is the same thread', async (folder) => {
  using files = new CodexHome();
  const from = files.write(`sessions/2026/09/01/${name}`, one);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const before = only(home);
  const to = files.at(folder + name);
  fs.renameSync(from, to);
  fs.appendFileSync(to, text(turn(2, 'two', 'second')));
  await home.catchUp();
  expect(only(home)).toMatchObject({ id: before.id, turns: 2, source_gone: 0, archived: folder.startsWith('archived') ? 1 : 0 });
});

test('two copies of a rollout under other names and dates are one thread, and each may go on', async () => {
  using files = new CodexHome();
  const first = files.write(`sessions/2026/09/01/${name}`, one);
  const second = files.write(`sessions/2026/09/05/rollout-2026-09-05T09-00-00-${id}.jsonl`, one);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(only(home).turns).toBe(1);
  fs.appendFileSync(second, text(turn(2, 'two', 'second')));
  await home.catchUp();
  fs.appendFileSync(first, text(turn(3, 'instead', 'third')));
  await home.catchUp();
  expect(only(home).turns).toBe(3);
});

test('the first header names the thread, also when the file’s name or a later header names another', async () => {
  using files = new CodexHome();
  files.write(`sessions/2026/09/01/rollout-2026-09-01T09-00-00-${childId}.jsonl`, one);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(home.ledger.natives.byThread(only(home).number).map(({ native_id }) => native_id)).toEqual([id]);
});

test.each([
  ['its parent named', { parent_thread_id: id, source: { subagent: { thread_spawn: { parent_thread_id: id, depth: 1 } } } }],
  ['only the root of its tree named', { session_id: id, source: { subagent: 'review' } }],
])('a subagent with %s stands under its parent, whichever of the two is met first', async (_, more) => {
  for (const order of ['parent', 'child', 'together'] as const) {
    using files = new CodexHome();
    await using home = new HomeLedger(files.home);
    const parent = (): string => files.write(`sessions/2026/09/01/${name}`, one);
    const child = (): string =>
      files.write(`sessions/2026/09/01/rollout-2026-09-01T09-00-30-${childId}.jsonl`, [
        header(childId, more),
        ...turn(4, 'Look around.', 'All quiet.'),
      ]);
    if (order === 'child') child();
    else parent();
    if (order !== 'together') await home.catchUp();
    expect(list(home)).toHaveLength(order === 'parent' ? 1 : 0);
    if (order === 'child') parent();
    else child();
    await home.catchUp();
    expect(only(home)).toMatchObject({ turns: 1, title: 'one' });
  }
});

test('a run by a script is marked; what a person started without a terminal is not', async () => {
  for (const [originator, source, listed] of [
    ['codex_sdk_ts', 'exec', 0],
    ['codex_exec', 'exec', 1],
    ['Codex Desktop', 'vscode', 1],
    ['codex_vscode', 'vscode', 1],
  ] as const) {
    using files = new CodexHome();
    files.write(`sessions/2026/09/01/${name}`, [header(id, { originator, source }), ...turn(1, 'one', 'first')]);
    await using home = new HomeLedger(files.home);
    await home.catchUp();
    expect(list(home), originator).toHaveLength(listed);
  }
});
