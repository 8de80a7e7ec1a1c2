/**
 * Which sessions have packs, so that the others do not pay for them. Known for good once a session has one, and while its one writer is
 * here, who would have made them; otherwise the file is asked, behind a read of rows: what was moved before it is then seen to have been.
 */
import type { PackRows } from './pack-rows.ts';

export class PackedSessions {
  readonly #packs: PackRows;
  readonly #packed = new Set<number>();
  readonly #without = new Set<number>();

  constructor(packs: PackRows) {
    this.#packs = packs;
  }

  /** Without asking the file. */
  isKnown(session: number): boolean {
    return this.#packed.has(session);
  }

  has(session: number): boolean {
    if (this.#packed.has(session)) return true;
    if (this.#without.has(session)) return false;
    const found = this.#packs.exists(session);
    if (found) this.#packed.add(session);
    return found;
  }

  /** The session's one writer is here. */
  claim(session: number): void {
    if (!this.has(session)) this.#without.add(session);
  }

  release(session: number): void {
    this.#without.delete(session);
  }

  /** It has, or will have when the transaction lasts. */
  add(session: number): void {
    this.#without.delete(session);
    this.#packed.add(session);
  }
}
