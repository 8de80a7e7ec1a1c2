/** Which files of Claude Code are one session, one thread, a fork or a child: whatever their order, their folders and what is missing. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { isListed } from '../../server/main/list.ts';
import { threadView } from '../../server/main/thread-view.ts';
import { assistantRow, line, sessionId, TestHome, userRow, uuid } from '../ingest/claude-session.ts';
import { HomeLedger } from '../home-ledger.ts';

const second = '6baaea07-d3e0-4173-9e63-d58b3998a4c4';
const third = '7caaea07-d3e0-4173-9e63-d58b3998a4c4';

/** A transcript below `projects`, written at that second. */
function transcript(home: TestHome, name: string, rows: readonly string[], writtenAt?: number): string {
  const file = path.join(home.home, '.claude/projects', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rows.join(''));
  if (writtenAt !== undefined) fs.utimesSync(file, writtenAt, writtenAt);
  return file;
}
const asSession = (rows: readonly string[], id: string): readonly string[] => rows.map((row) => row.replaceAll(sessionId, id));

function list({ ledger }: HomeLedger, all = false): readonly ThreadRow[] {
  return ledger.threads.newest(100).filter((row) => isListed(row, all));
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

test('one id in two project folders is one session: a copy adds nothing, and what each says of its own is a branch', async () => {
  using files = new TestHome();
  const rows = [userRow(1, null, 'one'), assistantRow(2, 1, 'first')];
  files.write(...rows);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const copy = transcript(files, `-home-user-shop-worktree/${sessionId}.jsonl`, rows);
  await home.catchUp();
  expect(only(home)).toMatchObject({ entries: 2, turns: 1 });
  fs.appendFileSync(copy, userRow(3, 2, 'two in the copy') + assistantRow(4, 3, 'second'));
  files.append(userRow(5, 2, 'two in the first'));
  await home.catchUp();
  const row = only(home);
  expect(row).toMatchObject({ entries: 5, turns: 3 });
  expect(home.ledger.branches.bySession(row.session)).toHaveLength(2);
  // One of the files may go.
  fs.rmSync(files.file);
  await home.catchUp();
  expect(only(home).source_gone).toBe(0);
  fs.rmSync(copy);
  await home.catchUp();
  expect(only(home)).toMatchObject({ source_gone: 1, entries: 5 });
});

test('a session that moved to another folder and went on there is the same thread', async () => {
  using files = new TestHome();
  files.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const before = only(home);
  const moved = path.join(files.home, '.claude/projects/-home-user-shop--claude-worktrees-x', `${sessionId}.jsonl`);
  fs.mkdirSync(path.dirname(moved), { recursive: true });
  fs.renameSync(files.file, moved);
  fs.appendFileSync(moved, line({ type: 'relocated', relocatedCwd: '/home/user/shop/.claude/worktrees/x', sessionId }));
  fs.appendFileSync(moved, userRow(3, 2, 'two').replace('/home/user/shop', '/home/user/shop/.claude/worktrees/x'));
  await home.catchUp();
  const row = only(home);
  expect(row).toMatchObject({ id: before.id, cwd: '/home/user/shop', turns: 2, source_gone: 0 });
  expect(await prompts(home, row)).toEqual(['one', 'two']);
});

const orders = [
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1],
];
/** Returns once a new file would be younger than `file`: the clock of a file system moves in steps. */
function untilLaterThan(file: string): void {
  const probe = `${file}.probe`;
  const born = fs.statSync(file).birthtimeMs;
  do {
    fs.rmSync(probe, { force: true });
    fs.writeFileSync(probe, '');
  } while (fs.statSync(probe).birthtimeMs <= born);
  fs.rmSync(probe);
}

test.each(orders)('marked branches of branches hang together whichever file is the newest (%i %i %i)', async (...times) => {
  using files = new TestHome();
  const from = (rows: readonly string[], of: string): readonly string[] =>
    rows.map((row, i) => line({ ...(JSON.parse(row) as object), forkedFrom: { sessionId: of, messageUuid: uuid(i + 1) } }));
  const base = [userRow(1, null, 'one'), assistantRow(2, 1, 'first')];
  const more = [...base, userRow(3, 2, 'two'), assistantRow(4, 3, 'second')];
  const places = [sessionId, second, third].map((id) => `-home-user-shop/${id}.jsonl`);
  const texts = [
    [...base, userRow(10, 2, 'the first goes on')],
    [...from(asSession(base, second), sessionId), ...asSession([userRow(3, 2, 'two'), assistantRow(4, 3, 'second'), userRow(20, 4, 'the second goes on')], second)],
    [...from(asSession(more, third), second), ...asSession([userRow(30, 4, 'the third goes on')], third)],
  ];
  for (const [i, place] of places.entries()) transcript(files, place, texts[i] ?? [], 1_796_000_000 + (times[i] ?? 0));
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(list(home)).toHaveLength(3);
  const [a, b, c] = [sessionId, second, third].map((id) => findThread(home.ledger, id));
  if (a === undefined || b === undefined || c === undefined) throw new Error('a thread is missing');
  expect([a.parent_thread, b.parent_thread, c.parent_thread]).toEqual([null, a.id, b.id]);
  expect(await Promise.all([a, b, c].map((row) => prompts(home, row)))).toEqual([
    ['one', 'the first goes on'],
    ['one', 'two', 'the second goes on'],
    ['one', 'two', 'the third goes on'],
  ]);
  expect([a.entries, b.entries, c.entries]).toEqual([3, 3, 1]);
  expect([a.turns, b.turns, c.turns]).toEqual([2, 2, 1]);
});

test.each(orders)('copies without a mark hang together by their age whichever file is the newest (%i %i %i)', async (...times) => {
  using files = new TestHome();
  const base = [userRow(1, null, 'one'), assistantRow(2, 1, 'first')];
  const more = [...base, userRow(3, 2, 'two'), assistantRow(4, 3, 'second')];
  const texts = [
    [...base, userRow(10, 2, 'the first goes on')],
    asSession([...more, userRow(20, 4, 'the second goes on')], second),
    asSession([...more, userRow(30, 4, 'the third goes on')], third),
  ];
  for (const [i, id] of [sessionId, second, third].entries()) {
    const file = transcript(files, `-home-user-shop/${id}.jsonl`, texts[i] ?? [], 1_796_000_000 + (times[i] ?? 0));
    untilLaterThan(file);
  }
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const [a, b, c] = [sessionId, second, third].map((id) => findThread(home.ledger, id));
  if (a === undefined || b === undefined || c === undefined) throw new Error('a thread is missing');
  expect(await Promise.all([a, b, c].map((row) => prompts(home, row)))).toEqual([
    ['one', 'the first goes on'],
    ['one', 'two', 'the second goes on'],
    ['one', 'two', 'the third goes on'],
  ]);
  expect([a.parent_thread, b.parent_thread, c.parent_thread]).toEqual([null, a.id, b.id]);
  expect([a.turns, b.turns, c.turns]).toEqual([2, 2, 1]);
  expect([a.entries, b.entries, c.entries]).toEqual([3, 3, 1]);
  expect([a.usage_output, b.usage_output, c.usage_output]).toEqual([2, 2, 0]);
});

test('a branch whose parent was deleted keeps what it copied without counting it', async () => {
  using files = new TestHome();
  const copied = asSession([userRow(1, null, 'one'), assistantRow(2, 1, 'first')], second).map((row, i) =>
    line({ ...(JSON.parse(row) as object), forkedFrom: { sessionId, messageUuid: uuid(i + 1) } }),
  );
  transcript(files, `-home-user-shop/${second}.jsonl`, [...copied, ...asSession([userRow(3, 2, 'two')], second)]);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const row = only(home);
  expect(await prompts(home, row)).toEqual(['one', 'two']);
  expect(row.turns).toBe(1);
  expect(row.parent_thread).toBeNull();
});

test('a record that stands in a session twice, under another parent, is there once', async () => {
  using files = new TestHome();
  files.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'), userRow(3, 2, 'two'), assistantRow(2, 3, 'first'), assistantRow(4, 3, 'second'));
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const row = only(home);
  expect(row).toMatchObject({ entries: 4, turns: 2, usage_output: 4 });
  expect(await prompts(home, row)).toEqual(['one', 'two']);
});

/** A subagent's two records; their sessionId is the parent's. */
const agentRows = (from: number): readonly string[] =>
  [userRow(from, null, 'Look around.'), assistantRow(from + 1, from, 'All quiet.')].map((row) =>
    line({ ...(JSON.parse(row) as object), isSidechain: true, agentId: 'a1b2c3d4e5f60718' }),
  );

test.each([
  ['in the session’s folder', `-home-user-shop/${sessionId}/subagents/agent-a1b2c3d4e5f60718.jsonl`],
  ['of a workflow', `-home-user-shop/${sessionId}/subagents/workflows/wf_1/agent-a1b2c3d4e5f60718.jsonl`],
  ['flat beside it', '-home-user-shop/agent-a1b2c3d4e5f60718.jsonl'],
])('a subagent %s stands under its session, whichever of the two is met first, and is no row of the list', async (_, name) => {
  for (const order of ['parent', 'child', 'together'] as const) {
    using files = new TestHome();
    await using home = new HomeLedger(files.home);
    const parent = (): void => files.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
    if (order === 'parent') parent();
    if (order !== 'parent') transcript(files, name, agentRows(101));
    if (order !== 'together') await home.catchUp();
    expect(list(home)).toHaveLength(order === 'parent' ? 1 : 0);
    if (order === 'parent') transcript(files, name, agentRows(101));
    else parent();
    await home.catchUp();
    const row = only(home);
    expect(row.turns).toBe(1);
    if (order === 'child') continue;
    expect(threadView(home.ledger, row, new Map()).children.map(({ nativeId }) => nativeId)).toEqual(['a1b2c3d4e5f60718']);
  }
});

test('a run of a program is marked and not in the list, until a person takes it over', async () => {
  using files = new TestHome();
  const by = (row: string, entrypoint: string): string => line({ ...(JSON.parse(row) as object), entrypoint });
  files.write(by(userRow(1, null, 'nightly check'), 'sdk-py'), by(assistantRow(2, 1, 'done'), 'sdk-py'));
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect([list(home).length, list(home, true).length]).toEqual([0, 1]);
  files.append(by(userRow(3, 2, 'and what failed?'), 'cli'));
  await home.catchUp();
  expect(only(home).automation).toBe(0);
});

test('an id in capitals, or one that only differs in case, is the file’s own', async () => {
  using files = new TestHome();
  transcript(files, `-home-user-shop/${sessionId.toUpperCase()}.jsonl`, [userRow(1, null, 'one')]);
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(home.ledger.natives.byThread(only(home).number).map(({ native_id }) => native_id)).toEqual([sessionId.toUpperCase()]);
});
