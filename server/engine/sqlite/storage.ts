/**
 * One session in a SQLite file, by the storage port (engine specification 7.5). Holds no rows: every read is an indexed query, and
 * nothing is kept of what was read. The last sequence number is read from the file, so that another process's reader is never
 * behind it, until the handle has committed: from then on it is the session's one writer and knows.
 */
import { Rejected } from '../errors.ts';
import type { CommitBatch, Id } from '../records.ts';
import { sequenceOf } from '../sequence.ts';
import { RowReads } from '../row-reads.ts';
import type { Storage } from '../storage.ts';
import { boundRows } from './bound-rows.ts';
import type { Tables } from './tables.ts';
import type { Transaction } from './transaction.ts';
import { writeBatch } from './write.ts';

export class SqliteStorage extends RowReads implements Storage {
  readonly #tables: Tables;
  readonly #transaction: Transaction;
  readonly #session: number;
  /** Kinds that are surely in the file: only added to once their commit is durable. */
  readonly #knownKinds = new Set<string>();
  /** Of this handle's own last commit. */
  #last: Id | undefined;
  #closed = false;

  constructor(tables: Tables, transaction: Transaction, session: number) {
    super(boundRows(tables, session));
    this.#tables = tables;
    this.#transaction = transaction;
    this.#session = session;
  }

  override get lastSeq(): Id {
    return this.#last ?? super.lastSeq;
  }

  /** The session's number in the file, for those who keep rows of their own beside it. */
  get session(): number {
    return this.#session;
  }

  async commit(batch: CommitBatch, within?: () => void): Promise<{ readonly first: Id; readonly last: Id }> {
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const known = this.lastSeq;
    // Whatever a failure leaves is read from the file.
    this.#last = undefined;
    const { newKinds, ...written } = this.#transaction.run(() => this.#write(batch, known, within));
    for (const kind of newKinds) this.#knownKinds.add(kind);
    this.#last = written.last;
    return written;
  }

  /** Ends this handle; the connection is its opener's. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#last = undefined;
  }

  #write(batch: CommitBatch, known: Id, within: (() => void) | undefined) {
    const { first, last } = sequenceOf(batch, known);
    const newKinds = writeBatch(this.#tables, this.#session, batch, first, this.#knownKinds);
    within?.();
    if (last >= first) this.#tables.sessions.advance(this.#session, first, last);
    return { first, last, newKinds };
  }
}
