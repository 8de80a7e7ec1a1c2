/**
 * Transcripts that the database keeps as one compressed text: those in cold storage, and those that `/new` set aside and that are not
 * yet published as a file. A record's position is its line. What was deleted in the app stays hidden.
 */
import type { HeldSession, Tables } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { lineRecord, unpack, type Unpacked } from './events.ts';

const mostArchiveBytes = 256 * 1024 * 1024;
const resets = `session_transcript_archives WHERE reason = 'reset' AND published_at IS NULL`;
const colds = `session_transcript_cold_archives WHERE storage = 'sqlite'`;

export function archivedSessions(tables: Tables, there: ReadonlySet<string>): readonly HeldSession[] {
  const cold = there.has('session_transcript_cold_archives')
    ? tables.all(`SELECT session_id AS id, event_count AS length, archived_at AS at FROM ${colds}`)
    : [];
  const reset = there.has('session_transcript_archives')
    ? tables.all(`SELECT session_id AS id, generation, encoding, archive_blob AS blob, created_at AS at FROM ${resets}`)
    : [];
  return [
    ...cold.flatMap(({ id, length, at }) => (typeof id === 'string' && typeof length === 'number' ? [held(id, length, at)] : [])),
    ...reset.flatMap(({ id, generation, encoding, blob, at }) => {
      const text = textOf(encoding, blob);
      // One that cannot be unpacked has one record, which says so.
      return [held(resetName(String(id), String(generation)), text.ok ? Math.max(1, linesOf(text.text).length) : 1, at)];
    }),
  ];
}

/** Undefined: it is no archive. */
export function archivedRecords(
  tables: Tables,
  there: ReadonlySet<string>,
  name: string,
  from: number,
): Iterable<NativeRecord> | undefined {
  const reset = resetOf(tables, there, name);
  const row =
    reset === undefined
      ? there.has('session_transcript_cold_archives')
        ? tables.all(`SELECT 'zstd' AS encoding, archive_blob AS blob FROM ${colds} AND session_id = ?`, name)[0]
        : undefined
      : tables.all(
          `SELECT encoding, archive_blob AS blob FROM ${resets} AND session_id = ? AND generation = ?`,
          reset.id,
          reset.generation,
        )[0];
  return row === undefined ? undefined : records(textOf(row['encoding'], row['blob']), from);
}

export interface Reset {
  readonly id: string;
  readonly generation: string;
  readonly key: string;
}

/** Of a name that `archivedSessions` gave to a transcript that was set aside. */
export function resetOf(tables: Tables, there: ReadonlySet<string>, name: string): Reset | undefined {
  if (!name.startsWith(resetPrefix) || !there.has('session_transcript_archives')) return undefined;
  return tables
    .all(`SELECT session_id AS id, generation, session_key AS key FROM ${resets}`)
    .map(({ id, generation, key }) => ({ id: String(id), generation: String(generation), key: String(key) }))
    .find(({ id, generation }) => resetName(id, generation) === name);
}

/** No session id holds a colon. */
const resetPrefix = 'reset:';
function resetName(id: string, generation: string): string {
  return `${resetPrefix}${generation}:${id}`;
}

function held(name: string, length: number, at: unknown): HeldSession {
  return { name, length, ...(typeof at === 'number' ? { updatedAt: at } : {}) };
}

function textOf(encoding: unknown, blob: unknown): Unpacked {
  if (!(blob instanceof Uint8Array)) return { ok: false, reason: 'the row holds no archive' };
  if (encoding === 'zstd') return unpack(blob, mostArchiveBytes);
  return { ok: true, text: Buffer.from(blob).toString('utf8') };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function* records(text: Unpacked, from: number): Generator<NativeRecord> {
  if (!text.ok) {
    if (from === 0) yield { ok: false, offset: 0, length: 1, text: '', reason: text.reason };
    return;
  }
  for (const [position, line] of linesOf(text.text).entries()) if (position >= from) yield lineRecord(position, line);
}
