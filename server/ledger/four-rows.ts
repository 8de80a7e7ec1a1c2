/**
 * Rows of four values, written four at a time: of what a short row costs, a third is the call. (More at a time cost more again: SQLite then
 * keeps copies of the pages that one statement changes.)
 */
import type { Database, Statement } from 'better-sqlite3';

type Value = number | bigint;

export class FourRows {
  readonly #one: Statement;
  readonly #four: Statement;
  #held: Value[] = [];

  /** `insert`: a statement up to its VALUES. */
  constructor(db: Database, insert: string) {
    const row = '(?, ?, ?, ?)';
    this.#one = db.prepare(`${insert} VALUES ${row}`);
    this.#four = db.prepare(`${insert} VALUES ${row}, ${row}, ${row}, ${row}`);
  }

  /** What `rows` adds is written when this returns. */
  write(rows: (add: (a: Value, b: Value, c: Value, d: Value) => void) => void): void {
    this.#held = [];
    rows((a, b, c, d) => {
      this.#held.push(a, b, c, d);
      if (this.#held.length === 16) {
        this.#four.run(...this.#held);
        this.#held = [];
      }
    });
    for (let at = 0; at < this.#held.length; at += 4) this.#one.run(...this.#held.slice(at, at + 4));
  }
}
