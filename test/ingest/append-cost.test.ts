/** What an append costs: bytes read of session files and rows written to the ledger follow what is new, and nothing else. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { claudeShuttle } from '../../shuttles/claude/shuttle.ts';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, sessionId, TestHome, userRow } from './claude-session.ts';

interface Cost {
  readonly bytesRead: number;
  readonly rowsWritten: number;
}

/** All reads of files by this process, and all rows that its statements change, while `work` runs. */
async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const statements = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1')) as {
    run: (...args: unknown[]) => Sqlite.RunResult;
  };
  const { run } = statements;
  const read = fs.readSync;
  let bytesRead = 0;
  let rowsWritten = 0;
  fs.readSync = ((...args: Parameters<typeof fs.readSync>) => {
    const length = read(...args);
    bytesRead += length;
    return length;
  }) as typeof fs.readSync;
  statements.run = function (this: unknown, ...args: unknown[]) {
    const result = run.apply(this, args);
    rowsWritten += result.changes;
    return result;
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.readSync = read;
    statements.run = run;
    syncBuiltinESMExports();
  }
  return { bytesRead, rowsWritten };
}

/** So many entries before them, and so many other sessions in the ledger; what new rows at the end of the session cost. */
async function appendTo(entries: number, others: number, fresh: readonly string[] = []): Promise<Cost> {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'one'),
    ...Array.from({ length: entries }, (_, i) => assistantRow(i + 2, i + 1, `answer ${i} `.repeat(20))),
  );
  for (let n = 0; n < others; n++) {
    const id = `aaaaaaaa-1111-4111-8111-${String(n).padStart(12, '0')}`;
    const rows = userRow(1, null, `other ${n}`) + assistantRow(2, 1, 'fine');
    const own = rows
      .replaceAll('00000000-0000-4000-8000', `0000${String(n).padStart(4, '0')}-0000-4000-8000`)
      .replaceAll(sessionId, id);
    fs.writeFileSync(path.join(home.folder, `${id}.jsonl`), own);
  }
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  home.append([userRow(90_000, entries + 1, 'two'), ...fresh].join(''));
  const { ingest } = ledger;
  const cost = await costOf(() => ingest.sweep({ at: 'only', folders: new Set([home.folder]) }));
  expect(ledger.committed.at(-1)?.entries).toHaveLength(1 + fresh.length);
  return cost;
}

test('an append costs the same in a long thread and in a large ledger as in a short thread and a small one', async () => {
  const small = await appendTo(1, 0);
  expect(small.rowsWritten).toBeGreaterThan(3);
  expect(small.rowsWritten).toBeLessThan(40);
  for (const large of [await appendTo(3000, 0), await appendTo(1, 300)]) {
    // A short thread's first pack may cost a row of its own.
    expect(Math.abs(large.rowsWritten - small.rowsWritten)).toBeLessThanOrEqual(1);
    // A cursor has some digits more.
    expect(Math.abs(large.bytesRead - small.bytesRead)).toBeLessThan(4096);
  }
}, 120_000);

test('what an append costs grows with what is appended, and never faster', async () => {
  const rows = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => assistantRow(90_001 + i, 90_000 + i, `more ${i} `.repeat(20)));
  const one = await appendTo(500, 3);
  const some = await appendTo(500, 3, rows(100));
  const more = await appendTo(500, 3, rows(200));
  const bytes = (count: number): number => Buffer.byteLength(rows(count).join(''));
  expect(some.bytesRead - one.bytesRead).toBeLessThan(2 * bytes(100) + 4096);
  expect(more.bytesRead - one.bytesRead).toBeLessThan(2 * bytes(200) + 4096);
  const eachOfSome = (some.rowsWritten - one.rowsWritten) / 100;
  const eachOfMore = (more.rowsWritten - some.rowsWritten) / 100;
  expect(eachOfSome).toBeLessThan(12);
  // Many at once may share rows; they never cost more.
  expect(eachOfMore).toBeLessThan(eachOfSome + 0.5);
}, 120_000);

test('a file that is known to have changed is read without a look at any other', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  for (let n = 0; n < 50; n++)
    fs.writeFileSync(path.join(home.folder, `bbbbbbbb-1111-4111-8111-${String(n).padStart(12, '0')}.jsonl`), '{}\n');
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  home.append(assistantRow(2, 1, 'first'));
  const looked: string[] = [];
  const calls = fs as { lstatSync: unknown };
  const look = fs.lstatSync;
  calls.lstatSync = (file: fs.PathLike, options?: fs.StatSyncOptions) => {
    looked.push(String(file));
    return look(file, options);
  };
  syncBuiltinESMExports();
  try {
    expect(await ledger.ingest.touch(home.file, path.dirname(home.folder), claudeShuttle)).toBe(true);
  } finally {
    calls.lstatSync = look;
    syncBuiltinESMExports();
  }
  expect(ledger.committed.at(-1)?.entries).toHaveLength(1);
  expect(looked).toContain(home.file);
  expect(looked.filter((file) => file.endsWith('.jsonl') && file !== home.file)).toEqual([]);
});

test('a title that is changed beside the sessions reaches its thread alone, and none of its records is read again', async () => {
  using home = new TestHome();
  fs.rmSync(path.join(home.home, '.claude'), { recursive: true });
  const codex = path.join(home.home, '.codex');
  const day = path.join(codex, 'sessions/2026/11/30');
  fs.mkdirSync(day, { recursive: true });
  const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const at = '2026-11-30T10:00:00.000Z';
  for (let n = 0; n < 40; n++) {
    const rows = [
      {
        timestamp: at,
        type: 'session_meta',
        payload: { id: id(n), timestamp: at, cwd: '/home/user/shop', originator: 'codex_cli_rs', cli_version: '0.171.0' },
      },
      {
        timestamp: at,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `prompt ${n}` }] },
      },
      { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: `prompt ${n}` } },
    ];
    fs.writeFileSync(
      path.join(day, `rollout-2026-11-30T10-00-00-${id(n)}.jsonl`),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
  }
  const index = path.join(codex, 'session_index.jsonl');
  const name = (n: number, text: string): string => `${JSON.stringify({ id: id(n), thread_name: text, updated_at: at })}\n`;
  fs.writeFileSync(index, Array.from({ length: 40 }, (_, n) => name(n, `name ${n}`)).join(''));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const titles = (): string[] => ledger.ledger.threads.newest(100).map(({ title }) => title);
  expect(titles()).toContain('name 7');

  fs.appendFileSync(index, name(7, 'a better name'));
  const before = ledger.committed.length;
  const cost = await costOf(() => ledger.ingest.sweep({ at: 'turns', folders: new Set() }));
  expect(titles()).toContain('a better name');
  expect(titles()).not.toContain('name 7');
  const said = ledger.committed.slice(before);
  expect(said.map(({ thread, entries }) => [thread.title, entries.length])).toEqual([['a better name', 0]]);
  expect(cost.rowsWritten).toBeLessThan(20);
  expect(cost.bytesRead).toBeLessThan(10_000);
  // And nothing when nothing changed.
  expect((await costOf(() => ledger.ingest.sweep({ at: 'turns', folders: new Set() }))).rowsWritten).toBe(0);
});

test('what was renamed while nobody looked is seen at the next start', async () => {
  using home = new TestHome();
  const codex = path.join(home.home, '.codex');
  const id = '019a0000-0000-7000-8000-000000000001';
  const at = '2026-11-30T10:00:00.000Z';
  fs.mkdirSync(path.join(codex, 'sessions'), { recursive: true });
  const meta = {
    timestamp: at,
    type: 'session_meta',
    payload: { id, timestamp: at, cwd: '/home/user/shop', originator: 'codex_cli_rs', cli_version: '0.171.0' },
  };
  fs.writeFileSync(path.join(codex, 'sessions', `rollout-2026-11-30T10-00-00-${id}.jsonl`), `${JSON.stringify(meta)}\n`);
  const folder = fs.mkdtempSync(path.join(home.home, 'ledger-'));
  {
    await using first = new HomeLedger(home.home, {}, 'linux', { folder });
    await first.catchUp();
  }
  fs.writeFileSync(
    path.join(codex, 'session_index.jsonl'),
    `${JSON.stringify({ id, thread_name: 'named meanwhile', updated_at: at })}\n`,
  );
  await using second = new HomeLedger(home.home, {}, 'linux', { folder });
  await second.catchUp();
  expect(second.ledger.threads.newest(1)[0]?.title).toBe('named meanwhile');
});
