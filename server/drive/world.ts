/** What the world does for a hand-over; given by the composition root (server/main/world.ts). */

export interface World {
  /** A new file below `root`, whole or not at all, never over another. Returns why not, or undefined. */
  readonly writeNew: (root: string, path: string, bytes: Uint8Array, mode: number) => string | undefined;
  /** undefined: there is no such file. Throws when there is one that cannot be read. */
  readonly read: (path: string) => Uint8Array | undefined;
  readonly remove: (path: string) => void;
  /** Unfinished files that `writeNew` had beside the place and that a killed process left. */
  readonly unfinished: (path: string) => readonly string[];
  /** The folder behind links; undefined: there is none. */
  readonly realFolder: (path: string) => string | undefined;
}
