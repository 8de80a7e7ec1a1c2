/** How large a ledger is at rest, and what in it takes the room. No process may hold it. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

export interface LedgerSize {
  readonly bytes: number;
  /** Group to bytes. */
  readonly parts: Readonly<Record<string, number>>;
  /** Every table and index of more than a hundredth. */
  readonly tables: Readonly<Record<string, number>>;
}

export function ledgerSize(folder: string): LedgerSize {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  const parts: Record<string, number> = {};
  const tables: Record<string, number> = {};
  for (const file of files) {
    const name = path.relative(folder, file);
    const size = fs.statSync(file).size;
    const known = file.endsWith('.db') && size > 100_000 ? pagesOf(file) : { [name]: size };
    for (const [table, taken] of Object.entries(known)) {
      const [owner = table] = table.split(' ');
      const group = groupOf(owner);
      parts[group] = (parts[group] ?? 0) + taken;
      if (taken > bytes / 100) tables[table] = taken;
    }
  }
  return { bytes, parts, tables };
}

/** Bytes of every table, and of every index as "table index". */
function pagesOf(file: string): Record<string, number> {
  const db = new Database(file, { readonly: true });
  try {
    const rows = db
      .prepare<[], { name: string; owner: string | null; bytes: number }>(
        `SELECT d.name AS name, s.tbl_name AS owner, SUM(d.pgsize) AS bytes
         FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY d.name`,
      )
      .all();
    const known = rows.map(
      ({ name, owner, bytes }) => [owner === null || owner === name ? name : `${owner} ${name}`, bytes] as const,
    );
    const free = fs.statSync(file).size - rows.reduce((sum, { bytes }) => sum + bytes, 0);
    return { ...Object.fromEntries(known), ...(free > 0 ? { 'free pages': free } : {}) };
  } finally {
    db.close();
  }
}

function groupOf(table: string): string {
  if (/archive|raw/.test(table)) return 'archive';
  if (/^(search|document|unindexed)/.test(table)) return 'search';
  if (/key|alias/.test(table)) return 'keys';
  if (table.startsWith('engine_')) return 'entries and packs';
  return 'the rest';
}
