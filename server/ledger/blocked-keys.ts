/** Keys and aliases, which had a row each, in blocks: a part of version 6 of the ledger's tables. Frozen once released. */
import type { Database } from 'better-sqlite3';
import { ofOwner } from './key-hash.ts';
import { hashValue, placeBlocks } from './place-block.ts';
import type { HashedPlace } from './place-block.ts';

interface FormerRow {
  readonly hash: bigint;
  readonly owner: bigint;
  readonly conversation: bigint;
  readonly entry: bigint;
}

/** Rows that are in memory at once. */
const rowsAtOnce = 20_000;

export function blockKeys(db: Database): void {
  for (const name of ['key', 'alias'])
    db.exec(`
      CREATE TABLE ${name}_blocks (number INTEGER PRIMARY KEY, first INTEGER NOT NULL, packed BLOB NOT NULL) STRICT;
      CREATE UNIQUE INDEX ${name}_blocks_first ON ${name}_blocks (first);
      CREATE TABLE ${name}_batches (number INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT;
    `);
  copy(db, 'key_blocks', 'SELECT hash, session AS owner, conversation, entry FROM record_keys');
  db.function('loom_alias_hash', { deterministic: true, directOnly: true, safeIntegers: true }, (hash, native) => {
    const words = new Int32Array(new BigInt64Array([hash as bigint]).buffer);
    return hashValue(ofOwner(words, Number(native)));
  });
  db.exec(`
    CREATE TEMP TABLE hashed (hash INTEGER PRIMARY KEY, owner INTEGER, conversation INTEGER, entry INTEGER);
    INSERT OR REPLACE INTO temp.hashed SELECT loom_alias_hash(hash, native), native, conversation, entry FROM aliases ORDER BY 1;
  `);
  copy(db, 'alias_blocks', 'SELECT hash, owner, conversation, entry FROM temp.hashed');
  db.exec('DROP TABLE temp.hashed; DROP TABLE aliases; DROP TABLE record_keys;');
}

/** `rows`: a query of rows whose primary key is their hash. */
function copy(db: Database, blocks: string, rows: string): void {
  const some = db.prepare<[bigint], FormerRow>(`${rows} WHERE hash >= ? ORDER BY hash LIMIT ${rowsAtOnce}`).safeIntegers();
  const put = db.prepare(`INSERT INTO ${blocks} (first, packed) VALUES (?, ?)`);
  for (let from: bigint | undefined = -(2n ** 63n); from !== undefined;) {
    const found: readonly FormerRow[] = some.all(from);
    for (const { first, packed } of placeBlocks(found.map(placeOf))) put.run(first, packed);
    const last = found.at(-1)?.hash;
    from = found.length < rowsAtOnce || last === undefined || last === 2n ** 63n - 1n ? undefined : last + 1n;
  }
}

function placeOf({ hash, owner, conversation, entry }: FormerRow): HashedPlace {
  return {
    low: Number(BigInt.asIntN(32, hash)),
    high: Number(hash >> 32n),
    owner: Number(owner),
    conversation: Number(conversation),
    entry: Number(entry),
  };
}
