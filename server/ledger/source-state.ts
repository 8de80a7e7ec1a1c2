/**
 * A reader's state as a source's row keeps it. States are bounded but repeat themselves (what is known of the last messages and
 * calls): compressed they take a fifth. Short ones stay text, and so does what the next batch of the same file replaces.
 */
import { compress, decompress } from '../engine/sqlite/pack-codec.ts';

export interface StoredState {
  /** The state; '' when it is packed. */
  readonly state: string;
  /** The codec in one byte, then the compressed UTF-8. */
  readonly packed: Uint8Array | null;
}

/** Characters from which on it pays. */
const least = 1024;
/** The same where it will not stay for long. */
const leastPassing = 64 * 1024;

/** `isPassing`: more of its file is about to be read. */
export function stateStored(state: string, isPassing: boolean): StoredState {
  if (state.length < (isPassing ? leastPassing : least)) return { state, packed: null };
  const { codec, bytes } = compress(Buffer.from(state));
  return { state: '', packed: Buffer.concat([Uint8Array.of(codec), bytes]) };
}

/** Throws `DamagedBytes`. */
export function storedState({ state, packed }: StoredState): string {
  if (packed === null) return state;
  return Buffer.from(decompress(packed[0] ?? 0, packed.subarray(1))).toString();
}
