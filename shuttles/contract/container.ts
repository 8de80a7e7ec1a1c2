/**
 * Session files that are no stream of lines: a database that holds one or many sessions as rows, or one JSON document. Ingest opens them
 * (a database from a private copy, with its write-ahead log, so that nothing of the harness's is ever written or locked) and reads each
 * session that they hold as a source of its own, record by record. A record's `offset` is its position in the session and its `length` 1;
 * a record of length 0 tells of the session as a whole, may be given with every reading and makes no entry.
 */
import type { NativeRecord, Sidecars } from './read.ts';

/** A copy of the database, open for reading. Throws what SQLite throws for tables that are not there: ingest reports it. */
export interface Tables {
  all(sql: string, ...parameters: readonly (string | number | null)[]): readonly Readonly<Record<string, unknown>>[];
}
/** A database that is to be made: the statements that make its tables, then its rows, in this order. */
export interface NewDatabase {
  readonly schema: string;
  readonly rows: readonly {
    readonly table: string;
    readonly values: Readonly<Record<string, string | number | null | Uint8Array>>;
  }[];
}
/** Databases as writers need them. */
export interface Databases {
  /** The file of it. The same content gives the same bytes. */
  make(content: NewDatabase): Uint8Array;
  /** What a file of that content says. Throws what SQLite throws. */
  read<Found>(bytes: Uint8Array, read: (tables: Tables) => Found): Found;
  /** What a database below `root` says, by a copy of it; undefined: it is not there, cannot be read, or is written to all the time. */
  look<Found>(path: string, root: string, read: (tables: Tables) => Found): Found | undefined;
}
/** The content of a container, as `form` says. */
export type Held =
  | { readonly form: 'database'; readonly path: string; readonly tables: Tables }
  | { readonly form: 'document'; readonly path: string; readonly text: string }
  /** Known to be there and never opened: its content cannot be read by anyone but the harness. */
  | { readonly form: 'listed'; readonly path: string; readonly changedAt?: number };

export interface HeldSession {
  /** The session's name within the container; the source is known as `path#name`. */
  readonly name: string;
  /** How many records may be read: positions are 0 to length - 1. Grows; what was read once stays as it is. */
  readonly length: number;
  /** Time of the newest record, milliseconds since 1970; absent: the file's own. */
  readonly updatedAt?: number;
  /** Another one than before: what was read once has been written anew, and is read from its beginning. */
  readonly generation?: string;
}
export interface Container {
  readonly form: Held['form'];
  /** The form of this file, named relative to the root, when a harness has containers of several; absent: all are `form`. */
  formOf?(relative: string): Held['form'];
  /** Is this one of the root's matching files, named relative to the root, a container? */
  holds(relative: string): boolean;
  /** Throws nothing. `refused`: why the content cannot be read, in a sentence for a person. */
  sessions(held: Held, sidecars: Sidecars): { readonly sessions: readonly HeldSession[] } | { readonly refused: string };
  /** The session's records from that position on. */
  records(held: Held, name: string, from: number, sidecars: Sidecars): Iterable<NativeRecord>;
}
