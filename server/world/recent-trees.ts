/** The contents of trees that were read or written last, by their ids: the next snapshot mostly begins with them. */
export class RecentTrees {
  /** The one that was not needed for longest comes first. */
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  get(id: string): Buffer | undefined {
    const content = this.#contents.get(id);
    if (content === undefined) return undefined;
    this.#contents.delete(id);
    this.#contents.set(id, content);
    return content;
  }

  add(id: string, content: Buffer): void {
    if (content.length > mostBytes || this.get(id) !== undefined) return;
    // Of its own: a part of a larger buffer would keep all of that.
    this.#contents.set(id, Buffer.copyBytesFrom(content));
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= mostBytes) break;
      this.#contents.delete(oldest);
      this.#bytes -= length;
    }
  }
}

const mostBytes = 256 * 1024;
