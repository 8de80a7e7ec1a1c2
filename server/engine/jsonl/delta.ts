/**
 * A value's change as the operations that lead from the previous value to it (engine specification 7.4), so that a large value which
 * changes often does not fill the file. Operations are only used where applying them gives back the new value's very JSON: object
 * key order and reserved names are not theirs to keep. Each change is encoded by itself: it needs the value before it and nothing else.
 */
import { apply, decoder, encoder, isBase, RESERVED_SEGMENTS, track } from '@earendil-works/chord/delta';
import type { WireOp } from '@earendil-works/chord/delta';
import type { Json } from '../records.ts';

/** Below this many characters of JSON a value is written as it is. */
const worthwhile = 512;
const reserved = [...RESERVED_SEGMENTS].map((name) => JSON.stringify(name));

/** Operations stand on paths below one property, because a value need not be an object. */
interface Holder {
  readonly v: Json;
}

/** JSON of the operations; undefined where the value itself is better written. Both arguments are JSON. */
export function operationsBetween(previous: string, next: string): string | undefined {
  if (next.length < worthwhile || reserved.some((name) => previous.includes(name) || next.includes(name))) return undefined;
  try {
    return wireBetween(previous, next);
  } catch (error) {
    // What nests too deep for the operations is written as it is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function wireBetween(previous: string, next: string): string | undefined {
  const value = JSON.parse(next) as Json;
  const tracker = track<{ v: unknown }>({ v: JSON.parse(previous) });
  tracker.flush();
  tracker.state.v = value;
  const changes = tracker.flush();
  if (isBase(changes)) return undefined;
  const wire = JSON.stringify(encoder().encode(changes));
  return wire.length < next.length / 2 && isSame(applied(previous, JSON.parse(wire) as unknown[]), value) ? wire : undefined;
}

/** The new value. Throws whatever the operations' reader throws for operations that do not fit. */
export function applied(previous: string, operations: readonly unknown[]): Json {
  const holder: Holder = { v: JSON.parse(previous) as Json };
  return apply<Holder>(holder, decoder().decode(operations as readonly WireOp[])).v;
}

/** Of values from JSON texts: whether they would be the same text again. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const [ofA, ofB] = [Object.entries(a), Object.entries(b)];
  return ofA.length === ofB.length && ofA.every(([key, value], i) => key === ofB[i]?.[0] && isSame(value, ofB[i]?.[1]));
}
