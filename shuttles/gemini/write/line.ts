/** One record as a line, ids that are unique in a session, and texts that servers take. Pure: the same seed gives the same ids. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../contract/json.ts';
import { uniqueIds } from '../../kit/call-ids.ts';
import { sendable } from '../../kit/sendable.ts';
import { uuidV4 } from '../../kit/uuid.ts';

/**
 * The program cuts lines at the separators U+2028 and U+2029, which JSON writes as they are: escaped they stay in their line.
 */
export function lineOf(record: JsonObject): string {
  const line = JSON.stringify(record, sendable).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${line}\n`;
}

/** The id of a message: a UUID that only this place of this writing has. */
export function messageId(seed: string, index: number): string {
  return uuidV4(createHash('sha256').update(`${seed}/${index}`).digest());
}

/**
 * Ids of calls: letters, digits and single dashes, each once. The program takes a tool's name and `__` in front of an id for its own
 * mark and leaves it out of requests (0.61). `suffix` keeps them apart from those of a file that is not known whole.
 */
export function callIds(suffix = ''): (id: string) => string {
  return uniqueIds({ odd: /[^A-Za-z0-9-]+/g, instead: '-' }, new Set(), suffix);
}
