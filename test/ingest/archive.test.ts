/** The raw archive while session files are written, rewritten, moved and taken away, as their harness does it. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RawRecords } from '../../server/ingest/raw-records.ts';
import type { RawRecord } from '../../server/ingest/raw-records.ts';
import { LedgerKeeper } from '../../server/main/ledger-keeper.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { fixtures, copyHome, HomeLedger } from '../home-ledger.ts';
import { answer, OpenclawHome, user } from '../openclaw-home.ts';
import { Restored, sessionFiles, sha256Of } from './archive-home.ts';
import { assistantRow, sessionId, TestHome, userRow } from './claude-session.ts';

/** What the archive gives back of the one file, as text. */
function restored(read: HomeLedger, home: string, file: string): string {
  using back = new Restored(read.ledger, home);
  expect(back.missing).toEqual([]);
  expect([...back.files.keys()]).toEqual([file]);
  const [thread] = fs.readdirSync(back.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return fs.readFileSync(path.join(thread?.parentPath ?? '', thread?.name ?? ''), 'utf8');
}

async function rawOf(read: HomeLedger, home: string, thread = 0): Promise<readonly RawRecord[]> {
  const row = read.ledger.threads.newest(10)[thread];
  if (row === undefined) throw new Error('there is no such thread');
  using records = new RawRecords({
    ledger: read.ledger,
    shuttles,
    environment: environmentOf(home, {}, 'linux'),
    sidecars: new DiskSidecars(),
  });
  return (await allEntries(read.ledger, row.session, row.current_conversation)).map((entry) => records.of(entry));
}

test('a file that grows byte by byte is archived as it stands after each, through characters, NULs and lines that are cut', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  const bytes = Buffer.concat([
    Buffer.from(assistantRow(2, 1, '🚢 港口').slice(-60)),
    Buffer.from([0, 0, 0, 10, 0xf0, 0x9f, 10, 13, 10]),
    Buffer.from('{"torn'),
  ]);
  for (const [i, byte] of bytes.entries()) {
    home.append(Uint8Array.of(byte));
    await read.catchUp();
    if (i % 7 === 0 || byte > 127 || byte === 0)
      expect(restored(read, home.home, home.file)).toBe(fs.readFileSync(home.file, 'utf8'));
  }
  using back = new Restored(read.ledger, home.home);
  expect(back.files.get(home.file)).toBe(sha256Of(home.file));
  expect(read.ledger.archive.totals().pieces).toBeLessThan(12);
});

test('a file of many megabytes is archived byte for byte, and a record of several is shown as it stands there', async () => {
  using home = new TestHome();
  const words = (from: number, count: number): string => Array.from({ length: count }, (_, i) => `word${from + i}`).join(' ');
  home.write(
    userRow(1, null, words(0, 160_000)),
    ...Array.from({ length: 12 }, (_, i) => assistantRow(i + 2, i + 1, words(i * 1000, 40_000))),
    userRow(14, 13, words(7, 300_000)),
  );
  const text = fs.readFileSync(home.file, 'utf8');
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  {
    using back = new Restored(read.ledger, home.home);
    expect(back.files.get(home.file)).toBe(sha256Of(home.file));
  }
  const shown = await rawOf(read, home.home);
  expect(shown.map((one) => one.ok && one.from)).toEqual(Array.from({ length: 14 }, () => 'file'));
  fs.rmSync(home.file);
  const archived = await rawOf(read, home.home);
  const lines = text.trimEnd().split('\n');
  for (const [i, line] of lines.entries()) {
    const [there, here] = [shown[i], archived[i]];
    expect(there?.ok === true && there.text === line).toBe(true);
    expect(here?.ok === true && here.text === line).toBe(true);
  }
}, 60_000);

test('a file that was seen empty while it was rewritten keeps its earlier state, and each entry its own record', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'a deleted prompt'), assistantRow(2, 1, 'a deleted answer'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  const before = fs.readFileSync(home.file, 'utf8');
  for (const between of ['', userRow(11, null, 'another').slice(0, 40)]) {
    home.write(between);
    await read.catchUp();
    expect(restored(read, home.home, home.file)).toBe(before);
  }
  home.write(userRow(11, null, 'another prompt, of another length'), assistantRow(12, 11, 'another answer'));
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(fs.readFileSync(home.file, 'utf8'));
  using back = new Restored(read.ledger, home.home, true);
  expect([...back.files.values()].toSorted()).toEqual(
    [before, fs.readFileSync(home.file, 'utf8')].map((text) => createHash('sha256').update(text).digest('hex')).toSorted(),
  );
});

test('a torn tail that its harness takes back is not given back', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  home.append('{"type":"assist');
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(`${userRow(1, null, 'one')}{"type":"assist`);
  home.write(userRow(1, null, 'one'));
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(userRow(1, null, 'one'));
});

test('of a file that was cut and begun anew both states are kept, and each entry shows the record that it was made from', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'a deleted prompt'), assistantRow(2, 1, 'a deleted answer'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  const before = fs.readFileSync(home.file, 'utf8');
  home.write(
    userRow(11, null, 'another prompt, of another length'),
    assistantRow(12, 11, 'another answer'),
    userRow(13, 12, 'on'),
  );
  await read.catchUp();
  const after = fs.readFileSync(home.file, 'utf8');
  expect(restored(read, home.home, home.file)).toBe(after);
  using all = new Restored(read.ledger, home.home, true);
  expect([...all.files.keys()].toSorted()).toEqual([home.file, `${home.file}.earlier-1`]);
  const thread = findThread(read.ledger, sessionId);
  const entries = [];
  for (const branch of read.ledger.branches.byNative(thread.current_native ?? 0))
    entries.push(...(await allEntries(read.ledger, thread.session, branch.conversation)));
  using records = new RawRecords({
    ledger: read.ledger,
    shuttles,
    environment: environmentOf(home.home, {}, 'linux'),
    sidecars: new DiskSidecars(),
  });
  const said = entries.map((entry) => {
    const record = records.of(entry);
    return record.ok ? [record.from, `${record.text}\n`] : [record.reason];
  });
  const lines = (text: string): readonly string[] => text.split(/(?<=\n)/u);
  for (const line of lines(before)) expect(said).toContainEqual(['archive', line]);
  for (const line of lines(after)) expect(said).toContainEqual(['file', line]);
  fs.rmSync(home.file);
  await read.catchUp();
  expect((await rawOf(read, home.home)).every((record) => record.ok && record.from === 'archive')).toBe(true);
});

test('a file that was emptied is given back as it was before', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  home.write('');
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(userRow(1, null, 'one'));
  home.write(userRow(1, null, 'one'), userRow(2, 1, 'two'));
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(fs.readFileSync(home.file, 'utf8'));
});

test('a file that is moved keeps its archive and goes on in it', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  const folder = path.join(path.dirname(home.folder), '-home-user-other');
  fs.mkdirSync(folder);
  const moved = path.join(folder, path.basename(home.file));
  fs.renameSync(home.file, moved);
  fs.appendFileSync(moved, assistantRow(2, 1, 'first'));
  await read.catchUp();
  expect(restored(read, home.home, moved)).toBe(userRow(1, null, 'one') + assistantRow(2, 1, 'first'));
});

test('a damaged piece is told with its place, everything else is still given back, and nothing half is written', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  fs.writeFileSync(
    path.join(home.folder, 'b0000000-0000-4000-8000-000000000001.jsonl'),
    userRow(5, null, 'other').replaceAll(sessionId, 'b0000000-0000-4000-8000-000000000001'),
  );
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  home.append(assistantRow(2, 1, 'first'));
  await read.catchUp();
  const number = read.ledger.sources.byPath(home.file)?.number ?? 0;
  const { archive } = read.ledger;
  const start = Buffer.byteLength(userRow(1, null, 'one'));
  const [, second] = [...archive.chunks.pieces(number, 0)];
  expect(second).toMatchObject({ ok: true, start });
  archive.append({
    source: number,
    generation: 0,
    start,
    length: 100,
    codec: 1,
    bytes: Buffer.from('damaged'),
    sha256: new Uint8Array(32),
  });
  fs.rmSync(home.folder, { recursive: true });
  await read.catchUp();
  using back = new Restored(read.ledger, home.home);
  expect(back.files.size).toBe(1);
  expect(back.missing).toEqual([
    { path: home.file, reason: `is not restored: its archived bytes ${start} to ${start + 100} are damaged` },
  ]);
  const names = fs.readdirSync(back.folder, { recursive: true }).map(String);
  expect(names.filter((name) => name.includes(sessionId) || name.endsWith('.tmp'))).toEqual([]);
  const thread = read.ledger.threads.newest(10).findIndex(({ id }) => id === findThread(read.ledger, sessionId).id);
  const [first, damaged] = await rawOf(read, home.home, thread);
  expect(first).toMatchObject({ ok: true, from: 'archive' });
  expect(damaged).toMatchObject({ ok: false });
  expect(damaged?.ok === false ? damaged.reason : '').toContain('damaged');
});

test('a compressed rollout comes back as its compressed bytes, and its records are shown out of them', async () => {
  const from = copyHome(path.join(fixtures, 'codex/01-exec-basic'));
  const [name = ''] = fs
    .readdirSync(from, { recursive: true })
    .map(String)
    .filter((one) => one.endsWith('.jsonl') && one.includes('rollout-'));
  const file = path.join(from, `${name}.zst`);
  const plain = fs.readFileSync(path.join(from, name), 'utf8');
  fs.writeFileSync(file, zstdCompressSync(plain));
  fs.rmSync(path.join(from, name));
  await using read = new HomeLedger(from);
  await read.catchUp();
  expect((await rawOf(read, from)).every((record) => record.ok && record.from === 'file')).toBe(true);
  const before = sha256Of(file);
  fs.rmSync(file);
  await read.catchUp();
  using back = new Restored(read.ledger, from);
  expect(Object.fromEntries(back.files)).toEqual({ [file]: before });
  const records = await rawOf(read, from);
  expect(records.length).toBeGreaterThan(3);
  for (const record of records) {
    expect(record).toMatchObject({ ok: true, from: 'archive' });
    if (record.ok) expect(plain).toContain(`${record.text}\n`);
  }
  fs.rmSync(from, { recursive: true });
});

test('a session that is deleted inside a database comes back with the database as it was, while the others go on', async () => {
  using openclaw = new OpenclawHome();
  const [a, b] = ['0a', '0b'].map((end) => `01a0667f-1680-79a2-81b3-ff25414400${end}`) as [string, string];
  for (const id of [a, b]) {
    openclaw.session(id);
    openclaw.event(id, 1, user(id, 1, null, `first of ${id}`));
  }
  await using read = new HomeLedger(openclaw.home);
  await read.catchUp();
  const before = sessionFiles(read.ledger);
  expect([...before.keys()]).toEqual([openclaw.file, `${openclaw.file}-wal`]);
  openclaw.db.prepare('DELETE FROM session_nodes WHERE current_session_id = ?').run(a);
  openclaw.db.prepare('DELETE FROM session_windows WHERE session_id = ?').run(a);
  openclaw.event(b, 2, answer(b, 2, 1, 'and on it goes'));
  await read.catchUp();
  for (let n = 3; n < 9; n++) {
    openclaw.event(b, n, answer(b, n, n - 1, `more ${n}`));
    await read.catchUp();
  }
  const now = sessionFiles(read.ledger);
  const gone = findThread(read.ledger, a);
  expect(gone.source_gone).toBe(1);
  expect(findThread(read.ledger, b).source_gone).toBe(0);
  using back = new Restored(read.ledger, openclaw.home);
  expect(back.missing).toEqual([]);
  const folders = new Map(
    [a, b].map((id) => [id, path.join(back.folder, findThread(read.ledger, id).id, path.relative(openclaw.home, openclaw.file))]),
  );
  for (const suffix of ['', '-wal']) {
    expect(sha256Of((folders.get(a) ?? '') + suffix)).toBe(before.get(openclaw.file + suffix));
    expect(sha256Of((folders.get(b) ?? '') + suffix)).toBe(now.get(openclaw.file + suffix));
  }
  // Its records are read out of that version.
  const threads = read.ledger.threads.newest(10);
  const records = await rawOf(
    read,
    openclaw.home,
    threads.findIndex(({ id }) => id === gone.id),
  );
  expect(records.map((record) => record.ok && record.from)).toContain('archive');
  expect(records.some((record) => record.ok && record.text.includes(`first of ${a}`))).toBe(true);
  // Seven versions cost little more than what changed.
  expect(read.ledger.archive.versions.totals().native).toBeLessThan(
    2.5 * (fs.statSync(openclaw.file).size + fs.statSync(`${openclaw.file}-wal`).size),
  );
});

test('what a live session left in many small pieces becomes few when it is idle, and goes on being followed', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  for (let n = 2; n < 30; n++) {
    home.append(userRow(n, n - 1, `number ${n}`));
    await read.catchUp();
  }
  home.append('{"torn');
  await read.catchUp();
  const pieces = (): number => read.ledger.archive.totals().pieces;
  expect(pieces()).toBe(30);
  const keeper = (now: number): LedgerKeeper =>
    new LedgerKeeper({
      ledger: read.ledger,
      ingest: read.ingest,
      others: () => Promise.resolve(),
      now: () => now,
      onError: (error) => expect.fail(String(error)),
      onLostKeys: () => expect.fail('no key was lost'),
    });
  await keeper(fs.statSync(home.file).mtimeMs + 1000).compact();
  expect(pieces()).toBe(30);
  await keeper(Date.now() + 3_600_000).compact();
  // What is behind the cursor stays apart: it will be replaced.
  expect(pieces()).toBe(2);
  home.append(`":1}\n${userRow(40, 29, 'on')}`);
  await read.catchUp();
  expect(restored(read, home.home, home.file)).toBe(fs.readFileSync(home.file, 'utf8'));
});
