/**
 * Is a database of the kind whose fields are known? Its version and the columns of the tables that are read must be exactly those of
 * agy 1.0.4 to 1.2.11; anything else is another format, of which no text is guessed.
 */
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

function version(tables: Tables): unknown {
  return tables.all('SELECT user_version FROM pragma_user_version')[0]?.['user_version'];
}

function columnsOf(tables: Tables, table: string): string {
  return tables
    .all('SELECT name, type FROM pragma_table_info(?) ORDER BY cid', table)
    .map(({ name, type }) => `${String(name)} ${String(type).toLowerCase()}`)
    .join(', ');
}
