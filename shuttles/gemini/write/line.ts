/** One record as a line, ids that are unique in a session, and texts that servers take. Pure: the same seed gives the same ids. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../contract/json.ts';
import { uuidText } from '../../kit/uuid-v7.ts';

/**
 * Texts and names with NUL or half a character make requests fail: they become the replacement character. The program also cuts lines at
 * the separators U+2028 and U+2029, which JSON writes as they are: escaped they stay in their line.
 */
export function lineOf(record: JsonObject): string {
  const line = JSON.stringify(record, sendable).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${line}\n`;
}

function sendable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return plain(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const odd = Object.keys(value).some((name) => plain(name) !== name);
  return odd ? Object.fromEntries(Object.entries(value).map(([name, member]) => [plain(name), member as unknown])) : value;
}

function plain(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The id of a message: a UUID that only this place of this writing has. */
export function messageId(seed: string, index: number): string {
  const digest = createHash('sha256').update(`${seed}/${index}`).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x40;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(digest);
}

/**
 * Ids of calls: letters, digits and single dashes, each once. The program takes a tool's name and `__` in front of an id for its own
 * mark and leaves it out of requests (0.61). `suffix` keeps them apart from those of a file that is not known whole.
 */
export function callIds(suffix = ''): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    const base = `${id.replaceAll(/[^A-Za-z0-9-]+/g, '-').slice(0, 44) || 'call'}${suffix}`;
    let unique = base;
    for (let n = 2; used.has(unique); n++) unique = `${base}-${n}`;
    used.add(unique);
    return unique;
  };
}
