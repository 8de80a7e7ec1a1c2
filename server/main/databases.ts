/** Databases for writers (see `Databases` in shuttles/contract): made in memory, read from bytes, and others looked at by a copy. */
import Sqlite from 'better-sqlite3';
import path from 'node:path';
import type { Databases, NewDatabase, Tables } from '../../shuttles/contract/container.ts';
import { openContainer } from '../ingest/container-copy.ts';
import { insertion } from './index-row.ts';

/** `ledgerFolder` gets the copies. */
export function databasesIn(ledgerFolder: string): Databases {
  return {
    make,
    read: (bytes, read) => {
      using db = opened(bytes);
      return read(db.tables);
    },
    look: (file, root, read) => {
      const found = openContainer(file, root, 'database', path.join(ledgerFolder, 'copies'));
      if (!found.ok) return undefined;
      try {
        return found.held.form === 'database' ? read(found.held.tables) : undefined;
      } catch (error) {
        // A damaged one, or no database at all, is told by the first statement.
        if (!(error instanceof Sqlite.SqliteError)) throw error;
        return undefined;
      } finally {
        found.close();
      }
    },
  };
}

function make({ schema, rows }: NewDatabase): Uint8Array {
  const db = new Sqlite(':memory:');
  try {
    db.exec(schema);
    db.transaction(() => {
      for (const { table, values } of rows) db.prepare(insertion(table, Object.keys(values))).run(...Object.values(values));
    })();
    return db.serialize();
  } finally {
    db.close();
  }
}

function opened(bytes: Uint8Array): { readonly tables: Tables } & Disposable {
  const db = new Sqlite(Buffer.from(bytes), { readonly: true });
  return {
    tables: { all: (sql, ...parameters) => db.prepare(sql).all(...parameters) as Record<string, unknown>[] },
    [Symbol.dispose]: () => db.close(),
  };
}
