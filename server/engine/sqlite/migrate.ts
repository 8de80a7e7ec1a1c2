/**
 * A session's rows brought to another storage version (engine specification 6.5), inside the caller's transaction. The only module that rewrites
 * stored records; rows are read in pages, because a connection cannot write while it reads on.
 */
import type { Database } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { MigrationPath } from '../migration.ts';
import { addressAt } from '../place.ts';
import type { Address, Id, Json } from '../records.ts';
import { migratePacks } from './pack-migrate.ts';
import { end } from '../storage.ts';
import { idOfKey, taskKey, taskKeys } from './task-key.ts';

const pageSize = 1000;

export function migrateSession(db: Database, session: number, path: MigrationPath): void {
  if (path.maps('entry')) migrateEntries(db, session, path);
  if (path.maps('task')) migrateTasks(db, session, path);
  const value = (addr: Address, json: Json): Json => path.value(addr, json);
  const element = (addr: Address, json: Json): Json => path.element(addr, json);
  if (path.maps('value')) {
    migrateState(db, session, stateTable('engine_values', 'conversation', '0', ''), value);
    migrateState(db, session, stateTable('engine_value_versions', 'conversation', '1', 'AND value IS NOT NULL'), value);
    migrateState(db, session, stateTable('engine_scratch', 'task', '0', 'AND list = 0'), value);
  }
  if (path.maps('element')) {
    migrateState(db, session, stateTable('engine_list_elements', 'conversation', 'rewind', ''), element);
    migrateState(db, session, stateTable('engine_scratch', 'task', '0', 'AND list = 1'), element);
  }
}

function migrateEntries(db: Database, session: number, path: MigrationPath): void {
  interface Row {
    readonly id: Id;
    readonly conversation: Id;
    readonly kind: string;
    readonly key: string | null;
    readonly head: 1 | null;
    readonly by_task: Id | null;
    readonly content: string;
  }
  const update = db.prepare<[string, string, number, Id]>(
    'UPDATE engine_entries SET kind = ?, content = ? WHERE session = ? AND id = ?',
  );
  const addKind = db.prepare<[number, string]>('INSERT OR IGNORE INTO engine_kinds (session, kind) VALUES (?, ?)');
  db.prepare<[number]>('DELETE FROM engine_kinds WHERE session = ?').run(session);
  const select = db.prepare<[number, Id, number], Row>(
    'SELECT id, conversation, kind, key, head, by_task, content FROM engine_entries WHERE session = ? AND id > ? ORDER BY id LIMIT ?',
  );
  for (const row of pages((after) => select.all(session, after, pageSize))) {
    const { kind, content } = path.entry({
      id: row.id,
      conversationId: row.conversation,
      kind: row.kind,
      content: JSON.parse(row.content) as Json,
      ...(row.key === null ? {} : { key: row.key }),
      ...(row.head === null ? {} : { head: true }),
      ...(row.by_task === null ? {} : { byTaskId: row.by_task }),
    });
    update.run(kind, jsonText(content), session, row.id);
    addKind.run(session, kind);
  }
  migratePacks(db, session, path);
}

function migrateTasks(db: Database, session: number, path: MigrationPath): void {
  interface Row {
    readonly id: Id;
    readonly kind: string;
    readonly status: string;
    readonly state: string;
  }
  const update = db.prepare<[string, string, string, number]>(
    'UPDATE engine_tasks SET kind = ?, status = ?, state = ? WHERE key = ?',
  );
  const select = db.prepare<[number, number, number], Row>(
    `SELECT ${idOfKey('key')} AS id, kind, status, state FROM engine_tasks WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?`,
  );
  const page = (after: Id) => select.all(...taskKeys(session, { low: after + 1, high: end }), pageSize);
  for (const row of pages(page)) {
    const { kind, status, state } = path.task({ ...row, state: JSON.parse(row.state) as Json });
    update.run(kind, status, jsonText(state), taskKey(session, row.id));
  }
}

interface StateTable {
  readonly select: string;
  readonly update: string;
  readonly isScratch: boolean;
}

/** `owner`: the column of a place's id. Sequence numbers are one session's: they tell its rows apart in any of these tables. */
function stateTable(table: string, owner: 'conversation' | 'task', rewind: string, filter: string): StateTable {
  return {
    select: `SELECT seq AS id, ${owner} AS owner, ${rewind} AS rewind, namespace, key, value FROM ${table}
      WHERE session = ? AND seq > ? ${filter} ORDER BY seq LIMIT ?`,
    update: `UPDATE ${table} SET value = ? WHERE session = ? AND ${owner} = ? AND namespace = ? AND key = ? AND seq = ?`,
    isScratch: owner === 'task',
  };
}

function migrateState(db: Database, session: number, table: StateTable, map: (addr: Address, value: Json) => Json): void {
  interface Row {
    readonly id: Id;
    readonly owner: Id;
    readonly rewind: number;
    readonly namespace: string;
    readonly key: string;
    readonly value: string;
  }
  const select = db.prepare<[number, Id, number], Row>(table.select);
  const update = db.prepare<[string, number, Id, string, string, Id]>(table.update);
  for (const { id, owner, rewind, namespace, key, value } of pages((after) => select.all(session, after, pageSize))) {
    const addr = addressAt({ id: owner, namespace, key }, rewind === 1, table.isScratch);
    update.run(jsonText(map(addr, JSON.parse(value) as Json)), session, owner, namespace, key, id);
  }
}

function* pages<T extends { readonly id: Id }>(read: (after: Id) => readonly T[]): Generator<T, void, undefined> {
  let after = 0;
  for (;;) {
    const page = read(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.id;
  }
}
