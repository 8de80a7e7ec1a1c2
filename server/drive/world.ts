/** What the world does for a hand-over; given by the composition root (server/main/world.ts). */
import type { IndexKey } from '../../shuttles/contract/shuttle.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';

export interface World {
  /** A new file below `root`, whole or not at all, never over another. Returns why not, or undefined. */
  readonly writeNew: (root: string, path: string, bytes: Uint8Array, mode: number) => string | undefined;
  /**
   * Puts the bytes behind the end of a regular file below `root` that is as `before` says, and makes them durable. Nothing of what stands
   * before them changes. undefined: they are there, in one piece. Otherwise a beginning of them may be.
   */
  readonly append: (
    root: string,
    path: string,
    before: FileFacts,
    bytes: Uint8Array,
  ) => { readonly kind: 'changed' | 'failed'; readonly detail: string } | undefined;
  /**
   * Ends the file at `offset` when what stands behind that is `isOwn`. `nothing`: nothing stands there. Throws when it cannot be read or
   * cut.
   */
  readonly cutBack: (path: string, offset: number, isOwn: (end: Uint8Array) => boolean) => 'nothing' | 'removed' | 'goneOnWith';
  /** undefined: there is no such file. Throws when there is one that cannot be read. */
  readonly read: (path: string) => Uint8Array | undefined;
  /** Names in a folder; none: it is not there or cannot be read. */
  readonly list: (folder: string) => readonly string[];
  readonly remove: (path: string) => void;
  /** Unfinished files that `writeNew` had beside the place and that a killed process left. */
  readonly unfinished: (path: string) => readonly string[];
  /** A folder below `root`, and those above it. Returns why it is not there, or undefined. */
  readonly makeFolder: (root: string, folder: string) => string | undefined;
  /** Only when it is empty. */
  readonly removeFolder: (folder: string) => void;
  /** A new row in a database below `root`, in one transaction, never over another. Returns why not, or undefined. */
  readonly putRow: (root: string, row: IndexKey, values: Readonly<Record<string, string | number>>) => string | undefined;
  /** Throws when it may be there and cannot be taken away. */
  readonly removeRow: (row: IndexKey) => void;
  /** The folder behind links; undefined: there is none. */
  readonly realFolder: (path: string) => string | undefined;
}
