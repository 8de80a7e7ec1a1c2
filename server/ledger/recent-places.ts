/** Places by their hashes in memory: 131,072 of them take 8 MB. */
import type { Position } from './keys-table.ts';
import type { Hash, HashedPlace } from './place-block.ts';

/** Words of a slot that `#hashes` and `#numbers` have. */
const hashWords = 2;
const numberWords = 3;

export class RecentPlaces {
  /** A name that is there already: its place becomes the new one (true), or stays (false). */
  readonly #moves: boolean;
  #slots = 256;
  #hashes = new Int32Array(this.#slots * hashWords);
  /** Owner (0: the slot is free), conversation, entry. */
  #numbers = new Float64Array(this.#slots * numberWords);
  #size = 0;

  constructor(moves: boolean) {
    this.#moves = moves;
  }

  get size(): number {
    return this.#size;
  }

  put(place: HashedPlace): void {
    if (this.#size * 4 >= this.#slots * 3) this.#grow();
    const slot = this.#slotOf(place.low, place.high);
    const isNew = this.#numbers[slot * numberWords] === 0;
    if (!isNew && !this.#moves) return;
    if (isNew) this.#size++;
    this.#hashes[slot * hashWords] = place.low;
    this.#hashes[slot * hashWords + 1] = place.high;
    this.#numbers[slot * numberWords] = place.owner;
    this.#numbers[slot * numberWords + 1] = place.conversation;
    this.#numbers[slot * numberWords + 2] = place.entry;
  }

  get({ low, high }: Hash): (Position & { readonly owner: number }) | undefined {
    const slot = this.#slotOf(low, high);
    const owner = this.#numbers[slot * numberWords] ?? 0;
    if (owner === 0) return undefined;
    const conversation = this.#numbers[slot * numberWords + 1] ?? 0;
    return { owner, conversation, entry: this.#numbers[slot * numberWords + 2] ?? 0 };
  }

  /** All of them, in the order of their hashes. */
  sorted(): readonly HashedPlace[] {
    const hashes = new BigInt64Array(this.#size);
    // The same memory in halves, as `KeyHash` has it: a bigint for each would be an object.
    const halves = new Int32Array(hashes.buffer);
    let count = 0;
    for (let slot = 0; slot < this.#slots; slot++)
      if (this.#numbers[slot * numberWords] !== 0) {
        halves[count++] = this.#hashes[slot * hashWords] ?? 0;
        halves[count++] = this.#hashes[slot * hashWords + 1] ?? 0;
      }
    hashes.sort();
    const places: HashedPlace[] = [];
    for (let at = 0; at < count; at += 2) {
      const [low, high] = [halves[at] ?? 0, halves[at + 1] ?? 0];
      const slot = this.#slotOf(low, high) * numberWords;
      const owner = this.#numbers[slot] ?? 0;
      places.push({ low, high, owner, conversation: this.#numbers[slot + 1] ?? 0, entry: this.#numbers[slot + 2] ?? 0 });
    }
    return places;
  }

  /** Where it stands, or is to stand. */
  #slotOf(low: number, high: number): number {
    const last = this.#slots - 1;
    for (let slot = low & last; ; slot = (slot + 1) & last) {
      if (this.#numbers[slot * numberWords] === 0) return slot;
      if (this.#hashes[slot * hashWords] === low && this.#hashes[slot * hashWords + 1] === high) return slot;
    }
  }

  #grow(): void {
    const [hashes, numbers, slots] = [this.#hashes, this.#numbers, this.#slots];
    this.#slots *= 2;
    this.#hashes = new Int32Array(this.#slots * hashWords);
    this.#numbers = new Float64Array(this.#slots * numberWords);
    for (let slot = 0; slot < slots; slot++) {
      if (numbers[slot * numberWords] === 0) continue;
      const low = hashes[slot * hashWords] ?? 0;
      const high = hashes[slot * hashWords + 1] ?? 0;
      const free = this.#slotOf(low, high);
      this.#hashes[free * hashWords] = low;
      this.#hashes[free * hashWords + 1] = high;
      for (let word = 0; word < numberWords; word++)
        this.#numbers[free * numberWords + word] = numbers[slot * numberWords + word] ?? 0;
    }
  }
}
