/**
 * Heights of all rows, measured or estimated, with sums in O(log n): a Fenwick tree. Pixels. Offsets are of a row's upper
 * edge. Row indices out of range are clamped by the caller.
 */

export class Heights {
  #heights: Float64Array;
  /** 1-based: `#sums[i]` is the sum of the `i & -i` heights that end with row i - 1. */
  #sums: Float64Array;
  #length: number;

  constructor(heights: readonly number[]) {
    const room = Math.max(64, heights.length * 2);
    this.#heights = new Float64Array(room);
    this.#sums = new Float64Array(room + 1);
    this.#length = heights.length;
    this.#heights.set(heights);
    for (let i = 1; i <= this.#length; i += 1) {
      this.#sums[i] = (this.#sums[i] ?? 0) + this.height(i - 1);
      const parent = i + (i & -i);
      if (parent <= this.#length) this.#sums[parent] = (this.#sums[parent] ?? 0) + (this.#sums[i] ?? 0);
    }
  }

  get length(): number {
    return this.#length;
  }
  get total(): number {
    return this.offset(this.#length);
  }
  height(index: number): number {
    return this.#heights[index] ?? 0;
  }

  /** Sum of the heights before `index`. */
  offset(index: number): number {
    let sum = 0;
    for (let i = Math.min(index, this.#length); i > 0; i -= i & -i) sum += this.#sums[i] ?? 0;
    return sum;
  }

  /** The row that covers `y`: the last one whose upper edge is at or above it. */
  find(y: number): number {
    let at = 0;
    let left = y;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#length))); step >= 1; step /= 2) {
      const next = at + step;
      const sum = this.#sums[next] ?? 0;
      if (next <= this.#length && sum <= left) {
        at = next;
        left -= sum;
      }
    }
    return Math.max(0, Math.min(at, this.#length - 1));
  }

  set(index: number, height: number): void {
    if (index < 0 || index >= this.#length) return;
    const change = height - this.height(index);
    if (change === 0) return;
    this.#heights[index] = height;
    for (let i = index + 1; i <= this.#length; i += i & -i) this.#sums[i] = (this.#sums[i] ?? 0) + change;
  }

  /** A row at the end. */
  push(height: number): void {
    if (this.#length === this.#heights.length) this.#grow();
    this.#heights[this.#length] = height;
    this.#length += 1;
    const i = this.#length;
    this.#sums[i] = height + this.offset(i - 1) - this.offset(i - (i & -i));
  }

  #grow(): void {
    const heights = new Float64Array(this.#heights.length * 2);
    heights.set(this.#heights);
    const sums = new Float64Array(heights.length + 1);
    sums.set(this.#sums);
    this.#heights = heights;
    this.#sums = sums;
  }
}
