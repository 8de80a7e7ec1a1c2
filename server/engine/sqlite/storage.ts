/**
 * One session in a SQLite file, by the storage port (engine specification 7.5). Holds no rows: every read is an indexed query, and
 * nothing is kept of what was read. The last sequence number is read from the file, so that another process's reader is never
 * behind it.
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
  #closed = false;

  constructor(tables: Tables, transaction: Transaction, session: number) {
    super(boundRows(tables, session));
    this.#tables = tables;
    this.#transaction = transaction;
    this.#session = session;
  }

  /** The session's number in the file, for those who keep rows of their own beside it. */
  get session(): number {
    return this.#session;
  }

  async commit(batch: CommitBatch, within?: () => void): Promise<{ readonly first: Id; readonly last: Id }> {
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const { newKinds, ...written } = this.#transaction.run(() => this.#write(batch, within));
    for (const kind of newKinds) this.#knownKinds.add(kind);
    return written;
  }

  /** Ends this handle; the connection is its opener's. */
  async close(): Promise<void> {
    this.#closed = true;
  }

  #write(batch: CommitBatch, within: (() => void) | undefined) {
    const { first, last } = sequenceOf(batch, this.lastSeq);
    const newKinds = writeBatch(this.#tables, this.#session, batch, first, this.#knownKinds);
    within?.();
    if (last >= first) this.#tables.sessions.advance(this.#session, first, last);
    return { first, last, newKinds };
  }
}
