/**
 * An agent's database (2026.7.2 and later; tables of schema 23) as sessions and records. A session is one window of a session key with the
 * events of its transcript, in the order of `seq`, which is a record's position: times go back, an event may be older than the header in
 * front of it. What a person deleted in the app is not looked at. Rows are asked for in pages, so that no session is held as a whole.
 */
import type { Container, Held, HeldSession, Tables } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { databaseName } from '../names.ts';
import { archivedRecords, archivedSessions } from './archives.ts';
import { eventRecord, hasEvents } from './events.ts';
import { sessionRecord } from './session-record.ts';

const needed = ['session_nodes', 'session_windows', 'transcript_events'] as const;
const pageRows = 200;

export const openclawContainer: Container = {
  form: 'database',
  holds: (relative) => relative.endsWith(`/agent/${databaseName}`),
  sessions(held) {
    const tables = tablesOf(held);
    if (tables === undefined) return { refused: 'it is no database' };
    const there = tableNames(tables);
    const missing = needed.filter((name) => !there.has(name));
    if (missing.length > 0) return { refused: `it has no table ${missing.join(', ')} (schema ${schemaVersion(tables, there)})` };
    const live = liveSessions(tables, there);
    const names = new Set(live.map(({ name }) => name));
    return { sessions: [...live, ...archivedSessions(tables, there).filter(({ name }) => !names.has(name))] };
  },
  *records(held, name, from) {
    const tables = tablesOf(held);
    if (tables === undefined) return;
    const there = tableNames(tables);
    const told = sessionRecord(tables, there, name, from);
    if (told !== undefined) yield told;
    const archived = hasEvents(tables, name) ? undefined : archivedRecords(tables, there, name, from);
    if (archived !== undefined) yield* archived;
    else yield* eventRecords(tables, name, from);
  },
};

function tablesOf(held: Held): Tables | undefined {
  return held.form === 'database' ? held.tables : undefined;
}

function tableNames(tables: Tables): ReadonlySet<string> {
  return new Set(tables.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => String(name)));
}

function schemaVersion(tables: Tables, there: ReadonlySet<string>): string {
  if (!there.has('schema_meta')) return 'unknown';
  const version = tables.all('SELECT schema_version AS version FROM schema_meta LIMIT 1')[0]?.['version'];
  return typeof version === 'number' ? String(version) : 'unknown';
}

/** A window whose transcript has no event yet, or whose events lie in cold storage, is no session here. */
function liveSessions(tables: Tables, there: ReadonlySet<string>): readonly HeldSession[] {
  const generation = there.has('transcript_rewrite_watermarks');
  return tables
    .all(
      `SELECT w.session_id AS id, e.last, max(w.updated_at, ifnull(n.updated_at, 0)) AS updated
         ${generation ? ', g.generation' : ''}
       FROM (SELECT session_id, max(seq) AS last FROM transcript_events GROUP BY session_id) e
       JOIN session_windows w ON w.session_id = e.session_id
       LEFT JOIN session_nodes n ON n.session_key = w.session_key AND n.current_session_id = w.session_id
       ${generation ? 'LEFT JOIN transcript_rewrite_watermarks g ON g.session_id = w.session_id' : ''}`,
    )
    .flatMap(({ id, last, updated, generation: written }) =>
      typeof id === 'string' && typeof last === 'number' && last >= 0
        ? [
            {
              name: id,
              length: last + 1,
              ...(typeof updated === 'number' ? { updatedAt: updated } : {}),
              ...(typeof written === 'string' ? { generation: written } : {}),
            },
          ]
        : [],
    );
}

function* eventRecords(tables: Tables, id: string, from: number): Generator<NativeRecord> {
  for (let next = from; ;) {
    const rows = tables.all(
      `SELECT seq, event_json AS json, event_zstd AS zstd FROM transcript_events
       WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ${pageRows}`,
      id,
      next,
    );
    for (const row of rows) {
      const seq = typeof row['seq'] === 'number' ? row['seq'] : next;
      yield eventRecord(seq, row['json'], row['zstd']);
      next = seq + 1;
    }
    if (rows.length < pageRows) return;
  }
}
