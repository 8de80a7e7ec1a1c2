/** Places by their hashes in memory: 65,536 of them take 4 MB. */
import type { Position } from './keys-table.ts';
import { hashOf, hashValue } from './place-block.ts';
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
    if (this.#size * 2 >= this.#slots) this.#grow();
    const slot = this.#slotOf(place);
    const isNew = this.#numbers[slot * numberWords] === 0;
    if (!isNew && !this.#moves) return;
    if (isNew) this.#size++;
    this.#hashes[slot * hashWords] = place.low;
    this.#hashes[slot * hashWords + 1] = place.high;
    this.#numbers[slot * numberWords] = place.owner;
    this.#numbers[slot * numberWords + 1] = place.conversation;
    this.#numbers[slot * numberWords + 2] = place.entry;
  }

  get(hash: Hash): (Position & { readonly owner: number }) | undefined {
    return this.#at(this.#slotOf(hash));
  }

  /** All of them, in the order of their hashes. */
  sorted(): readonly HashedPlace[] {
    const hashes = new BigInt64Array(this.#size);
    let count = 0;
    for (let slot = 0; slot < this.#slots; slot++)
      if (this.#numbers[slot * numberWords] !== 0) hashes[count++] = hashValue(this.#hashAt(slot));
    return Array.from(hashes.toSorted(), (value) => {
      const hash = hashOf(value);
      return { ...hash, owner: 0, conversation: 0, entry: 0, ...this.get(hash) };
    });
  }

  #at(slot: number): (Position & { readonly owner: number }) | undefined {
    const owner = this.#numbers[slot * numberWords] ?? 0;
    if (owner === 0) return undefined;
    const conversation = this.#numbers[slot * numberWords + 1] ?? 0;
    return { owner, conversation, entry: this.#numbers[slot * numberWords + 2] ?? 0 };
  }

  #hashAt(slot: number): Hash {
    return { low: this.#hashes[slot * hashWords] ?? 0, high: this.#hashes[slot * hashWords + 1] ?? 0 };
  }

  /** Where it stands, or is to stand. */
  #slotOf({ low, high }: Hash): number {
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
      const [low, high] = hashes.subarray(slot * hashWords, (slot + 1) * hashWords);
      const free = this.#slotOf({ low: low ?? 0, high: high ?? 0 });
      this.#hashes.set(hashes.subarray(slot * hashWords, (slot + 1) * hashWords), free * hashWords);
      this.#numbers.set(numbers.subarray(slot * numberWords, (slot + 1) * numberWords), free * numberWords);
    }
  }
}
