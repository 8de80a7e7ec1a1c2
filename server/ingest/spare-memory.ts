/**
 * Memory that batches are gathered in, for readings in turn: growing it anew for every file takes longer than what is written into it, and
 * what was outgrown waits for garbage collection. Each piece is longer than a batch mostly needs; what of it nobody wrote into takes none.
 */

/** Bytes of a piece. */
const usual = 2 * 1024 * 1024;
/** More than that many are not kept. */
const most = 6;

/** At least twice as long as `memory`, and with its first `held` bytes; `memory` is given away. `spare`: where there is one to take it from. */
export function grown(memory: Buffer, held: number, least: number, spare: SpareMemory | undefined): Buffer {
  const room = Math.max(least, memory.length * 2);
  const longer = spare?.take(room) ?? Buffer.allocUnsafeSlow(room);
  memory.copy(longer, 0, 0, held);
  spare?.give(memory);
  return longer;
}

export class SpareMemory {
  #spare: Buffer[] = [];

  /** At least so many bytes; anything may stand in them. */
  take(least: number): Buffer {
    return (least <= usual ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(usual, least));
  }

  /** Whoever gives it must not use it any more. */
  give(memory: Buffer): void {
    if (memory.length === usual && this.#spare.length < most) this.#spare.push(memory);
  }
}
