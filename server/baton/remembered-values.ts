/**
 * Values that are looked for in every text: does a text hold one of them? Each has pieces of three characters, and a text is looked at
 * every few characters only, since a value that stands in it covers one such place with one of its pieces. Exact; linear in the text.
 */

interface Piece {
  readonly value: string;
  /** Where the piece begins in the value. */
  readonly offset: number;
}

/** Values are at least so long. */
export const shortestValue = 8;
const pieceLength = 3;
const stride = shortestValue - pieceLength + 1;
const slots = 1 << 15;

const slotOf = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (slots - 1);

export class RememberedValues {
  /** Slots that have pieces; made with the first value, since most maskers live for one text. */
  #used: Uint8Array | undefined;
  readonly #pieces = new Map<number, Piece[]>();
  #count = 0;

  /** A value that is not there yet; not shorter than `shortestValue`. */
  add(value: string): void {
    if (value.length < shortestValue) throw new RangeError('The value is too short to be looked for.');
    this.#count++;
    const used = (this.#used ??= new Uint8Array(slots));
    for (let offset = 0; offset < stride; offset++) {
      const slot = slotOf(value, offset);
      const pieces = this.#pieces.get(slot);
      if (pieces === undefined) this.#pieces.set(slot, [{ value, offset }]);
      else pieces.push({ value, offset });
      used[slot] = 1;
    }
  }

  delete(value: string): void {
    this.#count--;
    for (let offset = 0; offset < stride; offset++) {
      const slot = slotOf(value, offset);
      const left = (this.#pieces.get(slot) ?? []).filter((piece) => piece.value !== value);
      if (left.length > 0) this.#pieces.set(slot, left);
      else {
        this.#pieces.delete(slot);
        if (this.#used !== undefined) this.#used[slot] = 0;
      }
    }
  }

  isIn(text: string): boolean {
    const used = this.#used;
    if (used === undefined || this.#count === 0) return false;
    const end = text.length - pieceLength;
    for (let at = 0; at <= end; at += stride) {
      const slot = slotOf(text, at);
      if (used[slot] === 1 && this.#standsAt(slot, text, at)) return true;
    }
    return false;
  }

  #standsAt(slot: number, text: string, at: number): boolean {
    for (const { value, offset } of this.#pieces.get(slot) ?? [])
      if (at >= offset && text.startsWith(value, at - offset)) return true;
    return false;
  }
}
