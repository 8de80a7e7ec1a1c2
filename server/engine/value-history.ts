/** Values as of a position (engine specification 4.4), and the keys of a namespace in order. */
import { compareCodePoints } from './code-points.ts';
import { storedKey } from './place.ts';
import type { Place } from './place.ts';
import type { Json, Version } from './records.ts';
import type { ValueReads } from './rows.ts';
import type { Segment } from './segments.ts';

/** The nearest segment with a version decides; a deletion there is an absence. */
export function readVersion(
  values: ValueReads,
  { namespace, key }: Omit<Place, 'id'>,
  chain: Iterable<Segment>,
): Version<Json> | undefined {
  for (const { conversation, through } of chain) {
    const version = values.version({ id: conversation, namespace, key }, through);
    if (version !== undefined) return version === 'deleted' ? undefined : version;
  }
  return undefined;
}

/**
 * Present values in the order of their keys, one index step a key and segment. `nextKey` gives the smallest stored key behind
 * one, `read` its value; to begin behind the empty stored key is to skip the value without a key.
 */
export function scanKeys(
  after: string | undefined,
  limit: number,
  nextKey: (key: string) => string | undefined,
  read: (key: string) => Version<Json> | undefined,
): { readonly key: string; readonly version: Version<Json> }[] {
  const found: { readonly key: string; readonly version: Version<Json> }[] = [];
  let key = nextKey(storedKey(after));
  while (key !== undefined && found.length < limit) {
    const version = read(key);
    if (version !== undefined) found.push({ key: key.slice(1), version });
    key = nextKey(key);
  }
  return found;
}

/** The smallest of the segments' next keys. */
export function nextVersionKey(
  values: ValueReads,
  { namespace, key }: Omit<Place, 'id'>,
  chain: readonly Segment[],
): string | undefined {
  let smallest: string | undefined;
  for (const { conversation } of chain) {
    const next = values.nextVersionKey({ id: conversation, namespace, key });
    if (next !== undefined && (smallest === undefined || compareCodePoints(next, smallest) < 0)) smallest = next;
  }
  return smallest;
}
