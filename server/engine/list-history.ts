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
  const hiddenOf = (elements: readonly Element<Json>[], upTo: number): ReadonlySet<Id> => {
    const hidden = new Set<Id>();
    const ids = elements.map((element) => element.id);
    for (const segment of visible.slice(0, upTo + 1))
      for (const id of lists.removed(place(segment), ids, segment.through)) hidden.add(id);
    return hidden;
  };
  const read = (segment: Segment, { low, high, order }: Range, wanted: number): Element<Json>[] => {
    const found: Element<Json>[] = [];
    let [from, to] = [low, high];
    while (found.length < wanted && from <= to) {
      const chunk = lists.elements(place(segment), true, { low: from, high: to, order }, wanted);
      const hidden = hiddenOf(chunk, visible.indexOf(segment));
      for (const element of chunk) if (!hidden.has(element.id) && found.length < wanted) found.push(element);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < wanted) break;
      if (order === 'asc') from = last.id + 1;
      else to = last.id - 1;
    }
    return found;
  };
  return readSegments(visible, { ...range, low: Math.max(range.low, cleared + 1) }, limit, read);
}
