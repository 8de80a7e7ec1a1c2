/**
 * The `documents` table: blocks of documents with consecutive numbers, of one conversation and one hour. An emptied block keeps its
 * numbers, so that they stand for nothing and are given to no other document.
 */
import type { Database, Statement } from 'better-sqlite3';
import { packDocuments, unpackDocuments } from './document-block.ts';
import type { BlockDocument } from './document-block.ts';
import { hourNumbers, keptTime, originOf } from './document-numbers.ts';

export interface DocumentRow extends BlockDocument {
  readonly number: number;
  readonly thread: number;
  readonly conversation: number;
}

/** To find one document all of its block are read. */
const mostInBlock = 64;

interface Block {
  readonly first: number;
  readonly thread: number;
  readonly conversation: number;
}

export class DocumentBlocks {
  readonly #insert: Statement;
  readonly #free: Statement;
  readonly #before: Statement;
  readonly #empty: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO documents (first, count, thread, conversation, packed) VALUES (?, ?, ?, ?, ?)');
    this.#free = db
      .prepare('SELECT first + count FROM documents WHERE first >= ? AND first < ? ORDER BY first DESC LIMIT 1')
      .pluck();
    this.#before = db.prepare(
      'SELECT first, thread, conversation, packed FROM documents WHERE first <= ? ORDER BY first DESC LIMIT 1',
    );
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

  /** Their numbers ascend. Those that stand together are to come together. */
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
    const kept = rows.map(({ entry, kind, at, length }) => ({ entry, kind, at: keptTime(at), length }));
    const packed = packDocuments(kept, originOf(number));
    this.#insert.run(number, rows.length, thread, conversation, packed);
  }

  /** For documents that are asked for from the newest to the oldest: each block is read once. undefined: taken out. */
  reader(): (number: number) => DocumentRow | undefined {
    let block: Block | undefined;
    let documents: readonly BlockDocument[] = [];
    return (number) => {
      if (block === undefined || number < block.first) {
        const row = this.#before.get(number) as (Block & { readonly packed: Uint8Array }) | undefined;
        block = row;
        documents = row === undefined ? [] : unpackDocuments(row.packed, originOf(row.first));
      }
      const document = block === undefined ? undefined : documents[number - block.first];
      if (block === undefined || document === undefined) return undefined;
      const { thread, conversation } = block;
      return { ...document, number, thread, conversation };
    };
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
