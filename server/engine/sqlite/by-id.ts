/**
 * Rows by their ids. A batch in one statement has its ids as JSON, which costs as much as a dozen lookups by the index; a few ids are
 * looked up one by one.
 */
import type { Database } from 'better-sqlite3';
import type { Id } from '../records.ts';

const few = 12;

interface Source {
  readonly columns: string;
  /** With its alias and the index to use. */
  readonly table: string;
  readonly alias: string;
  readonly where?: string;
}

export function byId<Row>(
  db: Database,
  { columns, table, alias, where = 'true' }: Source,
): (session: number, ids: readonly Id[]) => Row[] {
  const one = db.prepare<[number, Id], Row>(
    `SELECT ${columns} FROM ${table} WHERE ${alias}.session = ? AND ${alias}.id = ? AND ${where}`,
  );
  const many = db.prepare<[string, number], Row>(
    `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN ${table} ON ${alias}.session = ? AND ${alias}.id = wanted.value WHERE ${where}`,
  );
  return (session, ids) => {
    if (ids.length > few) return many.all(JSON.stringify(ids), session);
    const rows: Row[] = [];
    for (const id of ids) {
      const row = one.get(session, id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  };
}
