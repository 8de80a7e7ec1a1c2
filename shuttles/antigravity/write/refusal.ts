/**
 * Why no conversation may be put into a home: everything that is known of agy's private files must be there as it is known. The version is
 * one of those whose databases were recorded, the index has the known columns, and the newest conversations that the program itself wrote
 * have the known schema and speak the known fields. Looks at copies and changes nothing.
 */
import type { Databases, Tables } from '../../contract/container.ts';
import type { Sidecars } from '../../contract/read.ts';
import type { Environment, WriteAim } from '../../contract/shuttle.ts';
import { isOlder } from '../../kit/version.ts';
import { isConversationId } from '../places.ts';
import { anyDecodes } from '../store/conversation.ts';
import { fingerprintOf, isKnownSummaries, recordedFingerprint } from '../store/schema.ts';
import { trajectorySource, trajectoryType } from './database.ts';
import { filesOf } from './files.ts';

/** The first and the last version of which the schema was recorded. */
const [oldest, newest] = ['1.0.7', '1.2.11'];
/** Conversations that are looked at. */
const mostNeighbours = 3;

export function refusalOf(
  { nativeId, programVersion }: WriteAim,
  environment: Environment,
  beside: Sidecars,
  databases: Databases,
): string | undefined {
  const { root, conversations, conversation, index, presence, lock } = filesOf(environment, nativeId);
  if (programVersion === undefined)
    return `The version of agy cannot be told, and only ${oldest} to ${newest} are known to keep conversations as Loom writes them.`;
  if (isOlder(programVersion, oldest) || isOlder(newest, programVersion))
    return `This is agy ${programVersion}, and only ${oldest} to ${newest} are known to keep conversations as Loom writes them.`;
  const stores = beside.list(conversations);
  if (stores.length === 0) return `agy has no conversation in ${root} yet that Loom could compare with: begin one there first.`;
  const isNamed = (name: string): boolean => name.toLowerCase().startsWith(nativeId.toLowerCase());
  if (stores.some(isNamed)) return `There is a conversation already: ${conversation}`;
  if (beside.list(presence).some(isNamed)) return `agy has it open: ${lock}`;
  const listed = databases.look(index, root, (tables) => (isKnownSummaries(tables) ? newestIn(tables, nativeId) : 'unknown'));
  if (listed === undefined) return `agy’s list of conversations cannot be read just now: ${index}`;
  if (listed === 'unknown') return `agy’s list of conversations is of a form that Loom does not know: ${index}`;
  if (listed === 'taken') return `There is a conversation of that name already in ${index}`;
  const names = listed.map((id) => `${id}.db`).filter((name) => stores.includes(name));
  const neighbours = names.slice(0, mostNeighbours).map((name) => conversation.slice(0, -`${nativeId}.db`.length) + name);
  if (neighbours.length === 0)
    return `None of agy’s conversations in ${root} can be compared with: begin one there first, and have it answered.`;
  for (const file of neighbours) {
    const isKnown = databases.look(file, root, isKnownNeighbour);
    if (isKnown === undefined) return `A conversation of agy’s cannot be read just now: ${file}`;
    if (!isKnown) return `agy keeps its conversations in a form that Loom does not know: ${file}`;
  }
  return undefined;
}

/** Ids of the program's own conversations, newest first. */
function newestIn(tables: Tables, nativeId: string): readonly string[] | 'taken' {
  const taken = tables.all('SELECT 1 FROM conversation_summaries WHERE lower(conversation_id) = ?', nativeId.toLowerCase());
  if (taken.length > 0) return 'taken';
  return tables
    .all(
      "SELECT conversation_id FROM conversation_summaries WHERE app_data_dir = 'antigravity-cli' AND step_count > 0 ORDER BY last_modified_time DESC LIMIT 100",
    )
    .map((row) => String(row['conversation_id']))
    .filter(isConversationId);
}

function isKnownNeighbour(tables: Tables): boolean {
  if (fingerprintOf(tables) !== recordedFingerprint || !anyDecodes(tables)) return false;
  const own = tables.all(
    'SELECT 1 FROM trajectory_meta WHERE trajectory_type = ? AND source = ?',
    trajectoryType,
    trajectorySource,
  );
  return own.length > 0 && tables.all('SELECT 1 FROM steps WHERE step_format <> 0 LIMIT 1').length === 0;
}
