/** What is stored of a pack of entries is not what was written. Its code is one of SQLite's for a damaged file, which this is a case of. */
export class DamagedPack extends Error {
  readonly code = 'SQLITE_CORRUPT_PACK';

  constructor(what: string, cause?: unknown) {
    super(`a pack of entries is damaged: ${what}`, { cause });
    this.name = 'DamagedPack';
  }
}
