/** Stored bytes of a pack as text. Bytes that are none are damage, where a lenient decoder would give other text of the same length. */
import { DamagedPack } from './damaged-pack.ts';

// A mark at the start is text like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `DamagedPack`. */
export function packText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new DamagedPack('its text is not UTF-8', error);
  }
}
