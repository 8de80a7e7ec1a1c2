/**
 * Lists. A list without a past holds its elements and forgets what is removed. A rewindable one holds every element ever appended
 * and when what was hidden: a clear hides all before it, a removal one element, which may be an inherited one.
 */
import { cut, newestAt, remove } from './ordered.ts';
import { Places } from './places.ts';
import type { StoredText } from './stored-text.ts';
import type { Range } from '../paging.ts';
import type { Place } from '../place.ts';
import type { Element, Id, Json } from '../records.ts';
import type { ListReads } from '../rows.ts';

interface Stored {
  readonly id: Id;
  /** JSON. */
  text: string;
}
interface History {
  readonly elements: Stored[];
  readonly clears: { readonly id: Id }[];
  /** When an element was removed first. */
  readonly removals: Map<Id, Id>;
}

export class Lists implements ListReads {
  readonly #current = new Places<Stored[]>();
  readonly #histories = new Places<History>();

  append(place: Place, seq: Id, text: string): void {
    const elements = this.#current.get(place);
    if (elements === undefined) this.#current.set(place, [{ id: seq, text }]);
    else elements.push({ id: seq, text });
  }

  remove(place: Place, element: Id): void {
    const elements = this.#current.get(place);
    if (elements === undefined) return;
    remove(elements, element);
    if (elements.length === 0) this.#current.delete(place);
  }

  clear(place: Place): void {
    this.#current.delete(place);
  }

  /** All lists without a past of a conversation or a task. */
  drop(id: Id): void {
    this.#current.drop(id);
  }

  appendRewindable(place: Place, seq: Id, text: string): void {
    this.#history(place).elements.push({ id: seq, text });
  }

  markRemoved(place: Place, element: Id, seq: Id): void {
    const { removals } = this.#history(place);
    if (!removals.has(element)) removals.set(element, seq);
  }

  markCleared(place: Place, seq: Id): void {
    this.#history(place).clears.push({ id: seq });
  }

  /** Every element that is stored, with a way to put another JSON text there. */
  *texts(): Generator<StoredText, void, undefined> {
    const text = (place: Place, rewind: boolean, stored: Stored): StoredText => ({
      place,
      rewind,
      text: stored.text,
      replace: (by) => void (stored.text = by),
    });
    for (const [place, elements] of this.#current.entries()) for (const stored of elements) yield text(place, false, stored);
    for (const [place, { elements }] of this.#histories.entries()) for (const stored of elements) yield text(place, true, stored);
  }

  elements(place: Place, rewind: boolean, range: Range, limit: number): Element<Json>[] {
    const stored = rewind ? this.#histories.get(place)?.elements : this.#current.get(place);
    return cut(stored ?? [], range, limit).map(({ id, text }) => ({ id, value: JSON.parse(text) as Json }));
  }

  newestClear(place: Place, at: Id): Id {
    return newestAt(this.#histories.get(place)?.clears ?? [], at)?.id ?? 0;
  }

  removed(place: Place, elements: readonly Id[], at: Id): Id[] {
    const removals = this.#histories.get(place)?.removals;
    return removals === undefined ? [] : elements.filter((id) => (removals.get(id) ?? Infinity) <= at);
  }

  #history(place: Place): History {
    let history = this.#histories.get(place);
    if (history === undefined) {
      history = { elements: [], clears: [], removals: new Map() };
      this.#histories.set(place, history);
    }
    return history;
  }
}
