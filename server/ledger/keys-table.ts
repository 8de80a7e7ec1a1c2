/**
 * Where records stand: by their keys over all files (copies of a record share its key), and by aliases, names that
 * only mean something within one native session (a call id, a message id). Both are known by 64 bits of their names (key-hash.ts) and
 * kept together (placed-names.ts). Keys that end in `#` and twelve digits are places in the part that stands before it: they are kept in order, so that the one
 * at or before a place can be found. A key is never moved once it is placed; those of a conversation that is withdrawn are forgotten.
 * A session is known by the number of its first thread.
 */
import type { Database } from 'better-sqlite3';
import { text } from '../engine/sqlite/parameter.ts';
import { KeyFilter } from './key-filter.ts';
import { KeyHash, ofOwner } from './key-hash.ts';
import type { Hash, HashedPlace } from './place-block.ts';
import { PlacedNames } from './placed-names.ts';
import type { DamagedNames } from './placed-names.ts';

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
  readonly #keys: PlacedNames | undefined;
  readonly #aliases: PlacedNames | undefined;
  readonly #hash = new KeyHash();
  /** Knows every key of the ledger; absent where the ledger had some before. */
  readonly #filter: KeyFilter | undefined;

  /** In a file of an older Loom, which only that may bring up to date, nothing is found. */
  constructor(db: Database) {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'key_blocks'").get() === undefined) return;
    this.#statements = statementsOf(db);
    this.#keys = new PlacedNames(db, { name: 'key', moves: false });
    this.#aliases = new PlacedNames(db, { name: 'alias', moves: true });
    const places = db.prepare('SELECT EXISTS (SELECT 1 FROM record_places)').pluck().get();
    if (!db.readonly && places === 0 && this.#keys.isEmpty) this.#filter = new KeyFilter();
  }

  put(key: string, { session, ...position }: KeyPosition): void {
    this.putAll(session, [[key, position]]);
  }
  /** Keys of records of one session, which has a thread. */
  putAll(session: string, keys: Iterable<readonly [string, Position]>): void {
    const { putPlace } = this.#writing();
    const owner = this.#session(session);
    const places: HashedPlace[] = [];
    let part: { readonly name: string; readonly number: number } | undefined;
    for (const [key, { conversation, entry }] of keys) {
      const hash = this.#hash.take(key);
      this.#filter?.add(hash);
      const place = placeOf(key);
      if (place === undefined) {
        const { low, high } = halves(hash);
        places.push({ low, high, owner, conversation, entry });
        continue;
      }
      if (part?.name !== place.part) part = { name: place.part, number: this.#part(place.part) };
      putPlace.run(part.number, place.ordinal, owner, conversation, entry);
    }
    this.#keys?.put(places);
  }
  get(key: string): KeyPosition | undefined {
    if (this.#statements === undefined) return undefined;
    const hash = this.#hash.take(key);
    if (this.#filter?.mayHave(hash) === false) return undefined;
    const place = placeOf(key);
    if (place !== undefined)
      return this.#statements.getPlace.get(place.part, place.ordinal, place.ordinal) as KeyPosition | undefined;
    const found = this.#keys?.get(halves(hash));
    if (found === undefined) return undefined;
    const { owner, conversation, entry } = found;
    const session = this.#statements.sessionOf.get(owner) as string | undefined;
    return session === undefined ? undefined : { session, conversation, entry };
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
    this.#writing();
    const places: HashedPlace[] = [];
    for (const [alias, { conversation, entry }] of aliases) {
      const { low, high } = ofOwner(this.#hash.take(alias).words, native);
      places.push({ low, high, owner: native, conversation, entry });
    }
    this.#aliases?.put(places);
  }
  getAlias(native: number, alias: string): Position | undefined {
    const found = this.#aliases?.get(ofOwner(this.#hash.take(alias).words, native));
    if (found?.owner !== native) return undefined;
    return { conversation: found.conversation, entry: found.entry };
  }
  /** Everything that stands in the conversation; reads the whole tables. */
  forget(session: string, conversation: number): void {
    const { forgetPlaces } = this.#writing();
    const number = this.#session(session);
    this.#keys?.forget((place) => place.owner === number && place.conversation === conversation);
    forgetPlaces.run(number, conversation);
  }
  /** Reads the whole table. */
  forgetAliases(native: number): void {
    this.#writing();
    this.#aliases?.forget(({ owner }) => owner === native);
  }

  /** Rows that had lost something when they were merged, since this was opened. */
  get lost(): number {
    return (this.#keys?.lost ?? 0) + (this.#aliases?.lost ?? 0);
  }

  /** Damaged rows, and the threads (by number) that have names in the same ones; in a row's names they stand in no order. Reads the whole tables. */
  damaged(): { readonly rows: number; readonly threads: readonly number[] } {
    const keys = this.#keys?.damaged() ?? whole;
    const aliases = this.#aliases?.damaged() ?? whole;
    const natives = aliases.owners.flatMap((native) => (this.#statements?.threadOf.get(native) as number | undefined) ?? []);
    return { rows: keys.rows + aliases.rows, threads: [...new Set([...keys.owners, ...natives])].toSorted((a, b) => a - b) };
  }

  /** So many names wait to be merged that memory is to be relieved of them. */
  get isFull(): boolean {
    return this.#keys?.isFull === true || this.#aliases?.isFull === true;
  }

  /**
   * Merges a part of the names that came lately into those that stand in order; of keys or aliases of which `fewest` batches wait at least.
   * `transact`: as one transaction. false: there is nothing more to merge.
   */
  mergeSome(transact: (change: () => void) => void, fewest = 1): boolean {
    const waiting = [this.#keys, this.#aliases].find((names) => names !== undefined && (names.isFull || names.batches >= fewest));
    waiting?.mergeSome(transact);
    return waiting !== undefined;
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
    putPlace: db.prepare(
      'INSERT OR IGNORE INTO record_places (part, ordinal, session, conversation, entry) VALUES (?, ?, ?, ?, ?)',
    ),
    putPart: db.prepare('INSERT OR IGNORE INTO record_parts (name) VALUES (?)'),
    part: db.prepare('SELECT number FROM record_parts WHERE name = ?').pluck(),
    session: db.prepare(`SELECT min(number) FROM threads WHERE session = ${text}`).pluck(),
    sessionOf: db.prepare('SELECT session FROM threads WHERE number = ?').pluck(),
    threadOf: db.prepare('SELECT thread FROM natives WHERE number = ?').pluck(),
    getPlace: db.prepare(
      `SELECT t.session, p.conversation, p.entry FROM record_parts r
       CROSS JOIN record_places p ON p.part = r.number CROSS JOIN threads t ON t.number = p.session
       WHERE r.name = ${text} AND p.ordinal >= ? AND p.ordinal <= ? ORDER BY p.ordinal DESC LIMIT 1`,
    ),
    forgetPlaces: db.prepare('DELETE FROM record_places WHERE session = ? AND conversation = ?'),
  };
}

function halves({ words }: KeyHash): Hash {
  return { low: words[0] ?? 0, high: words[1] ?? 0 };
}

const digits = 12;
const whole: DamagedNames = { rows: 0, owners: [] };

/** A place in a part: `part#000000000012`. */
function placeOf(key: string): { readonly part: string; readonly ordinal: number } | undefined {
  const hash = key.length - digits - 1;
  if (hash < 0 || key.charCodeAt(hash) !== 0x23) return undefined;
  const ordinal = key.slice(hash + 1);
  return /^\d+$/.test(ordinal) ? { part: key.slice(0, hash), ordinal: Number(ordinal) } : undefined;
}
