/** Sessions of OpenClaw over its eras and windows: what a migration left behind, forks, subagents, what was set aside or stored cold. */
import fs from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { HomeLedger } from '../home-ledger.ts';
import { answer, at, OpenclawHome, user } from '../openclaw-home.ts';

const [a, b] = ['0a', '0b'].map((end) => `01a0667f-1680-79a2-81b3-ff25414400${end}`) as [string, string];

function lines(...rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function header(id: string, version = 3): object {
  return { type: 'session', version, id, timestamp: at(0), cwd: '/home/user/shop' };
}

async function texts(home: HomeLedger, session: string): Promise<readonly string[]> {
  const row = findThread(home.ledger, session);
  if (row === undefined) throw new Error(`${session} is not in the ledger`);
  const entries = await allEntries(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return entries.flatMap(({ kind, content }) =>
    kind === 'user' || kind === 'assistant'
      ? content.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

/** Files with their own times: the newest is read first. */
function write(file: string, text: string | Uint8Array, second: number): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.utimesSync(file, second, second);
}

test.each([
  ['the file before the rows', 9e9],
  ['the rows before the file', 1],
])('a migrated session is stored once, with what only its left-over file has: %s', async (_, mtime) => {
  using openclaw = new OpenclawHome();
  const rows = [user(a, 1, null, 'one', {}), answer(a, 2, 1, 'two'), user(a, 3, 2, 'three', {})];
  openclaw.session(a, 'agent:main:main', { updated_at: 1_000_000 });
  for (const [index, row] of [...rows, answer(a, 4, 3, 'four')].entries()) openclaw.event(a, index + 1, row);
  write(path.join(openclaw.sessions, `${a}.jsonl`), lines(header(a), ...rows), mtime);
  const archive = path.join(openclaw.sessions, '../session-sqlite-import-archive', `key_.${a}.jsonl.imported-1796010000000`);
  write(archive, lines(header(a), ...rows, user(a, 9, 3, 'never')), mtime);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(home.ledger.threads.newest(10)).toHaveLength(1);
  expect(await texts(home, a)).toEqual(['one', 'two', 'three', 'four']);
  expect(findThread(home.ledger, a)).toMatchObject({ turns: 2, usage_input: 20, archived: 0 });
  openclaw.event(a, 5, user(a, 5, 4, 'five'));
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('a forked window is a thread of its own that shares what came before, and names its parent', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a, 'agent:main:main');
  openclaw.event(a, 1, user(a, 1, null, 'one'));
  openclaw.event(a, 2, answer(a, 2, 1, 'two'));
  openclaw.event(a, 3, user(a, 3, 2, 'three'));
  openclaw.session(
    b,
    'agent:main:fork',
    { reason: 'fork', previous_session_id: a, updated_at: 50 },
    { fork_source_session_id: a },
  );
  openclaw.event(b, 1, user(a, 1, null, 'one'));
  openclaw.event(b, 2, answer(a, 2, 1, 'two'));
  openclaw.event(b, 3, user(b, 3, 2, 'other'));
  openclaw.db
    .prepare('UPDATE transcript_events SET event_json = replace(event_json, ?, ?) WHERE session_id = ? AND seq = 3')
    .run(`"parentId":"${b}-2"`, `"parentId":"${a}-2"`, b);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['one', 'two', 'three']);
  expect(await texts(home, b)).toEqual(['one', 'two', 'other']);
  const [parent, fork] = [findThread(home.ledger, a), findThread(home.ledger, b)];
  expect(fork).toMatchObject({ parent_thread: parent?.id, session: parent?.session, turns: 1, usage_input: 0 });
  expect(parent).toMatchObject({ parent_thread: null, turns: 2, usage_input: 10 });
});

test('a window that begins anew under the same key is a thread without a parent', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a, 'agent:main:main', { reason: 'initial' });
  openclaw.event(a, 1, user(a, 1, null, 'one'));
  openclaw.session(b, 'agent:main:main', { reason: 'reset', previous_session_id: a });
  openclaw.event(b, 1, user(b, 1, null, 'fresh'));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(findThread(home.ledger, b)).toMatchObject({ title: 'fresh', parent_thread: null });
  expect(findThread(home.ledger, a)).toMatchObject({ title: 'one', archived: 0 });
});

test('a rewound session goes on from its leaf, and what was left stays', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a, 'agent:main:main');
  for (const [n, parent, text] of [
    [1, null, 'one'],
    [2, 1, 'left'],
    [3, 1, 'taken'],
  ] as const)
    openclaw.event(a, n, user(a, n, parent, text));
  openclaw.db.prepare('INSERT INTO session_transcript_index_state VALUES (?, 3, ?, 0, 1, 1, 1)').run(a, `${a}-2`);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['one', 'left']);
  openclaw.event(a, 4, user(a, 4, 3, 'more'));
  openclaw.db.prepare('UPDATE session_transcript_index_state SET indexed_seq = 4, leaf_event_id = ?').run(`${a}-4`);
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['one', 'taken', 'more']);
  expect(home.ledger.branches.bySession(findThread(home.ledger, a)?.session ?? '')).toHaveLength(2);
});

test('a subagent’s session is no row of the list but stands under the one that spawned it', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a, 'agent:main:main');
  openclaw.event(a, 1, user(a, 1, null, 'look around'));
  openclaw.session(b, 'agent:main:subagent:7', { updated_at: 90 }, { spawned_by: 'agent:main:main', label: 'scout' });
  openclaw.event(b, 1, user(b, 1, null, 'task', { provenance: { kind: 'inter_session' } }));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.ledger.threads.newest(10).map(({ title }) => title)).toEqual(['look around']);
  const natives = home.ledger.natives.byThread(findThread(home.ledger, a)?.number ?? 0);
  expect(natives.map(({ native_id: id, child_title: title }) => [id, title])).toEqual([
    [a, null],
    [b, 'scout'],
  ]);
});

test('a transcript in cold storage and one that was set aside are read from their compressed files', async () => {
  using openclaw = new OpenclawHome();
  write(path.join(openclaw.sessions, `${a}.jsonl.zst`), zstdCompressSync(lines(header(a, 4), user(a, 1, null, 'cold'))), 1000);
  write(
    path.join(openclaw.sessions, `${b}.jsonl.reset.2026-11-30T03-47-57.838Z.f2d7daef95cf429b.zst`),
    zstdCompressSync(lines(header(b, 4), user(b, 1, null, 'aside'))),
    1001,
  );
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['cold']);
  expect(findThread(home.ledger, a)).toMatchObject({ archived: 0 });
  expect(findThread(home.ledger, b)).toMatchObject({ archived: 1, title: 'aside' });
});

test('nothing of the state folder beside the agents is opened: it holds tokens', async () => {
  using openclaw = new OpenclawHome();
  const state = path.join(openclaw.home, '.openclaw/state');
  fs.mkdirSync(state);
  fs.writeFileSync(path.join(state, 'openclaw.sqlite'), 'tokens');
  fs.writeFileSync(path.join(openclaw.home, '.openclaw/openclaw.json'), '{"token":"secret"}');
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(
    home.ledger.sources.all().filter((source) => !source.path.startsWith(path.join(openclaw.home, '.openclaw/agents/'))),
  ).toEqual([]);
});
