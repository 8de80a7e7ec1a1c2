/**
 * Where records stand: `record_keys` by identity over all files (copies of a record share its key), `aliases` by names that
 * only mean something within one native session (a call id, a message id). Both are known by 64 bits of their names (key-hash.ts). Keys
 * that end in `#` and twelve digits are places in the part that stands before it: they are kept in order, so that the one
 * at or before a place can be found. A key is never moved once it is placed; those of a conversation that is withdrawn are forgotten.
 * A session is known by the number of its first thread.
 */
import type { Database } from 'better-sqlite3';
import { FourRows } from './four-rows.ts';
import { KeyFilter } from './key-filter.ts';
import { KeyHash } from './key-hash.ts';

/** At or behind `entry` of that conversation; entry 0 is its very beginning. */
export interface Position {
  readonly conversation: number;
  readonly entry: number;
}
export interface KeyPosition extends Position {
  readonly session: string;
}

export class KeysTable {
  readonly #statements: Statements | undefined;
  readonly #hash = new KeyHash();
  /** Knows every key of the ledger; absent where the ledger had some before. */
  readonly #filter: KeyFilter | undefined;

  /** In a file of an older Loom, which only that may bring up to date, nothing is found. */
  constructor(db: Database) {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'record_places'").get() === undefined) return;
    this.#statements = statementsOf(db);
    const some = db.prepare('SELECT EXISTS (SELECT 1 FROM record_keys) OR EXISTS (SELECT 1 FROM record_places)').pluck().get();
    if (!db.readonly && some === 0) this.#filter = new KeyFilter();
  }

  put(key: string, { session, ...position }: KeyPosition): void {
    this.putAll(session, [[key, position]]);
  }
  /** Keys of records of one session, which has a thread. */
  putAll(session: string, keys: Iterable<readonly [string, Position]>): void {
    const { put, putPlace } = this.#writing();
    const number = this.#session(session);
    let part: { readonly name: string; readonly number: number } | undefined;
    put.write((add) => {
      for (const [key, { conversation, entry }] of keys) {
        const hash = this.#hash.take(key);
        this.#filter?.add(hash);
        const place = placeOf(key);
        if (place === undefined) {
          add(hash.value, number, conversation, entry);
          continue;
        }
        if (part?.name !== place.part) part = { name: place.part, number: this.#part(place.part) };
        putPlace.run(part.number, place.ordinal, number, conversation, entry);
      }
    });
  }
  get(key: string): KeyPosition | undefined {
    if (this.#statements === undefined) return undefined;
    const hash = this.#hash.take(key);
    if (this.#filter?.mayHave(hash) === false) return undefined;
    const place = placeOf(key);
    return place === undefined
      ? (this.#statements.get.get(hash.value) as KeyPosition | undefined)
      : (this.#statements.getPlace.get(place.part, place.ordinal, place.ordinal) as KeyPosition | undefined);
  }
  /** The greatest key that is <= `key` and begins with `floor`, of keys that are places of one part; of others only `key` itself. */
  floor(key: string, floor: string): KeyPosition | undefined {
    const place = placeOf(key);
    if (place === undefined || floor !== `${place.part}#`) return key.startsWith(floor) ? this.get(key) : undefined;
    return this.#statements?.getPlace.get(place.part, 0, place.ordinal) as KeyPosition | undefined;
  }
  putAlias(native: number, alias: string, position: Position): void {
    this.putAliases(native, [[alias, position]]);
  }
  /** An alias means what it was given last. */
  putAliases(native: number, aliases: Iterable<readonly [string, Position]>): void {
    const { putAlias } = this.#writing();
    putAlias.write((add) => {
      for (const [alias, { conversation, entry }] of aliases) add(native, this.#hash.take(alias).value, conversation, entry);
    });
  }
  getAlias(native: number, alias: string): Position | undefined {
    return this.#statements?.getAlias.get(native, this.#hash.take(alias).value) as Position | undefined;
  }
  /** Everything that stands in the conversation; reads the whole tables. */
  forget(session: string, conversation: number): void {
    const { forget, forgetPlaces } = this.#writing();
    const number = this.#session(session);
    forget.run(number, conversation);
    forgetPlaces.run(number, conversation);
  }
  forgetAliases(native: number): void {
    this.#writing().forgetAliases.run(native);
  }

  #session(name: string): number {
    const number = this.#writing().session.get(name) as number | null;
    if (number === null) throw new Error(`no thread has the session ${name}`);
    return number;
  }

  #part(name: string): number {
    const { putPart, part } = this.#writing();
    putPart.run(name);
    return part.get(name) as number;
  }

  #writing(): Statements {
    if (this.#statements === undefined) throw new Error('the ledger has the tables of an older version');
    return this.#statements;
  }
}

type Statements = ReturnType<typeof statementsOf>;

function statementsOf(db: Database) {
  return {
    put: new FourRows(db, 'INSERT OR IGNORE INTO record_keys (hash, session, conversation, entry)'),
    putPlace: db.prepare(
      'INSERT OR IGNORE INTO record_places (part, ordinal, session, conversation, entry) VALUES (?, ?, ?, ?, ?)',
    ),
    putPart: db.prepare('INSERT OR IGNORE INTO record_parts (name) VALUES (?)'),
    part: db.prepare('SELECT number FROM record_parts WHERE name = ?').pluck(),
    session: db.prepare('SELECT min(number) FROM threads WHERE session = ?').pluck(),
    get: db.prepare(
      `SELECT t.session, k.conversation, k.entry FROM record_keys k CROSS JOIN threads t ON t.number = k.session
       WHERE k.hash = ?`,
    ),
    getPlace: db.prepare(
      `SELECT t.session, p.conversation, p.entry FROM record_parts r
       CROSS JOIN record_places p ON p.part = r.number CROSS JOIN threads t ON t.number = p.session
       WHERE r.name = ? AND p.ordinal >= ? AND p.ordinal <= ? ORDER BY p.ordinal DESC LIMIT 1`,
    ),
    putAlias: new FourRows(db, 'INSERT OR REPLACE INTO aliases (native, hash, conversation, entry)'),
    getAlias: db.prepare('SELECT conversation, entry FROM aliases WHERE native = ? AND hash = ?'),
    forget: db.prepare('DELETE FROM record_keys WHERE session = ? AND conversation = ?'),
    forgetPlaces: db.prepare('DELETE FROM record_places WHERE session = ? AND conversation = ?'),
    forgetAliases: db.prepare('DELETE FROM aliases WHERE native = ?'),
  };
}

const digits = 12;

/** A place in a part: `part#000000000012`. */
function placeOf(key: string): { readonly part: string; readonly ordinal: number } | undefined {
  const hash = key.length - digits - 1;
  if (hash < 0 || key.charCodeAt(hash) !== 0x23) return undefined;
  const ordinal = key.slice(hash + 1);
  return /^\d+$/.test(ordinal) ? { part: key.slice(0, hash), ordinal: Number(ordinal) } : undefined;
}
