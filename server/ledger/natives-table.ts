/** The `natives` table: a native session of a harness, the thread it belongs to, and what its files told of it. */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface NativeRow {
  readonly number: number;
  readonly harness: HarnessId;
  readonly native_id: string;
  readonly thread: number;
  readonly session: string;
  /** A subagent: number of the native session that started it. */
  readonly child_of: number | null;
  readonly child_call: string | null;
  readonly child_title: string | null;
  readonly head_key: string | null;
  readonly head_exact: number;
  /** `SessionFacts` as JSON. */
  readonly facts: string;
  readonly written_by_loom: number;
  readonly path: string;
}

const columns =
  'number, harness, native_id, thread, session, child_of, child_call, child_title, head_key, head_exact, facts, written_by_loom, path';

export class NativesTable {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #move: Statement;
  readonly #byNumber: Statement;
  readonly #byNativeId: Statement;
  readonly #byAnyNativeId: Statement;
  readonly #byThread: Statement;
  readonly #children: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO natives (harness, native_id, thread, session, child_of, child_call, child_title, written_by_loom, path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#update = db.prepare(
      'UPDATE natives SET thread = @thread, child_call = @child_call, child_title = @child_title, head_key = @head_key, head_exact = @head_exact, facts = @facts, path = @path WHERE number = @number',
    );
    this.#move = db.prepare('UPDATE natives SET thread = ?, session = ?, head_key = NULL, head_exact = 0 WHERE number = ?');
    this.#byNumber = db.prepare(`SELECT ${columns} FROM natives WHERE number = ?`);
    this.#byNativeId = db.prepare(`SELECT ${columns} FROM natives WHERE harness = ? AND native_id = ?`);
    this.#byAnyNativeId = db.prepare(`SELECT ${columns} FROM natives WHERE native_id = ? LIMIT 2`);
    this.#byThread = db.prepare(`SELECT ${columns} FROM natives WHERE thread = ${integer} ORDER BY number`);
    this.#children = db.prepare(`SELECT ${columns} FROM natives WHERE child_of = ${integer} ORDER BY number`);
  }

  insert(row: Omit<NativeRow, 'number' | 'head_key' | 'head_exact' | 'facts'>): number {
    const { harness, native_id, thread, session, child_of, child_call, child_title, written_by_loom, path } = row;
    return Number(
      this.#insert.run(harness, native_id, thread, session, child_of, child_call, child_title, written_by_loom, path)
        .lastInsertRowid,
    );
  }
  update(row: NativeRow): void {
    this.#update.run(row);
  }
  /** To another thread, in another engine session or in the same. */
  move(number: number, thread: number, session: string): void {
    this.#move.run(thread, session, number);
  }
  byNumber(number: number): NativeRow | undefined {
    return this.#byNumber.get(number) as NativeRow | undefined;
  }
  byNativeId(harness: HarnessId, id: string): NativeRow | undefined {
    return this.#byNativeId.get(harness, id) as NativeRow | undefined;
  }
  byAnyNativeId(id: string): readonly NativeRow[] {
    return this.#byAnyNativeId.all(id) as NativeRow[];
  }
  byThread(thread: number): readonly NativeRow[] {
    return this.#byThread.all(thread) as NativeRow[];
  }
  children(native: number): readonly NativeRow[] {
    return this.#children.all(native) as NativeRow[];
  }
}
