/**
 * A list that grows at its end and whose earlier versions stay as they were. Versions share one array and differ in how much of it
 * is theirs, so an append costs what it appends; only a second append to the same version copies. A version is laid out as an
 * array of its own once somebody asks for it.
 */

export class GrowingList<T> {
  readonly #shared: T[];
  readonly #length: number;
  #items: readonly T[] | undefined;

  static of<T>(items: readonly T[]): GrowingList<T> {
    return new GrowingList([...items], items.length);
  }

  private constructor(shared: T[], length: number) {
    this.#shared = shared;
    this.#length = length;
  }

  get items(): readonly T[] {
    return (this.#items ??= this.#shared.slice(0, this.#length));
  }

  append(items: readonly T[]): GrowingList<T> {
    const isNewest = this.#shared.length === this.#length;
    const shared = isNewest ? this.#shared : this.#shared.slice(0, this.#length);
    for (const item of items) shared.push(item);
    return new GrowingList(shared, this.#length + items.length);
  }
}
