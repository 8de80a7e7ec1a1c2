/** A session's packs brought to another storage version, as its rows are (migrate.ts), inside the same transaction. */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { MigrationPath } from '../migration.ts';
import type { EntryHeader, Id } from '../records.ts';
import { PackCache } from './pack-cache.ts';
import { compress } from './pack-codec.ts';
import { packRows } from './pack-rows.ts';
import { PackedEntries } from './packed-entries.ts';

/** A pack is read whole. */
const pageSize = 16;

export function migratePacks(db: Database, session: number, path: MigrationPath): void {
  interface Row {
    readonly conversation: Id;
    readonly first: Id;
    readonly last: Id;
    readonly count: number;
    readonly pack: number;
  }
  const rows = packRows(db);
  const packs = new PackedEntries(rows, new PackCache(0));
  const addKind = db.prepare<[number, string]>('INSERT OR IGNORE INTO engine_kinds (session, kind) VALUES (?, ?)');
  const select = db.prepare<[number, Id, number], Row>(
    `SELECT conversation, first, last, count, pack FROM engine_packs INDEXED BY engine_packs_last
     WHERE session = ? AND last > ? ORDER BY last LIMIT ?`,
  );
  for (let behind: Id | undefined = 0; behind !== undefined;) {
    const page: readonly Row[] = select.all(session, behind, pageSize);
    for (const row of page) {
      const place = { ...row, session };
      const pack = packs.loaded(packs.open(place));
      const mapped = pack.ids.map((_id, at): readonly [EntryHeader, string] => {
        const { kind, content } = path.entry(pack.entry(at));
        return [{ ...pack.header(at), kind }, jsonText(content)];
      });
      const plain = Buffer.from(mapped.map(([, text]) => text).join('\n'));
      const headers = mapped.map(([header]) => header);
      const { codec, bytes: contents } = compress(plain);
      rows.replace(place, headers, { codec, size: plain.length, contents });
      for (const { kind } of headers) addKind.run(session, kind);
    }
    behind = page.length < pageSize ? undefined : page.at(-1)?.last;
  }
}
