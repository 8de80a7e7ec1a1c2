/**
 * Where names stand, by their hashes: a table of blocks, sorted and full (place-block.ts), and before it batches as they came, one for each
 * commit, which this process also has in memory. A row for each name would be written at random all over its table, which costs an import
 * more with every name that the ledger has; batches are merged into the blocks when they are many, in bounded steps. Changes are part of the
 * caller's transaction; what of them is taken back is found out when it is next asked. A damaged row costs names that stood in it and no
 * others: it is written anew with what is left of it when it is merged.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import type { Position } from './keys-table.ts';
import { compareHashes, hashValue, packPlaces, placeBlocks, placeIn, placesIn, placesInBlock } from './place-block.ts';
import type { Hash, HashedPlace, ReadPlaces } from './place-block.ts';
import { RecentPlaces } from './recent-places.ts';

type Found = Position & { readonly owner: number };

interface Row {
  readonly number: number;
  readonly packed: Uint8Array;
}
interface BlockRow {
  readonly number: bigint;
  readonly first: bigint;
  readonly packed: Uint8Array;
}
interface Merging {
  readonly places: readonly HashedPlace[];
  /** The next of them to be merged. */
  next: number;
  /** The newest batch that they are of. */
  readonly through: number;
}

/** Rows of blocks and batches in which something is not as it was written, and those who have names in the same rows. */
export interface DamagedNames {
  readonly rows: number;
  readonly owners: readonly number[];
}

export interface PlacedNamesOptions {
  /** What its tables begin with. */
  readonly name: 'key' | 'alias';
  /** A name means what it was given last (true) or first. */
  readonly moves: boolean;
  /** Names, and blocks that are read, of one step of merging. Absent: 8192 and 400. */
  readonly step?: { readonly names: number; readonly blocks: number };
}

/** So many names are merged when they are the most that wait; of a ledger with more than eight times as many, an eighth of all, up to `mostWaiting`. */
const fewWaiting = 131_072;
const mostWaiting = 262_144;
const usualStep = { names: 8192, blocks: 400 };
/** Names a batch. */
const mostInBatch = 8192;
/** Names a block, about. */
const namesInBlock = 170;
const rowsAtOnce = 200;
const none: ReadPlaces = { places: [], isDamaged: false };

export class PlacedNames {
  readonly #db: Database;
  readonly #moves: boolean;
  readonly #step;
  readonly #statements: Statements;
  #recent: RecentPlaces | undefined;
  /** Of the newest batch; numbers that were taken back are not given again. */
  #newest = 0;
  /** The newest batch may be taken back yet. */
  #isUnsure = false;
  /** Of a reader's memory. */
  #version: unknown;
  #merging: Merging | undefined;
  #waitingLimit: number | undefined;
  /** Batches of which something could not be read. */
  #hurt = 0;
  #lost = 0;

  constructor(db: Database, { name, moves, step = usualStep }: PlacedNamesOptions) {
    this.#db = db;
    this.#moves = moves;
    this.#step = step;
    this.#statements = statementsOf(db, name);
  }

  /** Asks the file. */
  get isEmpty(): boolean {
    return this.#statements.some.get() === 0;
  }

  /** Rows that were found damaged when they were merged, since this was opened: what they had lost is lost. */
  get lost(): number {
    return this.#lost;
  }

  /** Reads the whole tables. */
  damaged(): DamagedNames {
    const owners = new Set<number>();
    let rows = 0;
    const look = ({ places, isDamaged }: ReadPlaces): void => {
      if (!isDamaged) return;
      rows++;
      for (const { owner } of places) owners.add(owner);
    };
    for (const { packed } of this.#batches()) look(placesIn(0n, packed));
    let before: BlockRow | undefined;
    for (const block of this.#statements.inOrder.iterate() as IterableIterator<BlockRow>) {
      if (before !== undefined) look(placesInBlock(before, block.first));
      before = block;
    }
    if (before !== undefined) look(placesInBlock(before, undefined));
    return { rows, owners: [...owners].toSorted((a, b) => a - b) };
  }

  /** A name that comes twice means what `moves` says. */
  put(places: readonly HashedPlace[]): void {
    if (places.length === 0) return;
    const recent = this.#current();
    for (let from = 0; from < places.length; from += mostInBatch) this.#add(packPlaces(places.slice(from, from + mostInBatch)));
    for (const place of places) recent.put(place);
  }

  get(hash: Hash): Found | undefined {
    const recent = this.#current().get(hash);
    if (recent !== undefined && this.#moves) return recent;
    const block = this.#statements.at.get(hashValue(hash)) as BlockRow | undefined;
    return (block === undefined ? undefined : placeIn(block.first, block.packed, hash)) ?? recent;
  }

  /** Takes out those; reads the whole tables. */
  forget(isGone: (place: Found) => boolean): void {
    this.#current();
    this.#merging = undefined;
    const { putBatch, blocks, add, remove, behind } = this.#statements;
    for (const { number, packed } of this.#batches()) {
      const { places, isDamaged } = placesIn(0n, packed);
      const kept = places.filter((place) => !isGone(place));
      if (isDamaged || kept.length < places.length) putBatch.run(number, packPlaces(kept));
    }
    for (let rows = blocks.all(0) as BlockRow[]; rows.length > 0; rows = blocks.all(rows.at(-1)?.number ?? 0) as BlockRow[])
      for (const row of rows) {
        const { places, isDamaged } = placesInBlock(row, behind.get(row.first) as bigint | undefined);
        const kept = places.filter((place) => !isGone(place));
        if (!isDamaged && kept.length === places.length) continue;
        remove.run(row.number);
        for (const block of placeBlocks(kept)) add.run(block.first, block.packed);
      }
    // So that it is noticed when this is taken back.
    this.#add(packPlaces([]));
    this.#recent = this.#load();
  }

  /** More wait than are to be kept in memory, or a merge of them is under way. */
  get isFull(): boolean {
    return this.#merging !== undefined || (this.#recent !== undefined && this.#recent.size >= this.#limit);
  }

  /** Rows that wait; asks the file. */
  get batches(): number {
    return this.#statements.count.get() as number;
  }

  /** Merges a part of what waits into the blocks. `transact`: runs it as a transaction of its own. false: nothing is left. */
  mergeSome(transact: (change: () => void) => void): boolean {
    const recent = this.#current();
    if (this.#statements.newest.get() === null) return false;
    const merging = (this.#merging ??= { places: recent.sorted(), next: 0, through: this.#newest });
    let next = merging.next;
    transact(() => {
      next = this.#merge(merging);
      if (next >= merging.places.length) this.#statements.removeBatches.run(merging.through);
    });
    merging.next = next;
    if (next < merging.places.length) return true;
    this.#merging = undefined;
    this.#waitingLimit = undefined;
    this.#lost += this.#hurt;
    this.#recent = this.#load();
    return this.#recent.size > 0;
  }

  /** Behind the last name of the step. */
  #merge({ places, next }: Merging): number {
    const { from, remove, add } = this.#statements;
    const first = places[next];
    if (first === undefined) return next;
    const last = Math.min(places.length, next + this.#step.names);
    const value = hashValue(first);
    // A name before the first block goes into that one.
    const floor = (this.#statements.at.get(value) as BlockRow | undefined)?.first ?? value;
    const blocks = from.all(floor, this.#step.blocks + 1) as BlockRow[];
    const behind = blocks.length > this.#step.blocks ? blocks.pop() : undefined;
    let at = next;
    let run: HashedPlace[] = [];
    const end = (): void => {
      for (const block of placeBlocks(run)) add.run(block.first, block.packed);
      run = [];
    };
    for (let i = 0; i < Math.max(1, blocks.length) && at < last; i++) {
      const block = blocks[i];
      const after = blocks[i + 1] ?? behind;
      const through = after === undefined ? last : behindThose(places, at, last, after.first);
      if (through === at) {
        end();
        continue;
      }
      const known = block === undefined ? none : placesInBlock(block, after?.first);
      if (block !== undefined) remove.run(block.number);
      if (known.isDamaged) this.#lost++;
      this.#join(known.places, places, at, through, run);
      at = through;
    }
    end();
    return at;
  }

  /** Puts both, each in the order of its hashes, behind `joined`. */
  #join(known: readonly HashedPlace[], recent: readonly HashedPlace[], from: number, to: number, joined: HashedPlace[]): void {
    let at = from;
    for (const place of known) {
      let next = at < to ? recent[at] : undefined;
      while (next !== undefined && compareHashes(next, place) < 0) {
        joined.push(next);
        next = ++at < to ? recent[at] : undefined;
      }
      const isSame = next !== undefined && compareHashes(next, place) === 0;
      joined.push(isSame && this.#moves && next !== undefined ? next : place);
      if (isSame) at++;
    }
    for (; at < to; at++) {
      const next = recent[at];
      if (next !== undefined) joined.push(next);
    }
  }

  #add(packed: Uint8Array): void {
    this.#newest++;
    this.#statements.putBatch.run(this.#newest, packed);
    this.#isUnsure = true;
  }

  /** What waits, as it stands in the file now. */
  #current(): RecentPlaces {
    if (this.#db.readonly) {
      // Another process merges and adds.
      const version = this.#db.pragma('data_version', { simple: true });
      if (version !== this.#version) this.#recent = undefined;
      this.#version = version;
    } else if (this.#isUnsure) {
      if (this.#statements.hasBatch.get(this.#newest) === undefined) {
        this.#recent = undefined;
        this.#merging = undefined;
      } else if (this.#db.inTransaction) return (this.#recent ??= this.#load());
      this.#isUnsure = false;
    }
    return (this.#recent ??= this.#load());
  }

  #load(): RecentPlaces {
    const recent = new RecentPlaces(this.#moves);
    this.#hurt = 0;
    for (const { number, packed } of this.#batches()) {
      const { places, isDamaged } = placesIn(0n, packed);
      if (isDamaged) this.#hurt++;
      for (const place of places) recent.put(place);
      this.#newest = Math.max(this.#newest, number);
    }
    return recent;
  }

  /** They may be written while they are walked over. */
  *#batches(): Iterable<Row> {
    const { batches } = this.#statements;
    for (let rows = batches.all(0) as Row[]; rows.length > 0; rows = batches.all(rows.at(-1)?.number ?? 0) as Row[]) yield* rows;
  }

  get #limit(): number {
    this.#waitingLimit ??= Math.min(
      mostWaiting,
      Math.max(fewWaiting, ((this.#statements.blockCount.get() as number) * namesInBlock) / 8),
    );
    return this.#waitingLimit;
  }
}

/** Behind those of them, from one on and before `to`, that come before that hash. */
function behindThose(places: readonly HashedPlace[], from: number, to: number, first: bigint): number {
  const hash: Hash = { low: Number(BigInt.asIntN(32, first)), high: Number(first >> 32n) };
  for (let at = from; at < to; at++) {
    const place = places[at];
    if (place === undefined || compareHashes(place, hash) >= 0) return at;
  }
  return to;
}

type Statements = ReturnType<typeof statementsOf>;

function statementsOf(db: Database, name: PlacedNamesOptions['name']) {
  const blocks = `${name}_blocks`;
  const batches = `${name}_batches`;
  /** Hashes are as wide as integers of SQLite are; numbers of rows come as they do. */
  const wide = (sql: string): Statement => db.prepare(sql).safeIntegers();
  return {
    some: db.prepare(`SELECT EXISTS (SELECT 1 FROM ${blocks}) OR EXISTS (SELECT 1 FROM ${batches})`).pluck(),
    at: wide(`SELECT number, first, packed FROM ${blocks} WHERE first <= ? ORDER BY first DESC LIMIT 1`),
    from: wide(`SELECT number, first, packed FROM ${blocks} WHERE first >= ? ORDER BY first LIMIT ${integer}`),
    blocks: wide(`SELECT number, first, packed FROM ${blocks} WHERE number > ? ORDER BY number LIMIT ${rowsAtOnce}`),
    inOrder: wide(`SELECT number, first, packed FROM ${blocks} ORDER BY first`),
    behind: wide(`SELECT first FROM ${blocks} WHERE first > ? ORDER BY first LIMIT 1`).pluck(),
    add: db.prepare(`INSERT INTO ${blocks} (first, packed) VALUES (?, ?)`),
    remove: db.prepare(`DELETE FROM ${blocks} WHERE number = ?`),
    blockCount: db.prepare(`SELECT count(*) FROM ${blocks}`).pluck(),
    newest: db.prepare(`SELECT max(number) FROM ${batches}`).pluck(),
    hasBatch: db.prepare(`SELECT 1 FROM ${batches} WHERE number = ?`),
    count: db.prepare(`SELECT count(*) FROM ${batches}`).pluck(),
    batches: db.prepare(`SELECT number, packed FROM ${batches} WHERE number > ? ORDER BY number LIMIT ${rowsAtOnce}`),
    putBatch: db.prepare(`INSERT OR REPLACE INTO ${batches} (number, packed) VALUES (?, ?)`),
    removeBatches: db.prepare(`DELETE FROM ${batches} WHERE number <= ?`),
  };
}
