/**
 * Turns a ledger that is closed back into what an older Loom would have left: its tables of that version with the same rows. Keys are
 * not among them, since only their hashes are known; tests of keys put their own.
 */
import Sqlite from 'better-sqlite3';
import { unpackDocuments } from '../server/ledger/document-block.ts';
import { originOf } from '../server/ledger/document-numbers.ts';
import { ledgerFile } from '../server/ledger/database.ts';
import { migrateLedger } from '../server/ledger/schema.ts';
import { storedState } from '../server/ledger/source-state.ts';

type Row = Readonly<Record<string, unknown>>;
interface BlockRow {
  readonly first: number;
  readonly conversation: number;
  readonly packed: Uint8Array;
  readonly thread: number;
  readonly session: string;
  readonly harness: string;
}

const kept = ['threads', 'natives', 'branches', 'sources', 'warnings', 'handoffs', 'audit'] as const;

export function makeFormer(folder: string, version: 1 | 2): void {
  const db = new Sqlite(ledgerFile(folder));
  db.pragma('foreign_keys = OFF');
  const tables = kept.map((name) => ({ name, rows: db.prepare(`SELECT * FROM ${name}`).all() as Row[] }));
  const documents = documentRows(db);
  const own = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'engine%' AND name NOT LIKE 'sqlite%'";
  db.exec('DROP TABLE search');
  for (const name of db.prepare(own).pluck().all() as string[]) db.exec(`DROP TABLE ${name}`);
  db.pragma('user_version = 0');
  migrateLedger(db, version);
  for (const { name, rows } of tables) insert(db, name, name === 'sources' ? rows.map(withPlainState) : rows);
  // The first version numbered what it indexed as it came; the files written last came first.
  insert(db, 'documents', version === 2 ? documents : documents.toReversed().map((row) => ({ ...row, number: undefined })));
  db.close();
}

function documentRows(db: Sqlite.Database): readonly Row[] {
  const blocks = db
    .prepare(
      'SELECT first, conversation, packed, thread, session, harness FROM documents JOIN threads ON number = thread ORDER BY first',
    )
    .all() as BlockRow[];
  return blocks.flatMap(({ first, packed, ...of }) =>
    unpackDocuments(packed, originOf(first)).map((document, i) => ({ ...of, ...document, number: first + i })),
  );
}

function withPlainState(row: Row): Row {
  return { ...row, state: storedState(row as unknown as Parameters<typeof storedState>[0]) };
}

/** The columns that the table has. */
function insert(db: Sqlite.Database, table: string, rows: readonly Row[]): void {
  const present = new Set(db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]);
  for (const row of rows) {
    const columns = Object.keys(row).filter((column) => present.has(column) && row[column] !== undefined);
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`).run(
      row,
    );
  }
}
