/**
 * Is a database of the kind whose fields are known? Its version and the columns of the tables that are read must be exactly those of
 * agy 1.0.4 to 1.2.11; anything else is another format, of which no text is guessed. Beside what is written, everything must be as it is
 * known: there the whole schema counts.
 */
import { createHash } from 'node:crypto';
import type { Tables } from '../../contract/container.ts';

const conversation: Readonly<Record<string, string>> = {
  trajectory_meta: 'trajectory_id text, cascade_id text, trajectory_type integer, source integer',
  steps:
    'idx integer, step_type integer, status integer, has_subtrajectory numeric, metadata blob, error_details blob, permissions blob, task_details blob, render_info blob, step_payload blob, step_format integer',
  gen_metadata: 'idx integer, data blob, size integer',
  trajectory_metadata_blob: 'id text, data blob',
};

export function isKnownConversation(tables: Tables): boolean {
  return version(tables) === 1 && Object.entries(conversation).every(([table, columns]) => columnsOf(tables, table) === columns);
}

/** The index has gained columns over time: those that are read must be there. */
const indexed = ['conversation_id', 'title', 'last_modified_time', 'workspace_uris', 'parent_conversation_id'];

export function isKnownIndex(tables: Tables): boolean {
  const names = tables.all("SELECT name FROM pragma_table_info('conversation_summaries')").map(({ name }) => String(name));
  return indexed.every((name) => names.includes(name));
}

/**
 * The statements of all tables and indices, and the version: the form in which agy-reader has recorded it of databases of agy 1.0.7, 1.1.9
 * and 1.2.11 (https://github.com/mjacobs/agy-reader, COMPATIBILITY.md).
 */
export function fingerprintOf(tables: Tables): string {
  const statements = tables.all('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name');
  const text = [...statements.map(({ sql }) => String(sql)), String(version(tables))].map((line) => `${line}\n`).join('');
  return createHash('sha256').update(text).digest('hex');
}
export const recordedFingerprint = '1ca98426f561fe73223c8620a238405030fdb3014444d970e1300a6009f72f43';

/** The columns of the index of agy 1.1.16 (https://github.com/xhluca/session-migrate): name, type, may it be NULL, default, key. */
const summaries = [
  'conversation_id text null key',
  'title text ""',
  'preview text ""',
  'step_count integer 0',
  'last_modified_time datetime',
  'workspace_uris text',
  'status text ""',
  'source text ""',
  'project_id text ""',
  'agent_name text ""',
  'parent_conversation_id text ""',
  'nesting_depth integer 0',
  'battle_id text ""',
  'winning_conversation_id text ""',
  'not_fully_idle numeric false',
  'killed numeric false',
  'last_user_input_time datetime',
  'last_user_input_step_index integer -1',
  'app_data_dir text ""',
];

/** Exactly the columns that are known, and nothing in the database that would do more than keep them. */
export function isKnownSummaries(tables: Tables): boolean {
  const others = tables.all("SELECT type, name FROM sqlite_schema WHERE type <> 'index' AND name <> 'conversation_summaries'");
  const columns = tables
    .all(
      `SELECT name, type, "notnull" AS filled, dflt_value AS preset, pk FROM pragma_table_info('conversation_summaries') ORDER BY cid`,
    )
    .map(({ name, type, filled, preset, pk }) =>
      [
        name,
        String(type).toLowerCase(),
        ...(filled === 0 ? ['null'] : []),
        ...(preset === null ? [] : [preset]),
        ...(pk === 1 ? ['key'] : []),
      ]
        .map(String)
        .join(' '),
    );
  return others.length === 0 && columns.join('\n') === summaries.join('\n');
}

function version(tables: Tables): unknown {
  return tables.all('SELECT user_version FROM pragma_user_version')[0]?.['user_version'];
}

function columnsOf(tables: Tables, table: string): string {
  return tables
    .all('SELECT name, type FROM pragma_table_info(?) ORDER BY cid', table)
    .map(({ name, type }) => `${String(name)} ${String(type).toLowerCase()}`)
    .join(', ');
}
