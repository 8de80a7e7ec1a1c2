/**
 * Statements over `engine_conversations`. A deleted conversation keeps its row: forks still read through it, but it is
 * no longer found by its id, in a scan or as a place to write.
 */
import type { Database } from 'better-sqlite3';
import { integer } from './parameter.ts';
import { byId } from './by-id.ts';
import { idOfKey } from './task-key.ts';
import type { Range } from '../paging.ts';
import type { Conversation, Id } from '../records.ts';
import type { Link } from '../segments.ts';

interface Row {
  readonly id: Id;
  readonly parent: Id | null;
  readonly at: Id | null;
  readonly owner: Id | null;
}
export type ConversationRows = ReturnType<typeof conversationRows>;

const columns = 'c.id, c.parent, c.at, c.owner';

export function conversationRows(db: Database) {
  const insert = db.prepare<[number, Id, Id | null, Id | null, Id | null]>(
    'INSERT INTO engine_conversations (session, id, parent, at, owner) VALUES (?, ?, ?, ?, ?)',
  );
  const markDeleted = db.prepare<[Id, number, Id]>(
    'UPDATE engine_conversations SET deleted = ? WHERE session = ? AND id = ? AND deleted IS NULL',
  );
  const link = db.prepare<[number, Id], Link>(
    'SELECT parent, at, owner, deleted FROM engine_conversations WHERE session = ? AND id = ?',
  );
  const byIds = byId<Row>(db, { columns, table: 'engine_conversations AS c', alias: 'c', where: 'c.deleted IS NULL' });
  const scans = { asc: scan(db, 'ASC'), desc: scan(db, 'DESC') };
  return {
    insert(session: number, conversation: Conversation): void {
      insert.run(
        session,
        conversation.id,
        conversation.parent?.conversationId ?? null,
        conversation.parent?.at ?? null,
        conversation.owner ?? null,
      );
    },
    /** False when there is no such conversation. */
    markDeleted: (session: number, id: Id, seq: Id): boolean => markDeleted.run(seq, session, id).changes === 1,
    link: (session: number, id: Id): Link | undefined => link.get(session, id),
    byIds: (session: number, ids: readonly Id[]): Conversation[] => byIds(session, ids).map(fromRow),
    all: (session: number, { low, high, order }: Range, limit: number): Conversation[] =>
      scans[order].all.all(session, low, high, limit).map(fromRow),
    byParent: (session: number, parent: Id, { low, high, order }: Range, limit: number): Conversation[] =>
      scans[order].byParent.all(session, parent, low, high, limit).map(fromRow),
    /** Those whose owner is a task of that conversation; of one parent when it is given. */
    ownedFrom: (
      session: number,
      conversation: Id,
      parent: Id | undefined,
      { low, high, order }: Range,
      limit: number,
    ): Conversation[] => scans[order].ownedFrom.all(session, conversation, parent ?? null, low, high, limit).map(fromRow),
  };
}

function scan(db: Database, order: 'ASC' | 'DESC') {
  const tail = `c.deleted IS NULL AND c.id BETWEEN ? AND ? ORDER BY c.id ${order} LIMIT ${integer}`;
  return {
    all: db.prepare<[number, Id, Id, number], Row>(
      `SELECT ${columns} FROM engine_conversations AS c WHERE c.session = ${integer} AND ${tail}`,
    ),
    byParent: db.prepare<[number, Id, Id, Id, number], Row>(
      `SELECT ${columns} FROM engine_conversations AS c INDEXED BY engine_conversations_parent WHERE c.session = ${integer} AND c.parent = ${integer} AND ${tail}`,
    ),
    ownedFrom: db.prepare<[number, Id, Id | null, Id, Id, number], Row>(
      `SELECT ${columns} FROM engine_tasks AS t INDEXED BY engine_tasks_conversation
       CROSS JOIN engine_conversations AS c INDEXED BY engine_conversations_owner ON c.session = t.session AND c.owner = ${idOfKey('t.key')}
       WHERE t.session = ${integer} AND t.conversation = ${integer} AND c.parent IS coalesce(?, c.parent) AND ${tail}`,
    ),
  };
}

const fromRow = (row: Row): Conversation => toConversation(row.id, row);

/** Of a row that is not deleted. */
export function toConversation(id: Id, { parent, at, owner }: Omit<Link, 'deleted'>): Conversation {
  return {
    id,
    ...(parent === null || at === null ? {} : { parent: { conversationId: parent, at } }),
    ...(owner === null ? {} : { owner }),
  };
}
