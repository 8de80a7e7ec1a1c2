/**
 * One session in a SQLite file, by the storage port (engine specification 7.5): every read is an indexed query of what is in the file, so that
 * another process's reader is never behind it. Once the handle has committed it is the session's one writer, and knows the last sequence
 * number and the rows that it has just written.
 */
import { Rejected } from '../errors.ts';
import type { CommitBatch, Id } from '../records.ts';
import { sequenceOf } from '../sequence.ts';
import { RowReads } from '../row-reads.ts';
import type { EntryPack, Storage } from '../storage.ts';
import { boundRows } from './bound-rows.ts';
import { checkedPacks } from './pack-check.ts';
import type { CheckedPacks } from './pack-check.ts';
import { RecentRows } from './recent-rows.ts';
import type { Tables } from './tables.ts';
import type { Transaction } from './transaction.ts';
import { writeBatch } from './write.ts';

export class SqliteStorage extends RowReads implements Storage {
  readonly #tables: Tables;
  readonly #transaction: Transaction;
  readonly #session: number;
  /** Kinds that are surely in the file: only added to once their commit is durable. */
  readonly #knownKinds = new Set<string>();
  readonly #recent: RecentRows;
  /** Of this handle's own last commit. */
  #last: Id | undefined;
  #closed = false;

  constructor(tables: Tables, transaction: Transaction, session: number, recent = new RecentRows()) {
    super(boundRows(tables, session, recent));
    this.#recent = recent;
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

  async commit(
    batch: CommitBatch,
    within?: () => void,
    packs: readonly EntryPack[] = [],
  ): Promise<{ readonly first: Id; readonly last: Id }> {
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const known = this.lastSeq;
    const packed = checkedPacks(batch, packs, known + 1);
    // Whatever a failure leaves is read from the file.
    this.#last = undefined;
    this.#recent.pause();
    let written;
    try {
      written = this.#transaction.run(() => this.#write(batch, known, within, packed), batch.writes.length);
    } catch (error) {
      this.#recent.clear();
      this.#tables.packed.release(this.#session);
      this.#tables.packCache.clear();
      throw error;
    }
    const { first, last, newKinds, states } = written;
    for (const kind of newKinds) this.#knownKinds.add(kind);
    this.#recent.committed(batch, first, states);
    this.#last = last;
    this.#tables.packed.claim(this.#session);
    return { first, last };
  }

  /** Ends this handle; the connection is its opener's. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#last = undefined;
    this.#recent.clear();
    this.#tables.packed.release(this.#session);
  }

  #write(batch: CommitBatch, known: Id, within: (() => void) | undefined, packed: CheckedPacks) {
    const { first, last } = sequenceOf(batch, known);
    const written = writeBatch(this.#tables, this.#session, batch, first, this.#knownKinds, this.#recent, packed);
    within?.();
    if (last >= first) this.#tables.sessions.advance(this.#session, first, last);
    return { first, last, ...written };
  }
}
