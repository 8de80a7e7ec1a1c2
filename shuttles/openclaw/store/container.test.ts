import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { OpenclawHome, user } from '../../../test/openclaw-home.ts';
import type { Held, HeldSession } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { noSidecars } from '../fixture-records.ts';
import { openclawContainer } from './container.ts';
import { eventRecord, unpack } from './events.ts';

const id = '01a0667f-1680-79a2-81b3-ff254144000a';

function heldOf(home: OpenclawHome): Held {
  return {
    form: 'database',
    path: home.file,
    tables: { all: (sql, ...parameters) => home.db.prepare(sql).all(...parameters) as Record<string, unknown>[] },
  };
}

function sessionsOf(home: OpenclawHome): readonly HeldSession[] {
  const listed = openclawContainer.sessions(heldOf(home), noSidecars);
  if ('refused' in listed) throw new Error(listed.refused);
  return listed.sessions;
}

function recordsOf(home: OpenclawHome, name: string, from = 0): readonly NativeRecord[] {
  return [...openclawContainer.records(heldOf(home), name, from, noSidecars)];
}

function archive(home: OpenclawHome, reason: string, published: number | null, blob: Uint8Array): void {
  home.db
    .prepare(
      `INSERT INTO session_transcript_archives
         (session_id, generation, session_key, reason, encoding, archive_blob, archive_sha256, archive_name, created_at, published_at)
       VALUES (?, ?, 'agent:main:main', ?, 'zstd', ?, ?, ?, 5, ?)`,
    )
    .run(id, `g-${reason}`, reason, blob, 'a'.repeat(64), `${id}.jsonl.${reason}`, published);
}

const lines = [{ type: 'session', version: 4, id }, user(id, 1, null, 'hi')].map((row) => JSON.stringify(row));

test('events come by seq from any position on, plain and compressed, behind what the tables tell', () => {
  using home = new OpenclawHome();
  home.session(id, 'agent:main:main', { display_name: 'Shop' });
  for (let n = 1; n <= 450; n++) home.event(id, n, user(id, n, n - 1, `p${n}`), n % 7 === 0);
  expect(sessionsOf(home)).toEqual([{ name: id, length: 451, updatedAt: 452 }]);
  const [told, ...events] = recordsOf(home, id);
  expect(told).toMatchObject({
    offset: 0,
    length: 0,
    value: { sessionId: id, key: 'agent:main:main', entry: { displayName: 'Shop' } },
  });
  expect(events.map(({ offset, length }) => [offset, length])).toEqual(Array.from({ length: 451 }, (_, seq) => [seq, 1]));
  expect(events.every((record) => record.ok)).toBe(true);
  for (const from of [1, 199, 200, 201, 450, 451]) expect(recordsOf(home, id, from).slice(1)).toEqual(events.slice(from));
  expect(recordsOf(home, 'another')).toEqual([]);
});

test('a gap in the numbers is no loss, and a row that cannot be read is reported in its place', () => {
  using home = new OpenclawHome();
  home.session(id);
  home.event(id, 5, user(id, 5, null, 'far'));
  home.event(id, 7, user(id, 7, 5, 'x'.repeat(2000)), true);
  home.event(id, 9, user(id, 9, 7, 'last'));
  home.db.prepare('UPDATE transcript_events SET event_zstd = ? WHERE seq = 7').run(Buffer.from('no zstd'));
  expect(recordsOf(home, id).map((record) => [record.offset, record.length, record.ok])).toEqual([
    [0, 0, true],
    [0, 1, true],
    [5, 1, true],
    [7, 1, false],
    [9, 1, true],
  ]);
  expect(sessionsOf(home)[0]?.length).toBe(10);
});

test('what is no object, no text or unpacks without end is damage, not an error', () => {
  expect(eventRecord(3, '[1]', null)).toMatchObject({ ok: false, offset: 3, length: 1, reason: 'no JSON object' });
  expect(eventRecord(3, null, null)).toMatchObject({ ok: false, reason: 'the row holds no event' });
  expect(eventRecord(3, 5, 'x')).toMatchObject({ ok: false, reason: 'the row holds no event' });
  expect(unpack(zstdCompressSync(Buffer.alloc(3_000_000)), 1_000_000)).toEqual({
    ok: false,
    reason: 'unpacked it is longer than 1000000 bytes',
  });
  expect(unpack(zstdCompressSync('ünpacked').subarray(0, -3)).ok).toBe(false);
  expect(unpack(zstdCompressSync('ünpacked'))).toEqual({ ok: true, text: 'ünpacked' });
});

test('a transcript in cold storage is its session, one that /new set aside is another, and what was deleted stays hidden', () => {
  using home = new OpenclawHome();
  const blob = zstdCompressSync(lines.join('\n'));
  home.session(id);
  home.db.exec('DELETE FROM transcript_events');
  expect(sessionsOf(home)).toEqual([]);
  archive(home, 'deleted', null, blob);
  expect(sessionsOf(home)).toEqual([]);
  archive(home, 'reset', null, blob);
  const name = `reset:g-reset:${id}`;
  expect(sessionsOf(home)).toEqual([{ name, length: 2, updatedAt: 5 }]);
  expect(recordsOf(home, name)).toMatchObject([
    { length: 0, value: { sessionId: id, archived: true } },
    { offset: 0, length: 1, value: { type: 'session' } },
    { offset: 1, length: 1, value: { type: 'message' } },
  ]);
  // Once it is a file of its own, it is read from there.
  home.db.exec('UPDATE session_transcript_archives SET published_at = 9');
  expect(sessionsOf(home)).toEqual([]);
  home.db
    .prepare(
      `INSERT INTO session_transcript_cold_archives
         (session_id, generation, archive_name, archive_sha256, event_count, raw_bytes, archive_bytes, last_seq, archived_at, storage, archive_blob)
       VALUES (?, 'g', 'n', ?, 2, 1, 1, 1, 8, 'sqlite', ?)`,
    )
    .run(id, 'a'.repeat(64), blob);
  expect(sessionsOf(home)).toEqual([{ name: id, length: 2, updatedAt: 8 }]);
  expect(recordsOf(home, id, 1)).toMatchObject([{ length: 0 }, { offset: 1, value: { type: 'message' } }]);
});

test('what the tables tell of a session: reason and origin of its window, marks, the session above, the end of the active path', () => {
  using home = new OpenclawHome();
  home.session('p', 'agent:main:main');
  home.session(
    id,
    'agent:main:subagent:7',
    {
      reason: 'rewind',
      previous_session_id: 'q',
      hook_external_content_source: 'gmail',
      chat_type: 'direct',
      channel: 'telegram',
    },
    {
      label: 'Column',
      entry_json: JSON.stringify({ label: 'Field', subject: 'S', skillsSnapshot: { prompt: 'long' } }),
      spawned_by: 'agent:main:main',
      archived_at: 4,
      created_via: 'spawn',
    },
  );
  home.event(id, 1, user(id, 1, null, 'hi'));
  home.db.prepare("INSERT INTO session_transcript_index_state VALUES (?, 1, 'leaf', 0, 1, 1, 1)").run(id);
  const told = recordsOf(home, id)[0];
  expect(told?.ok === true ? told.value : {}).toEqual({
    type: 'loom.session',
    sessionId: id,
    key: 'agent:main:subagent:7',
    entry: { label: 'Column', subject: 'S', chatType: 'direct', channel: 'telegram', createdVia: 'spawn' },
    reason: 'rewind',
    previous: 'q',
    parent: 'p',
    external: 'gmail',
    archived: true,
    version: '2026.9.6',
    leaf: 'leaf',
  });
  // An index that is behind says nothing.
  home.event(id, 2, user(id, 2, 1, 'more'));
  expect(recordsOf(home, id)[0]).not.toHaveProperty('value.leaf');
});

test('a database of something else is refused in words', () => {
  using home = new OpenclawHome();
  home.db.exec('DROP TABLE transcript_events');
  expect(openclawContainer.sessions(heldOf(home), noSidecars)).toEqual({
    refused: 'it has no table transcript_events (schema 23)',
  });
  expect(openclawContainer.sessions({ form: 'listed', path: '/x' }, noSidecars)).toEqual({ refused: 'it is no database' });
});
