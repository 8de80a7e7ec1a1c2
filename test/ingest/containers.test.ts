/** A database of sessions as it is written, rewritten, damaged and taken away while Loom looks on. Nothing of it is ever changed or locked. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ContainerPace } from '../../server/ingest/container-pace.ts';
import { openContainer } from '../../server/ingest/container-copy.ts';
import { ContainerFeed } from '../../server/ingest/container-feed.ts';
import { removeCopies } from '../../server/ingest/containers.ts';
import { heldPath, partsOfHeld } from '../../shuttles/kit/held-session.ts';
import { HeldRecords } from '../../server/ingest/held-records.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { openclawContainer } from '../../shuttles/openclaw/store/container.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';
import { answer, eventOf, OpenclawHome, user } from '../openclaw-home.ts';

const [a, b, c] = ['0a', '0b', '0c'].map((end) => `01a0667f-1680-79a2-81b3-ff25414400${end}`) as [string, string, string];

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

/** Everything that a look could change: names, bytes, times of change. */
function filesIn(folder: string): readonly unknown[] {
  return fs
    .readdirSync(folder)
    .toSorted()
    .map((name) => {
      const file = path.join(folder, name);
      const { mtimeNs, ctimeNs, ino, mode } = fs.statSync(file, { bigint: true });
      return [name, createHash('sha256').update(fs.readFileSync(file)).digest('hex'), mtimeNs, ctimeNs, ino, mode];
    });
}

function copies(home: HomeLedger): readonly string[] {
  const folder = path.join(home.folder, 'copies');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

test('what still stands in the write-ahead log is read, and the database, its log and its index are left as they were', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.event(a, 2, answer(a, 2, 1, 'a long answer '.repeat(200)), true);
  expect(fs.statSync(`${openclaw.file}-wal`).size).toBeGreaterThan(0);
  const before = filesIn(openclaw.folder);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['first', 'a long answer '.repeat(200)]);
  expect(filesIn(openclaw.folder)).toEqual(before);
  expect(copies(home)).toEqual([]);
});

test('a database that was closed gets no log and no index of shared memory from being read', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.db.close();
  fs.chmodSync(openclaw.file, 0o400);
  fs.chmodSync(openclaw.folder, 0o500);
  const before = filesIn(openclaw.folder);
  expect(before).toHaveLength(1);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['first']);
  expect(filesIn(openclaw.folder)).toEqual(before);
  fs.chmodSync(openclaw.folder, 0o700);
});

test('only what is new is read of a session that grows, and an unchanged database is not opened', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.session(b);
  openclaw.event(b, 1, user(b, 1, null, 'other'));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  // Whoever opened it would fail: a file stands where the folder of copies must be.
  fs.rmSync(path.join(home.folder, 'copies'), { recursive: true, force: true });
  fs.writeFileSync(path.join(home.folder, 'copies'), '');
  expect(await home.catchUp()).toMatchObject({ records: 0, entries: 0 });
  expect(home.faults).toEqual([]);
  fs.rmSync(path.join(home.folder, 'copies'));
  openclaw.event(a, 2, answer(a, 2, 1, 'answer'));
  openclaw.event(a, 3, user(a, 3, 2, 'second'));
  const report = await home.catchUp();
  // The two events and what the tables tell of the session; the other session is not looked at.
  expect(report).toMatchObject({ records: 3, entries: 3 });
  expect(await texts(home, a)).toEqual(['first', 'answer', 'second']);
  expect(await texts(home, b)).toEqual(['other']);
});

test('a session of thousands of events, read in pages, is the same as its events', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.db.transaction(() => {
    for (let n = 1; n <= 2300; n++) openclaw.event(a, n, user(a, n, n === 1 ? null : n - 1, `prompt ${n}`));
  })();
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(await texts(home, a)).toEqual(Array.from({ length: 2300 }, (_, index) => `prompt ${index + 1}`));
  expect(findThread(home.ledger, a)?.turns).toBe(2300);
});

test('a session of long events is read a few of them at a time, and of short ones many', () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.session(b);
  openclaw.db.transaction(() => {
    for (let n = 1; n <= 7; n++) openclaw.event(a, n, user(a, n, n - 1, 'x'.repeat(3_500_000)));
    for (let n = 1; n <= 1200; n++) openclaw.event(b, n, user(b, n, n - 1, 'x'));
  })();
  const opened = openContainer(openclaw.file, openclaw.home, 'database', path.join(openclaw.home, 'copies'));
  if (!opened.ok) throw new Error(opened.detail);
  const pieces = (session: string, size: number): readonly number[] => {
    const facts = { size, mtimeMs: 0, ino: '', birthtimeMs: 0 };
    const feed = new ContainerFeed(openclawContainer, opened.held, session, new DiskSidecars(), facts);
    return Array.from(feed.pieces(1), ({ records }) => records.filter(({ length }) => length > 0).length);
  };
  expect(pieces(a, 8)).toEqual([3, 3, 1]);
  expect(pieces(b, 1201)).toEqual([499, 500, 201]);
  opened.close();
});

test('a reading that is broken off goes on where it stood, and gives what an unbroken one gives', async () => {
  using openclaw = new OpenclawHome();
  for (const session of [a, b]) {
    openclaw.session(session);
    openclaw.db.transaction(() => {
      for (let n = 1; n <= 1500; n++) openclaw.event(session, n, user(session, n, n === 1 ? null : n - 1, `${session} ${n}`));
    })();
  }
  await using broken = new HomeLedger(openclaw.home);
  const pass = broken.catchUp();
  while (broken.committed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await broken.ingest.stop();
  await pass;
  const half = broken.ledger.threads.newest(10).reduce((sum, { entries }) => sum + entries, 0);
  expect(half).toBeGreaterThan(0);
  await using going = new HomeLedger(openclaw.home, {}, 'linux', { folder: broken.folder });
  await going.catchUp();
  await using whole = new HomeLedger(openclaw.home);
  await whole.catchUp();
  for (const session of [a, b]) expect(await texts(going, session)).toEqual(await texts(whole, session));
  const counts = (home: HomeLedger): readonly string[] =>
    home.ledger.threads
      .newest(10)
      .map(({ id, turns, entries }) => `${id} ${turns} ${entries}`)
      .toSorted();
  expect(counts(going)).toEqual(counts(whole));
});

test('copies that a killed process left are removed at the start, and nothing else of the folder is', async () => {
  await using home = new HomeLedger(fs.mkdtempSync('/tmp/loom-empty-'));
  fs.mkdirSync(path.join(home.folder, 'copies/copy-abc'), { recursive: true });
  fs.writeFileSync(path.join(home.folder, 'copies/copy-abc/copy.sqlite'), 'left');
  const others = fs.readdirSync(home.folder).filter((name) => name !== 'copies');
  removeCopies(home.folder);
  removeCopies(home.folder);
  expect(fs.readdirSync(home.folder)).toEqual(others);
  fs.rmSync(home.home, { recursive: true });
});

test('a session that the app deleted is gone and what was said stays; a new one does not take its place', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  openclaw.db.exec('DELETE FROM session_nodes');
  openclaw.session(b);
  openclaw.event(b, 1, user(b, 1, null, 'other'));
  openclaw.event(b, 2, answer(b, 2, 1, 'answer'));
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['first']);
  expect(await texts(home, b)).toEqual(['other', 'answer']);
  expect([findThread(home.ledger, a)?.source_gone, findThread(home.ledger, b)?.source_gone]).toEqual([1, 0]);
  // Nothing of it is asked for again.
  expect(await home.catchUp()).toMatchObject({ records: 0 });
});

test('a database that is taken away and comes back goes on', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.db.pragma('wal_checkpoint(TRUNCATE)');
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  const aside = path.join(openclaw.home, 'aside');
  fs.renameSync(openclaw.folder, aside);
  await home.catchUp();
  expect(findThread(home.ledger, a)?.source_gone).toBe(1);
  fs.renameSync(aside, openclaw.folder);
  await home.catchUp();
  expect(findThread(home.ledger, a)?.source_gone).toBe(0);
  openclaw.event(a, 2, answer(a, 2, 1, 'answer'));
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['first', 'answer']);
});

test('a damaged database is told of once and reads again when it is whole', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.db.pragma('wal_checkpoint(TRUNCATE)');
  const whole = fs.readFileSync(openclaw.file);
  openclaw.db.close();
  fs.writeFileSync(openclaw.file, Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0xa5)]));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toHaveLength(1);
  expect(home.faults[0]).toContain(openclaw.file);
  await home.catchUp();
  expect(home.faults).toHaveLength(1);
  fs.writeFileSync(openclaw.file, 'no database at all');
  await home.catchUp();
  expect(home.faults).toHaveLength(2);
  fs.writeFileSync(openclaw.file, whole);
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['first']);
  expect(copies(home)).toEqual([]);
});

test('tables of a version that is not known yet are refused with their number, and those that only grew are read', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.db.exec('UPDATE schema_meta SET schema_version = 99; ALTER TABLE transcript_events ADD COLUMN later TEXT');
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['first']);
  openclaw.db.pragma('foreign_keys = OFF');
  openclaw.db.exec('ALTER TABLE session_windows RENAME TO windows');
  await home.catchUp();
  expect(home.faults).toEqual([`F002 ${openclaw.file}: it has no table session_windows (schema 99)`]);
  expect(findThread(home.ledger, a)?.source_gone).toBe(0);
  expect(await texts(home, a)).toEqual(['first']);
});

test('a database that its program holds locked is read all the same', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.db.exec('BEGIN EXCLUSIVE');
  openclaw.event(a, 2, answer(a, 2, 1, 'not committed'));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await texts(home, a)).toEqual(['first']);
  openclaw.db.exec('COMMIT');
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['first', 'not committed']);
});

test('a copy during which the database changes is made again, and given up when it never holds still', () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  const folder = path.join(openclaw.home, 'copies');
  let seq = 1;
  const changing =
    (times: number) =>
    (from: string, to: string): void => {
      fs.copyFileSync(from, to);
      if (from === openclaw.file && seq <= times) {
        openclaw.event(a, seq, user(a, seq, seq === 1 ? null : seq - 1, `prompt ${seq}`));
        openclaw.db.pragma('wal_checkpoint(TRUNCATE)');
        seq++;
      }
    };
  const opened = openContainer(openclaw.file, openclaw.home, 'database', folder, changing(2));
  if (!opened.ok || opened.held.form !== 'database') throw new Error('it was not opened');
  expect(opened.held.tables.all('SELECT max(seq) AS last FROM transcript_events')).toEqual([{ last: 2 }]);
  expect(opened.held.tables.all('PRAGMA integrity_check(1)')).toEqual([{ integrity_check: 'ok' }]);
  opened.close();
  const given = openContainer(openclaw.file, openclaw.home, 'database', folder, changing(100));
  expect(given).toMatchObject({ ok: false, kind: 'busy' });
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a database in the middle of a rollback journal is left for later', () => {
  using openclaw = new OpenclawHome();
  fs.writeFileSync(`${openclaw.file}-journal`, 'half of a transaction');
  const opened = openContainer(openclaw.file, openclaw.home, 'database', path.join(openclaw.home, 'copies'));
  expect(opened).toMatchObject({ ok: false, kind: 'busy' });
});

test('a link in the place of the database or of its log leads nowhere', () => {
  using openclaw = new OpenclawHome();
  using other = new OpenclawHome();
  other.session(b);
  openclaw.db.close();
  const folder = path.join(openclaw.home, 'copies');
  const root = path.join(openclaw.home, '.openclaw/agents');
  fs.rmSync(`${openclaw.file}-wal`, { force: true });
  fs.symlinkSync(`${other.file}-wal`, `${openclaw.file}-wal`);
  const opened = openContainer(openclaw.file, root, 'database', folder);
  if (!opened.ok || opened.held.form !== 'database') throw new Error('it was not opened');
  expect(opened.held.tables.all('SELECT session_id FROM session_windows')).toEqual([]);
  opened.close();
  fs.rmSync(openclaw.file);
  fs.symlinkSync(other.file, openclaw.file);
  expect(openContainer(openclaw.file, root, 'database', folder)).toMatchObject({ ok: false, kind: 'refused' });
});

test('what was written anew is read anew, and nothing that the ledger has is stored twice', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.event(a, 2, answer(a, 2, 1, 'answer'));
  openclaw.db.prepare("INSERT INTO transcript_rewrite_watermarks VALUES (?, 'one', 1)").run(a);
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  // The last event is another one now, and one stands behind it.
  openclaw.db.exec('DELETE FROM transcript_events WHERE seq = 2');
  openclaw.event(a, 2, answer(a, 9, 1, 'better answer'));
  openclaw.event(a, 3, user(a, 10, 9, 'second'));
  openclaw.db.exec("UPDATE transcript_rewrite_watermarks SET generation = 'two'");
  await home.catchUp();
  expect(await texts(home, a)).toEqual(['first', 'better answer', 'second']);
  const row = findThread(home.ledger, a);
  expect(row).toMatchObject({ turns: 2, usage_input: 20 });
  expect(home.ledger.branches.bySession(row?.session ?? '')).toHaveLength(2);
});

test('a big database that is always being written is opened at a pace that follows its cost; the first time at once', () => {
  let now = 1000;
  const pace = new ContainerPace(() => now);
  const reading = (cost: number): number => pace.opening('/db', () => (now += cost));
  expect(pace.mayOpen('/db')).toBe(true);
  reading(10);
  expect(pace.mayOpen('/db')).toBe(true);
  reading(500);
  expect(pace.mayOpen('/db')).toBe(false);
  expect(pace.mayOpen('/other')).toBe(true);
  now += 20 * 500 - 1;
  expect(pace.mayOpen('/db')).toBe(false);
  now += 1;
  expect(pace.mayOpen('/db')).toBe(true);
});

test('titles and marks change without a new event', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a, 'agent:main:a');
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.session(c, 'agent:main:c', { hook_external_content_source: 'gmail' });
  openclaw.event(c, 1, eventOf(c, 1, null, { type: 'message', message: { role: 'user', content: 'a mail' } }));
  await using home = new HomeLedger(openclaw.home);
  await home.catchUp();
  expect(findThread(home.ledger, a)).toMatchObject({ title: 'first', archived: 0, automation: 0, turns: 1 });
  expect(findThread(home.ledger, c)).toMatchObject({ title: 'a mail', automation: 1, turns: 0, surface: 'headless' });
  openclaw.db.exec(
    "UPDATE session_nodes SET label = 'Named', archived_at = 5, updated_at = 99 WHERE session_key = 'agent:main:a'",
  );
  await home.catchUp();
  expect(findThread(home.ledger, a)).toMatchObject({ title: 'Named', archived: 1, turns: 1 });
});

test('the record that an entry was made from is found again in its container', async () => {
  using openclaw = new OpenclawHome();
  openclaw.session(a);
  openclaw.event(a, 1, user(a, 1, null, 'first'));
  openclaw.event(a, 2, answer(a, 2, 1, 'x'.repeat(2000)), true);
  const folder = fs.mkdtempSync(path.join(openclaw.home, 'ledger-'));
  {
    using held = new HeldRecords({
      shuttles,
      environment: { platform: 'linux', home: openclaw.home, variables: {} },
      sidecars: new DiskSidecars(),
      ledgerFolder: folder,
    });
    const source = heldPath(openclaw.file, a);
    expect(partsOfHeld(source)).toEqual({ file: openclaw.file, name: a });
    expect(JSON.parse(held.text(source, 'openclaw', 1) ?? '')).toEqual(user(a, 1, null, 'first'));
    expect(held.text(source, 'openclaw', 2)).toContain('x'.repeat(2000));
    expect([held.text(source, 'openclaw', 3), held.text(source, 'codex', 1), held.text(openclaw.file, 'openclaw', 1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    // Only what a listing of the roots could have found.
    expect(held.text(heldPath('/etc/openclaw-agent.sqlite', a), 'openclaw', 1)).toBeUndefined();
  }
  expect(fs.readdirSync(path.join(folder, 'copies'))).toEqual([]);
});
