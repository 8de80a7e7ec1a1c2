/**
 * What the tables tell of a session beside its events, as a record in front of them. It has no length: it is given anew whenever the
 * session is read further, and makes no entry. Of the rows only what the reader takes up is carried.
 */
import type { Tables } from '../../contract/container.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { parseObject } from '../../kit/fields.ts';
import { isSubagentKey } from '../names.ts';
import { resetOf } from './archives.ts';
import { hasEvents } from './events.ts';

/** The type of the record; no event of OpenClaw has it. */
export const sessionRecordType = 'loom.session';

type Row = Readonly<Record<string, unknown>>;

export function sessionRecord(
  tables: Tables,
  there: ReadonlySet<string>,
  name: string,
  position: number,
): NativeRecord | undefined {
  const reset = resetOf(tables, there, name);
  const value =
    reset === undefined
      ? ofWindow(tables, there, name)
      : { sessionId: reset.id, key: reset.key, archived: !hasEvents(tables, reset.id) };
  if (value === undefined) return undefined;
  return { ok: true, offset: position, length: 0, value: { type: sessionRecordType, ...value } };
}

function ofWindow(tables: Tables, there: ReadonlySet<string>, id: string): JsonObject | undefined {
  const window = tables.all('SELECT * FROM session_windows WHERE session_id = ?', id)[0];
  if (window === undefined) return undefined;
  const key = text(window, 'session_key') ?? '';
  const node = tables.all('SELECT * FROM session_nodes WHERE session_key = ?', key)[0] ?? {};
  const isCurrent = text(node, 'current_session_id') === id;
  const parentKey = text(node, 'parent_session_key') ?? text(node, 'spawned_by') ?? text(window, 'parent_session_key');
  const parent = parentKey === undefined || !isSubagentKey(key) ? undefined : currentOf(tables, parentKey);
  return defined({
    sessionId: id,
    key,
    entry: entryOf(window, node),
    reason: text(window, 'reason'),
    previous: text(window, 'previous_session_id'),
    forkedFrom: text(node, 'fork_source_session_id'),
    parent,
    external: text(window, 'hook_external_content_source'),
    archived: isCurrent && typeof node['archived_at'] === 'number' ? true : undefined,
    version: there.has('schema_meta')
      ? text(tables.all('SELECT app_version AS version FROM schema_meta LIMIT 1')[0] ?? {}, 'version')
      : undefined,
    leaf: leafOf(tables, there, id),
  });
}

/** Columns are newer than the fields of the entry, which they were taken from. */
function entryOf(window: Row, node: Row): JsonObject {
  const entry = parseObject(text(node, 'entry_json') ?? '') ?? {};
  const pick = (name: string): JsonValue | undefined => (Object.hasOwn(entry, name) ? entry[name] : undefined);
  return defined({
    label: text(node, 'label') ?? pick('label'),
    subject: pick('subject'),
    groupChannel: pick('groupChannel'),
    displayName: text(window, 'display_name') ?? text(node, 'display_name') ?? pick('displayName'),
    chatType: text(window, 'chat_type') ?? pick('chatType'),
    channel: text(window, 'channel') ?? pick('channel'),
    createdVia: text(node, 'created_via') ?? pick('createdVia'),
  });
}

function currentOf(tables: Tables, key: string): string | undefined {
  return text(tables.all('SELECT current_session_id AS id FROM session_nodes WHERE session_key = ?', key)[0] ?? {}, 'id');
}

/** Where the active path ends, when the index over it is up to date. */
function leafOf(tables: Tables, there: ReadonlySet<string>, id: string): string | undefined {
  if (!there.has('session_transcript_index_state')) return undefined;
  const row = tables.all(
    `SELECT leaf_event_id AS leaf FROM session_transcript_index_state s
     WHERE session_id = ? AND needs_rebuild = 0
       AND indexed_seq = (SELECT max(seq) FROM transcript_events e WHERE e.session_id = s.session_id)`,
    id,
  )[0];
  return text(row ?? {}, 'leaf');
}

function text(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function defined(value: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}
