/** What is stored of a pack of entries is not what was written. Its code is one of SQLite's for a damaged file, which this is a case of. */
import type { PackPlace } from './open-pack.ts';

export class DamagedPack extends Error {
  readonly code = 'SQLITE_CORRUPT_PACK';
  /** Where it lies; undefined: who found the damage had its bytes only. */
  place: PackPlace | undefined;

  constructor(what: string, cause?: unknown) {
    super(`a pack of entries is damaged: ${what}`, { cause });
    this.name = 'DamagedPack';
  }
}

/** Reads something of that pack. `DamagedPack` is thrown with the place. */
export function readingPack<T>(place: PackPlace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedPack) error.place = place;
    throw error;
  }
}
