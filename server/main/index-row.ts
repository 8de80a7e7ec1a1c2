/**
 * A row in a database of another program's: the index by which it knows its sessions. One transaction, which waits for a while when the
 * program is writing; never over a row that is there, never through a link. Failures to put are values; what cannot be taken away is thrown,
 * so that whoever comes next tries again.
 */
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import fs from 'node:fs';
import type { IndexKey } from '../../shuttles/contract/shuttle.ts';
import { openBelow } from '../../shuttles/kit/opening.ts';

/** Milliseconds that the program's own transaction is waited for. */
const patience = 3000;

/** undefined: the row is there, durably. Otherwise why not, with the path. */
export function putRow(root: string, key: IndexKey, values: Readonly<Record<string, string | number>>): string | undefined {
  const opened = openBelow(key.database, root);
  if (!opened.ok) return opened.refusal.detail;
  fs.closeSync(opened.descriptor);
  try {
    using index = openIndex(key.database);
    const row = { [key.column]: key.key, ...values };
    index.db.transaction(() => index.db.prepare(insertion(key.table, Object.keys(row))).run(...Object.values(row))).immediate();
    return undefined;
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return `${key.database}: ${error.message}`;
  }
}

/** May be done any number of times; a database or table that is not there has no such row. */
export function removeRow(key: IndexKey): void {
  if (!fs.existsSync(key.database)) return;
  using index = openIndex(key.database);
  index.db
    .transaction(() => {
      const isThere = index.db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(key.table);
      if (isThere !== undefined)
        index.db.prepare(`DELETE FROM ${quoted(key.table)} WHERE ${quoted(key.column)} = ?`).run(key.key);
    })
    .immediate();
}

export function insertion(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function openIndex(file: string): { readonly db: Database } & Disposable {
  const db = new Sqlite(file, { fileMustExist: true, timeout: patience });
  db.pragma('trusted_schema = OFF');
  db.pragma('synchronous = FULL');
  return { db, [Symbol.dispose]: () => db.close() };
}
