/**
 * What is on disk against what the ledger has: which sources are new, grew, were rewritten, moved or vanished. Opens no file
 * whose identity, size and time are unchanged (invariant 4 of the ledger).
 */
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface FoundFile extends FileFacts {
  readonly path: string;
  readonly root: string;
  readonly harness: HarnessId;
}
export type KnownSource = Pick<
  SourceRow,
  'number' | 'path' | 'harness' | 'native' | 'part' | 'identity' | 'size' | 'mtime' | 'offset' | 'status'
>;

export interface ChangedFile {
  readonly file: FoundFile;
  readonly known: KnownSource | undefined;
  /** The same file under another path. */
  readonly moved: boolean;
}
export interface Difference {
  /** To be read, newest first. */
  readonly changed: readonly ChangedFile[];
  readonly gone: readonly KnownSource[];
}

/** What differs in one place, before it is known where else a file may have come from or gone to. */
export interface Compared {
  readonly changed: readonly { readonly file: FoundFile; readonly known: KnownSource | undefined }[];
  readonly missing: readonly KnownSource[];
}

export function compare(found: readonly FoundFile[], known: readonly KnownSource[]): Compared {
  const byPath = new Map(known.map((source) => [source.path, source]));
  const changed: { file: FoundFile; known: KnownSource | undefined }[] = [];
  for (const file of found) {
    const source = byPath.get(file.path);
    byPath.delete(file.path);
    if (source === undefined || !isUnchanged(source, file)) changed.push({ file, known: source });
  }
  return { changed, missing: [...byPath.values()] };
}

/** Finds the moves among all that differs. `closed`: folders that cannot be read now; what is known below them is not gone. */
export function resolve({ changed, missing }: Compared, closed: readonly string[] = []): Difference {
  const missingByIdentity = new Map(
    missing.filter((source) => source.identity !== '').map((source) => [source.identity, source]),
  );
  const moved = new Set<number>();
  const all = changed.map(({ file, known }): ChangedFile => {
    const from = known === undefined ? missingByIdentity.get(file.ino) : undefined;
    const isMove = from !== undefined && from.harness === file.harness && file.size >= from.offset && !moved.has(from.number);
    if (isMove) moved.add(from.number);
    return { file, known: isMove ? from : known, moved: isMove };
  });
  return {
    changed: all.toSorted((a, b) => b.file.mtimeMs - a.file.mtimeMs || (a.file.path < b.file.path ? -1 : 1)),
    gone: missing.filter(
      (source) =>
        source.status !== 'gone' &&
        !moved.has(source.number) &&
        !closed.some((folder) => source.path === folder || isBelow(source.path, folder)),
    ),
  };
}

function isUnchanged(source: KnownSource, file: FoundFile): boolean {
  const settled = source.status === 'current' || source.status === 'ignored' || source.status === 'unreadable';
  return settled && source.size === file.size && source.mtime === file.mtimeMs && source.identity === file.ino;
}
