/**
 * Archives a file that is no growing list of records as a version of blocks: a slice at a time, so that a database of a gigabyte keeps
 * nobody waiting. What a crash leaves are blocks that no version names; the next version uses or removes them.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { blockBytes } from '../ledger/archive-versions.ts';
import type { VersionPart } from '../ledger/archive-versions.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface WholeFile {
  /** What follows the source's path: '' or '-wal'. */
  readonly suffix: string;
  readonly size: number;
  readonly mtime: number;
  /** The file's bytes from its beginning; each piece is valid until the next one is asked for. */
  readonly pieces: () => Iterable<Uint8Array>;
}

/** Of one version, all files together. */
export const mostWholeBytes = 1024 * 1024 * 1024;
/** Between two slices others are answered. */
const sliceBytes = 2 * 1024 * 1024;

/**
 * `settle` runs in the transaction that makes it the newest version; it hears which one was that before (0: none). false: a file could not be
 * read to its end, and nothing was settled.
 */
export async function archiveWhole(
  ledger: Ledger,
  source: number,
  files: readonly WholeFile[],
  settle: (before: number) => void,
): Promise<boolean> {
  const { versions, absent } = ledger.archive;
  if (files.reduce((sum, { size }) => sum + size, 0) > mostWholeBytes) {
    ledger.transact(() => {
      absent.put(source, 'large');
      settle(versions.newest(source) ?? 0);
    });
    return true;
  }
  const parts: VersionPart[] = [];
  for (const file of files) {
    const part = await archivePart(ledger, source, file);
    if (part.size !== file.size) return false;
    parts.push(part);
  }
  ledger.transact(() => {
    const before = versions.newest(source) ?? 0;
    versions.put(source, parts);
    absent.clear(source);
    settle(before);
    versions.prune(source);
  });
  return true;
}

async function archivePart(ledger: Ledger, source: number, { suffix, mtime, pieces }: WholeFile): Promise<VersionPart> {
  const hash = createHash('sha256');
  const blocks: number[] = [];
  let size = 0;
  for (const slice of slicesOf(pieces())) {
    hash.update(slice);
    size += slice.length;
    ledger.transact(() => {
      for (let at = 0; at < slice.length; at += blockBytes)
        blocks.push(ledger.archive.versions.putBlock(source, slice.subarray(at, at + blockBytes)));
    });
    await setImmediate();
  }
  return { suffix, size, mtime, sha256: hash.digest(), blocks };
}

/** The same bytes in slices of whole blocks; only the last one may be shorter. */
function* slicesOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  const slice = Buffer.allocUnsafe(sliceBytes);
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const taken = Math.min(piece.length - at, sliceBytes - filled);
      slice.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < sliceBytes) continue;
      yield slice;
      filled = 0;
    }
  }
  if (filled > 0) yield slice.subarray(0, filled);
}
