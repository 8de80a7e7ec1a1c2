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

export interface Difference {
  /** To be read, newest first. `moved`: the same file under another path. */
  readonly changed: readonly { readonly file: FoundFile; readonly known: KnownSource | undefined; readonly moved: boolean }[];
  readonly gone: readonly KnownSource[];
  readonly unchanged: number;
}

/** `closed`: folders that cannot be read now. What is known below them is not gone. */
export function difference(
  found: readonly FoundFile[],
  known: readonly KnownSource[],
  closed: readonly string[] = [],
): Difference {
  const byPath = new Map(known.map((source) => [source.path, source]));
  const onDisk = new Set(found.map((file) => file.path));
  const missing = known.filter((source) => !onDisk.has(source.path));
  const missingByIdentity = new Map(
    missing.filter((source) => source.identity !== '').map((source) => [source.identity, source]),
  );
  const moved = new Set<number>();
  const changed: { file: FoundFile; known: KnownSource | undefined; moved: boolean }[] = [];
  let unchanged = 0;
  for (const file of found) {
    const source = byPath.get(file.path);
    if (source === undefined) {
      const from = missingByIdentity.get(file.ino);
      const isMove = from !== undefined && from.harness === file.harness && file.size >= from.offset && !moved.has(from.number);
      if (isMove) moved.add(from.number);
      changed.push({ file, known: isMove ? from : undefined, moved: isMove });
    } else if (isUnchanged(source, file)) {
      unchanged++;
    } else {
      changed.push({ file, known: source, moved: false });
    }
  }
  changed.sort((a, b) => b.file.mtimeMs - a.file.mtimeMs || (a.file.path < b.file.path ? -1 : 1));
  return {
    changed,
    gone: missing.filter(
      (source) =>
        source.status !== 'gone' &&
        !moved.has(source.number) &&
        !closed.some((folder) => source.path === folder || isBelow(source.path, folder)),
    ),
    unchanged,
  };
}

function isUnchanged(source: KnownSource, file: FoundFile): boolean {
  const settled = source.status === 'current' || source.status === 'ignored' || source.status === 'unreadable';
  return settled && source.size === file.size && source.mtime === file.mtimeMs && source.identity === file.ino;
}
