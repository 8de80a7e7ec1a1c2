/**
 * What tells one file from another and its states apart, without reading it. A file whose facts are all the same as
 * last time is not opened again. `ino` names the file while it lives; the system gives the number away again after a
 * deletion, so whoever relies on it also compares a fingerprint (source.ts).
 */
import type { BigIntStats } from 'node:fs';

export interface FileFacts {
  /** Bytes, as stored. */
  readonly size: number;
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number;
  /** Device and file number: the same through a rename, another after a replacement. A text: Windows uses all 64 bits. */
  readonly ino: string;
  /** Milliseconds since 1970. Where a file system keeps no birth time this is something else: compare it never alone. */
  readonly birthtimeMs: number;
}

export function factsOf(stats: BigIntStats): FileFacts {
  return {
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs / 1000n) / 1000,
    ino: `${stats.dev}:${stats.ino}`,
    birthtimeMs: Number(stats.birthtimeNs / 1000n) / 1000,
  };
}

/** The file is as it was when `before` was taken. */
export function unchanged(before: FileFacts, now: FileFacts): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}
