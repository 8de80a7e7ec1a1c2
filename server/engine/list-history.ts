/**
 * A list as of a position: elements of the conversation and of its ancestors up to their cutoffs, newest segment's clear first to
 * hide everything before it, single removals of any nearer segment hiding one element (engine specification 4.2, 4.4).
 */
import type { Range } from './paging.ts';
import type { Place } from './place.ts';
import type { Element, Id, Json } from './records.ts';
import type { ListReads } from './rows.ts';
import { readSegments } from './segments.ts';
import type { Segment } from './segments.ts';

export function readRewindable(
  lists: ListReads,
  { namespace, key }: Omit<Place, 'id'>,
  chain: Iterable<Segment>,
  range: Range,
  limit: number,
): Element<Json>[] {
  const place = (segment: Segment): Place => ({ id: segment.conversation, namespace, key });
  const visible: Segment[] = [];
  let cleared = 0;
  for (const segment of chain) {
    visible.push(segment);
    cleared = lists.newestClear(place(segment), segment.through);
    if (cleared > 0) break;
  }
  const hiddenOf = (elements: readonly Element<Json>[]): ReadonlySet<Id> => {
    const ids = elements.map(({ id }) => id);
    return new Set(visible.flatMap((segment) => lists.removed(place(segment), ids, segment.through)));
  };
  const found: Element<Json>[] = [];
  let { low, high } = { ...range, low: Math.max(range.low, cleared + 1) };
  // Every level is asked once a chunk; chunks grow, so that many removed elements are passed in few of them.
  for (let size = limit; found.length < limit; size = Math.max(size, Math.min(most, 2 * size))) {
    const chunk = readSegments(visible, { low, high, order: range.order }, size, (segment, part, wanted) =>
      lists.elements(place(segment), true, part, wanted),
    );
    const hidden = hiddenOf(chunk);
    for (const element of chunk) if (!hidden.has(element.id) && found.length < limit) found.push(element);
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < size) break;
    if (range.order === 'asc') low = last.id + 1;
    else high = last.id - 1;
  }
  return found;
}

const most = 1000;
