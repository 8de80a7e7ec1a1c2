/**
 * A list as of a position: elements of the conversation and of its ancestors up to their cutoffs, newest segment's clear first to
 * hide everything before it, single removals of any nearer segment hiding one element (engine specification 4.2, 4.4).
 */
import type { Element, Id, Json } from '../records.ts';
import type { ListRows } from './list-rows.ts';
import { readSegments } from './segments.ts';
import type { Range, Segment } from './segments.ts';

type Key = readonly [namespace: string, key: string];

export function readRewindable(
  lists: ListRows,
  session: number,
  [namespace, key]: Key,
  chain: Iterable<Segment>,
  range: Range,
  limit: number,
) {
  const place = (segment: Segment): [number, Id, string, string] => [session, segment.conversation, namespace, key];
  const visible: Segment[] = [];
  let cleared = 0;
  for (const segment of chain) {
    visible.push(segment);
    cleared = lists.newestClear(place(segment), segment.through);
    if (cleared > 0) break;
  }
  const isHidden = (elements: readonly Element<Json>[], upTo: number): ReadonlySet<Id> => {
    const hidden = new Set<Id>();
    const ids = elements.map((element) => element.id);
    for (const segment of visible.slice(0, upTo + 1))
      for (const id of lists.removed(place(segment), ids, segment.through)) hidden.add(id);
    return hidden;
  };
  const read = (segment: Segment, low: Id, high: Id, wanted: number): Element<Json>[] => {
    const found: Element<Json>[] = [];
    let [from, to] = [low, high];
    while (found.length < wanted && from <= to) {
      const chunk = lists.elements(place(segment), true, from, to, range.order, wanted);
      const hidden = isHidden(chunk, visible.indexOf(segment));
      for (const element of chunk) if (!hidden.has(element.id) && found.length < wanted) found.push(element);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < wanted) break;
      if (range.order === 'asc') from = last.id + 1;
      else to = last.id - 1;
    }
    return found;
  };
  return readSegments(visible, { ...range, low: Math.max(range.low, cleared + 1) }, limit, read);
}
