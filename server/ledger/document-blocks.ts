/**
 * The `documents` table: blocks of documents with consecutive numbers, of one conversation and one hour. An emptied block keeps its
 * numbers, so that they stand for nothing and are given to no other document.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import { documentIn, packDocuments, unpackDocuments } from './document-block.ts';
import type { BlockDocument } from './document-block.ts';
import { hourNumbers, originOf } from './document-numbers.ts';

export interface DocumentRow extends BlockDocument {
  readonly number: number;
  readonly thread: number;
  readonly conversation: number;
}

/** To find one document all of its block are read. */
const mostInBlock = 64;

interface Block {
  readonly first: number;
  readonly count: number;
  readonly thread: number;
  readonly conversation: number;
  /** Without bytes: its documents were taken out. */
  readonly packed: Uint8Array;
}

/** The same as a list: a search reads hundreds. */
type BlockColumns = readonly [
  first: Block['first'],
  count: Block['count'],
  thread: Block['thread'],
  conversation: Block['conversation'],
  packed: Block['packed'],
];

export class DocumentBlocks {
  readonly #insert: Statement;
  readonly #free: Statement;
  readonly #before: Statement;
  readonly #empty: Statement;
  readonly #all: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO documents (first, count, thread, conversation, packed) VALUES (?, ?, ?, ?, ?)');
    this.#free = db
      .prepare('SELECT first + count FROM documents WHERE first >= ? AND first < ? ORDER BY first DESC LIMIT 1')
      .pluck();
    this.#before = db
      .prepare(
        `SELECT first, count, thread, conversation, packed FROM documents WHERE first <= ${integer} ORDER BY first DESC LIMIT 1`,
      )
      .raw();
    this.#all = db.prepare('SELECT first, count, thread, conversation, packed FROM documents');
    this.#empty = db.prepare("UPDATE documents SET packed = x'' WHERE thread = ? AND conversation = ?");
  }

  /** The first number of that hour, or of one behind it, behind which none is used in its hour. */
  free(hour: number): number {
    for (let first = hour * hourNumbers; ; first += hourNumbers) {
      const free = this.#freeFrom(first);
      if (free < first + hourNumbers) return free;
    }
  }

  /** Behind the numbers that documents of that hour can have: it may have used up its own, and those of hours behind it. */
  end(hour: number): number {
    for (let first = hour * hourNumbers; ; first += hourNumbers)
      if (this.#freeFrom(first) < first + hourNumbers) return first + hourNumbers;
  }

  #freeFrom(first: number): number {
    return (this.#free.get(first, first + hourNumbers) as number | undefined) ?? first;
  }

  /** Their numbers ascend, and their times are kept ones. Those that stand together are to come together. */
  write(rows: readonly DocumentRow[]): void {
    for (let from = 0; from < rows.length;) {
      const first = rows[from];
      if (first === undefined) return;
      let end = from + 1;
      while (end < rows.length && goesOn(first, end - from, rows[end])) end++;
      this.#write(first, rows.slice(from, end));
      from = end;
    }
  }

  #write({ number, thread, conversation }: DocumentRow, rows: readonly DocumentRow[]): void {
    this.#insert.run(number, rows.length, thread, conversation, packDocuments(rows, originOf(number)));
  }

  /**
   * For documents that are asked for from the newest to the oldest: each block is read once. undefined: taken out, or damaged, of which
   * `onDamaged` hears with the number of the thread.
   */
  reader(onDamaged: (thread: number) => void): (number: number) => DocumentRow | undefined {
    let block: BlockColumns | undefined;
    return (number) => {
      if (block === undefined || number < block[0]) block = this.#before.get(number) as BlockColumns | undefined;
      if (block === undefined) return undefined;
      const [first, count, thread, conversation, packed] = block;
      if (number >= first + count || packed.length === 0) return undefined;
      const document = documentIn(packed, originOf(first), number - first);
      if (document === undefined) {
        onDamaged(thread);
        return undefined;
      }
      const { entry, kind, at, length } = document;
      return { entry, kind, at, length, number, thread, conversation };
    };
  }

  /** Numbers of threads of which a block cannot be read, with each block again. Reads the whole table. */
  damaged(): readonly number[] {
    const found: number[] = [];
    for (const { first, count, thread, packed } of this.#all.iterate() as IterableIterator<Block>)
      if (packed.length > 0 && unpackDocuments(packed, originOf(first)).length !== count) found.push(thread);
    return found;
  }

  /** Takes out the documents of a conversation. Reads the whole table. */
  empty(thread: number, conversation: number): void {
    this.#empty.run(thread, conversation);
  }
}

/** Does the row belong into the block that begins with `first`, as its document behind the first `count`? */
function goesOn(first: DocumentRow, count: number, row: DocumentRow | undefined): boolean {
  return (
    row !== undefined &&
    count < mostInBlock &&
    row.number === first.number + count &&
    row.number % hourNumbers !== 0 &&
    row.thread === first.thread &&
    row.conversation === first.conversation
  );
}
