/**
 * Records in one line: each stands behind the one before it, ids are 8 hex digits that nothing else in the file has, times rise by a
 * millisecond. An id that comes twice can close a circle of parents, on which pi hangs for ever (0.73) or runs out of memory (1.6).
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { uniqueIds } from '../../kit/call-ids.ts';
import { sendable } from '../../kit/sendable.ts';
import { uuidText } from '../../kit/uuid.ts';
import type { Body } from './entries.ts';

export interface Line {
  /** What ids are made of: the same seed gives the same ids. */
  readonly seed: string;
  /** Id of the record that the line begins behind; null: it begins the tree. */
  readonly parent: string | null;
  /** Ids that are in the file already. */
  readonly taken: ReadonlySet<string>;
  /** Is `taken` all of them? If not, ids are whole UUIDs, which pi takes as well. */
  readonly knowsAll: boolean;
  /** Milliseconds since 1970, of the first record. */
  readonly from: number;
}

/** Behind the records: the text that stands in the file, each line ended. */
export function linesOf(bodies: readonly Body[], line: Line): string {
  const taken = new Set(line.taken);
  let { parent } = line;
  return bodies
    .map((body, index) => {
      const id = entryId(line, index, taken);
      const at = line.from + index;
      const { type, ...rest } = body;
      const timed = isTimed(rest['message']) ? { ...rest, message: { ...rest['message'], timestamp: at } } : rest;
      const row = { type, id, parentId: parent, timestamp: new Date(at).toISOString(), ...timed };
      parent = id;
      return lineOf(row);
    })
    .join('');
}

function isTimed(message: JsonValue | undefined): message is JsonObject {
  return typeof message === 'object' && message !== null && !Array.isArray(message);
}

function entryId({ seed, knowsAll }: Line, index: number, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    const digest = createHash('sha256').update(`${seed}/${index}/${attempt}`).digest();
    const id = knowsAll && attempt < 16 ? digest.toString('hex', 0, 4) : uuidText(digest);
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** One record as a line. */
export function lineOf(row: JsonObject): string {
  return `${JSON.stringify(row, sendable)}\n`;
}

/** Ids that every provider takes (`[A-Za-z0-9_-]`, at most 64), and that no other call has: neither of the file nor given before. */
export function callIds(taken: ReadonlySet<string>, suffix = ''): (id: string) => string {
  return uniqueIds({ odd: /[^A-Za-z0-9_-]/g, instead: '_' }, taken, suffix);
}
