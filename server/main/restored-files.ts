/** Which files a thread was read from, and what of each the archive can give back. Reads the ledger only. */
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';
import { isCompressed } from '../../shuttles/kit/source.ts';
import { absentWords } from '../ledger/archive-absent.ts';
import type { ArchivedPiece } from '../ledger/archive-chunks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';

export interface RestorableFile {
  /** Where it lay: data, and not a place to write to. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly mtime: number;
  /** Of the whole file, where that was archived with it. */
  readonly sha256: Uint8Array | undefined;
  readonly pieces: () => Iterable<ArchivedPiece>;
}
/** Files that only make sense together: a database and its log. */
export type RestorableSet = readonly RestorableFile[];
export interface Restorable {
  readonly sets: readonly RestorableSet[];
  readonly missing: readonly { readonly path: string; readonly reason: string }[];
}

/** `earlier`: with the states before a file was rewritten, under a name that says so, and files whose session lives on in another one. */
export function restorableFiles(ledger: Ledger, thread: ThreadRow, earlier = false): Restorable {
  const sets: RestorableSet[] = [];
  const missing: { path: string; reason: string }[] = [];
  const containers = new Set<string>();
  for (const native of ledger.natives.byThread(thread.number)) {
    const sources = ledger.sources.byNative(native.number);
    for (const row of sources) {
      if (!earlier && isSucceeded(row, sources)) continue;
      const parts = partsOfHeld(row.path);
      const container = parts === undefined ? undefined : ledger.sources.byPath(parts.file);
      const found = container === undefined ? ofFile(ledger, row, earlier) : ofContainer(ledger, row, container);
      if ('reason' in found) {
        // A worse telling of the session that was never read.
        if (row.status !== 'ignored') missing.push({ path: container?.path ?? row.path, reason: found.reason });
      } else
        for (const { key, files } of found.sets) {
          if (containers.has(key)) continue;
          containers.add(key);
          sets.push(files);
        }
    }
  }
  return { sets, missing: missing.filter((one, i) => i === missing.findIndex((other) => other.path === one.path)) };
}

interface Found {
  readonly sets: readonly { readonly key: string; readonly files: RestorableSet }[];
}
interface Missing {
  readonly reason: string;
}

/** The harness itself goes on in another file of the same name within the session (compressed, copied). */
function isSucceeded(row: SourceRow, sources: readonly SourceRow[]): boolean {
  return (
    row.status === 'gone' &&
    row.part !== '' &&
    sources.some((other) => other.number !== row.number && other.part === row.part && other.status === 'current')
  );
}

function ofFile(ledger: Ledger, row: SourceRow, earlier: boolean): Found | Missing {
  if (isCompressed(row.path)) {
    const version = ledger.archive.versions.newest(row.number);
    return version === undefined ? absence(ledger, row) : versionSet(ledger, row, version);
  }
  const { chunks } = ledger.archive;
  const generations = chunks.generations(row.number);
  const newest = generations.find(({ generation }) => generation === row.generation);
  if (newest === undefined && row.offset > 0) return absence(ledger, row);
  // A file that was emptied is given back as it was before.
  const shown = newest ?? generations.at(-1);
  const wanted = generations.filter((one) => earlier || one === shown);
  if (wanted.length === 0) return absence(ledger, row);
  return {
    sets: wanted.map(({ generation, bytes }) => ({
      key: `${row.number} ${generation}`,
      files: [
        {
          path: generation === shown?.generation ? row.path : `${row.path}.earlier-${generation + 1}`,
          size: bytes,
          mtime: row.mtime,
          sha256: undefined,
          pieces: () => chunks.pieces(row.number, generation, 0),
        },
      ],
    })),
  };
}

function ofContainer(ledger: Ledger, row: SourceRow, container: SourceRow): Found | Missing {
  const { versions } = ledger.archive;
  const held = row.status === 'gone' ? versions.held(row.number, row.generation) : undefined;
  if (held?.version === 0) return { reason: `held the session in a state that is no longer kept` };
  const version = held?.version ?? versions.newest(container.number);
  return version === undefined ? absence(ledger, container) : versionSet(ledger, container, version);
}

function versionSet(ledger: Ledger, file: SourceRow, version: number): Found {
  const { versions } = ledger.archive;
  const files = versions.parts(file.number, version).map(({ suffix, size, mtime, sha256 }) => ({
    path: file.path + suffix,
    size,
    mtime,
    sha256,
    pieces: () => versions.pieces(file.number, version, suffix),
  }));
  return { sets: [{ key: `${file.number} v${version}`, files }] };
}

function absence(ledger: Ledger, file: SourceRow): Missing {
  return { reason: absentWords[ledger.archive.absent.of(file.number) ?? 'gone'] };
}
