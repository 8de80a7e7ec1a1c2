/** Values: the one current version of session, sticky and scratch values, every version of rewindable ones. */
import { newestAt } from './ordered.ts';
import { Places } from './places.ts';
import type { StoredText } from './stored-text.ts';
import type { Place } from '../place.ts';
import type { Id, Json, Version } from '../records.ts';
import type { ValueReads } from '../rows.ts';

interface Stored {
  readonly id: Id;
  /** JSON; null for a deletion. */
  text: string | null;
}

export class Values implements ValueReads {
  readonly #current = new Places<Stored>();
  readonly #versions = new Places<Stored[]>();

  set(place: Place, seq: Id, text: string): void {
    this.#current.set(place, { id: seq, text });
  }

  delete(place: Place): void {
    this.#current.delete(place);
  }

  addVersion(place: Place, seq: Id, text: string | null): void {
    const versions = this.#versions.get(place);
    if (versions === undefined) this.#versions.set(place, [{ id: seq, text }]);
    else versions.push({ id: seq, text });
  }

  /** All current values of a conversation or a task. */
  drop(id: Id): void {
    this.#current.drop(id);
  }

  /** JSON of the value that the next write to the place replaces. */
  textOf(place: Place, rewind: boolean): string | undefined {
    return (rewind ? this.#versions.get(place)?.at(-1) : this.#current.get(place))?.text ?? undefined;
  }

  /** Every value that is stored, with a way to put another JSON text there. */
  *texts(): Generator<StoredText, void, undefined> {
    const text = (place: Place, rewind: boolean, stored: Stored): StoredText[] =>
      stored.text === null ? [] : [{ place, rewind, text: stored.text, replace: (by) => void (stored.text = by) }];
    for (const [place, stored] of this.#current.entries()) yield* text(place, false, stored);
    for (const [place, versions] of this.#versions.entries()) for (const stored of versions) yield* text(place, true, stored);
  }

  readonly current = (place: Place): Version<Json> | undefined => toVersion(this.#current.get(place));

  readonly nextKey = (place: Place): string | undefined => this.#current.nextKey(place);

  readonly version = (place: Place, at: Id): Version<Json> | 'deleted' | undefined => {
    const stored = newestAt(this.#versions.get(place) ?? [], at);
    return stored === undefined ? undefined : (toVersion(stored) ?? 'deleted');
  };

  readonly nextVersionKey = (place: Place): string | undefined => this.#versions.nextKey(place);
}

function toVersion(stored: Stored | undefined): Version<Json> | undefined {
  return stored === undefined || stored.text === null ? undefined : { seq: stored.id, value: JSON.parse(stored.text) as Json };
}
