/**
 * A logical transcript as a chain of segments: a conversation's own part, then its parent's up to the cutoff, and so on, every
 * cutoff capped by those nearer (engine specification 4.4, 7.2). Ids in a segment are all greater than those in the next, because
 * a fork's entries are younger than the entry it was forked at; so the walk stops where a range ends.
 */
import type { Range } from './paging.ts';
import type { Id } from './records.ts';

export interface Segment {
  readonly conversation: Id;
  /** Inclusive. */
  readonly through: Id;
}
/** What a walk over ancestors needs, of deleted conversations too. */
export interface Link {
  readonly parent: Id | null;
  readonly at: Id | null;
  readonly owner: Id | null;
  readonly deleted: Id | null;
}

/**
 * Nearest first. Empty for a conversation that is absent or deleted; deleted ancestors are read through. `of` state: ends with an owned
 * conversation, whose state was chosen when it was made, whatever transcript it inherits (4.3).
 */
export function* segments(
  linkOf: (conversation: Id) => Link | undefined,
  conversation: Id,
  through: Id,
  of: 'transcript' | 'state' = 'transcript',
): Generator<Segment, void, undefined> {
  let link = linkOf(conversation);
  if (link === undefined || link.deleted !== null) return;
  let current = conversation;
  let cap = through;
  for (;;) {
    // What is in a conversation is younger than it: one that is younger than the cutoff has nothing there to look for.
    if (current <= cap) yield { conversation: current, through: cap };
    if (link.parent === null || link.at === null || link.parent >= current) return;
    if (of === 'state' && link.owner !== null) return;
    current = link.parent;
    cap = Math.min(cap, link.at);
    if (cap < 1) return;
    link = linkOf(current);
    if (link === undefined) return;
  }
}

/** Up to `limit` items of a range over the chain, each segment read once and only as far as needed. */
export function readSegments<T>(
  chain: Iterable<Segment>,
  { low, high, order }: Range,
  limit: number,
  read: (segment: Segment, range: Range, limit: number) => readonly T[],
): T[] {
  const items: T[] = [];
  const take = (segment: Segment): boolean => {
    const range = { low, high: Math.min(high, segment.through), order };
    for (const item of read(segment, range, limit - items.length)) items.push(item);
    return items.length >= limit;
  };
  if (limit <= 0 || high < low) return items;
  const reached: Segment[] = [];
  for (const segment of chain) {
    if (segment.through < low) break;
    if (order === 'asc') reached.push(segment);
    else if (take(segment)) return items;
  }
  for (const segment of reached.toReversed()) if (take(segment)) break;
  return items;
}
