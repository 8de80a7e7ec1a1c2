/** Values as of a position (engine specification 4.4), and the keys of a namespace in order. */
import type { Id, Json, Version } from '../records.ts';
import type { Segment } from './segments.ts';
import type { ValueRows } from './value-rows.ts';

/** The nearest segment with a version decides; a deletion there is an absence. */
export function readVersion(
  values: ValueRows,
  session: number,
  namespace: string,
  key: string,
  chain: Iterable<Segment>,
): Version<Json> | undefined {
  for (const { conversation, through } of chain) {
    const version = values.version([session, conversation, namespace, key], through);
    if (version !== undefined) return version === 'deleted' ? undefined : version;
  }
  return undefined;
}

/**
 * Present values in the order of their keys, one index step a key and segment. `nextKey` gives the smallest stored key behind
 * one, `read` its value; stored keys have a colon before them, which also skips the value without a key.
 */
export function scanKeys(
  after: string | undefined,
  limit: number,
  nextKey: (key: string) => string | undefined,
  read: (key: string) => Version<Json> | undefined,
): { readonly key: string; readonly version: Version<Json> }[] {
  const found: { readonly key: string; readonly version: Version<Json> }[] = [];
  let key = nextKey(after === undefined ? '' : `:${after}`);
  while (key !== undefined && found.length < limit) {
    const version = read(key);
    if (version !== undefined) found.push({ key: key.slice(1), version });
    key = nextKey(key);
  }
  return found;
}

/** The smallest of the segments' next keys. */
export function nextVersionKey(
  values: ValueRows,
  session: number,
  namespace: string,
  key: string,
  chain: readonly Segment[],
): string | undefined {
  let smallest: string | undefined;
  for (const { conversation } of chain) {
    const next = values.nextVersionKey([session, conversation, namespace, key] satisfies [number, Id, string, string]);
    if (next !== undefined && (smallest === undefined || compareBytes(next, smallest) < 0)) smallest = next;
  }
  return smallest;
}

/** SQLite orders text by its UTF-8 bytes, which is the order of code points, not of UTF-16 units. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
