/**
 * The `baton_states` table: batons that grow with their conversation, so that one is ready when a program dies. A cache of the
 * entries: a row that is missing, damaged or of another version costs time and nothing else.
 */
import type { Database, Statement } from 'better-sqlite3';
import { compress, DamagedBytes, decompress } from '../engine/sqlite/pack-codec.ts';

export interface BatonStateRow {
  /** Of the rules that made it. */
  readonly version: number;
  /** The newest entry that it holds. */
  readonly through: number;
  /** JSON. */
  readonly state: string;
}

export class BatonStatesTable {
  readonly #get: Statement;
  readonly #through: Statement;
  readonly #put: Statement;

  /** undefined in a file of an older Loom, which has no such table and may only be read. */
  static open(db: Database): BatonStatesTable | undefined {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'baton_states'").get();
    return has === undefined ? undefined : new BatonStatesTable(db);
  }

  private constructor(db: Database) {
    this.#get = db.prepare('SELECT version, through, state FROM baton_states WHERE session = ? AND conversation = ?');
    this.#through = db.prepare('SELECT version, through FROM baton_states WHERE session = ? AND conversation = ?');
    this.#put = db.prepare(
      `INSERT INTO baton_states (session, conversation, version, through, state) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (session, conversation) DO UPDATE SET version = excluded.version, through = excluded.through, state = excluded.state`,
    );
  }

  /** Without its state, which costs unpacking. */
  place(session: string, conversation: number): Omit<BatonStateRow, 'state'> | undefined {
    return this.#through.get(session, conversation) as Omit<BatonStateRow, 'state'> | undefined;
  }

  get(session: string, conversation: number): BatonStateRow | undefined {
    const row = this.#get.get(session, conversation) as { version: number; through: number; state: Uint8Array } | undefined;
    if (row === undefined) return undefined;
    try {
      // The first byte is the codec.
      const state = decompress(row.state[0] ?? -1, row.state.subarray(1), undefined);
      return { version: row.version, through: row.through, state: Buffer.from(state).toString('utf8') };
    } catch (error) {
      if (error instanceof DamagedBytes) return undefined;
      throw error;
    }
  }

  put(session: string, conversation: number, row: BatonStateRow): void {
    const { codec, bytes } = compress(Buffer.from(row.state));
    this.#put.run(session, conversation, row.version, row.through, Buffer.concat([Uint8Array.of(codec), bytes]));
  }
}
