/**
 * Statements over `engine_tasks`. What a task owns is not stored with it: it is the conversations that name it as their
 * owner, so the two can never disagree.
 */
import type { Database } from 'better-sqlite3';
import type { Id, Json, Task, TaskRole } from '../records.ts';
import type { TaskQuery } from '../storage.ts';

interface Row {
  readonly id: Id;
  readonly conversation: Id;
  readonly kind: string;
  readonly status: string;
  readonly background: number | null;
  readonly abort: number | null;
  readonly after: string;
  readonly state: string;
  readonly owns: string;
}
export interface TaskPatch {
  readonly status?: string;
  readonly role?: TaskRole;
  readonly state?: Json;
  readonly abort?: true;
}
type Filter = readonly [conversations: string | null, role: TaskRole | null, kind: string | null, abort: number | null];
export type TaskRows = ReturnType<typeof taskRows>;

const columns = `t.id, t.conversation, t.kind, t.status, t.background, t.abort, t.after, t.state,
  (SELECT json_group_array(c.id ORDER BY c.id) FROM engine_conversations AS c WHERE c.session = t.session AND c.owner = t.id) AS owns`;

export function taskRows(db: Database) {
  const insert = db.prepare<[number, Id, Id, string, string, TaskRole, number | null, number | null, string, string]>(
    `INSERT INTO engine_tasks (session, id, conversation, kind, status, role, background, abort, after, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare<[string | null, TaskRole | null, string | null, number | null, number, Id]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = coalesce(?, role), state = coalesce(?, state), abort = coalesce(?, abort)
     WHERE session = ? AND id = ? AND role <> 'terminal'`,
  );
  const byIds = db.prepare<[string, number], Row>(
    `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN engine_tasks AS t INDEXED BY engine_tasks_id ON t.session = ? AND t.id = wanted.value`,
  );
  const isLive = db
    .prepare<[number, Id], 1>(
      "SELECT 1 FROM engine_tasks INDEXED BY engine_tasks_live WHERE session = ? AND id = ? AND role <> 'terminal'",
    )
    .pluck();
  const scans = new Map<string, (filter: Filter, session: number, low: Id, high: Id, limit: number) => Row[]>();
  for (const order of ['ASC', 'DESC'] as const)
    for (const scope of ['session', 'conversations'] as const)
      for (const live of [false, true]) scans.set(`${order} ${scope} ${live}`, scan(db, order, scope, live));

  return {
    insert(session: number, task: Task, role: TaskRole): void {
      const { id, conversationId, kind, status, background, abort, after, state } = task;
      const flags = [background === undefined ? null : 1, abort === undefined ? null : 1] as const;
      insert.run(session, id, conversationId, kind, status, role, ...flags, JSON.stringify(after), JSON.stringify(state));
    },
    /** False when there is no such live task. */
    update(session: number, id: Id, patch: TaskPatch): boolean {
      const state = patch.state === undefined ? null : JSON.stringify(patch.state);
      return (
        update.run(patch.status ?? null, patch.role ?? null, state, patch.abort === undefined ? null : 1, session, id).changes ===
        1
      );
    },
    isLive: (session: number, id: Id): boolean => isLive.get(session, id) !== undefined,
    byIds: (session: number, ids: readonly Id[]): Task[] => byIds.all(JSON.stringify(ids), session).map(fromRow),
    scan(session: number, query: TaskQuery, low: Id, high: Id, limit: number): Task[] {
      const { conversationIds, role = null, kind = null, abort } = query;
      const order = query.before === undefined ? 'ASC' : 'DESC';
      // Roles other than terminal are found by the partial index too.
      const live = query.live === true || (role !== null && role !== 'terminal');
      if (query.live === false && role !== null && role !== 'terminal') return [];
      if (query.live === true && role === 'terminal') return [];
      const select = scans.get(`${order} ${conversationIds === undefined ? 'session' : 'conversations'} ${live}`);
      const wanted = query.live === false ? 'terminal' : role;
      const filter = [
        conversationIds === undefined ? null : JSON.stringify(conversationIds),
        wanted,
        kind,
        abort === undefined ? null : Number(abort),
      ] as const;
      return select === undefined ? [] : select(filter, session, low, high, limit).map(fromRow);
    },
  };
}

function scan(db: Database, order: 'ASC' | 'DESC', scope: 'session' | 'conversations', live: boolean) {
  const tail = `${live ? "AND t.role <> 'terminal'" : ''} AND t.id BETWEEN :low AND :high
    AND (:role IS NULL OR t.role = :role) AND (:kind IS NULL OR t.kind = :kind) AND (:abort IS NULL OR coalesce(t.abort, 0) = :abort)
    ORDER BY t.id ${order} LIMIT :limit`;
  const index = {
    session: live ? 'engine_tasks_live' : 'engine_tasks_id',
    conversations: live ? 'engine_tasks_live_conversation' : 'engine_tasks_conversation',
  }[scope];
  const from =
    scope === 'session'
      ? `engine_tasks AS t INDEXED BY ${index} WHERE t.session = :session`
      : `json_each(:conversations) AS wanted CROSS JOIN engine_tasks AS t INDEXED BY ${index} ON t.conversation = wanted.value WHERE t.session = :session`;
  const statement = db.prepare<[object], Row>(`SELECT ${columns} FROM ${from} ${tail}`);
  return ([conversations, role, kind, abort]: Filter, session: number, low: Id, high: Id, limit: number): Row[] =>
    statement.all({ ...(conversations === null ? {} : { conversations }), role, kind, abort, session, low, high, limit });
}

function fromRow(row: Row): Task {
  const owns = JSON.parse(row.owns) as readonly Id[];
  return {
    id: row.id,
    conversationId: row.conversation,
    kind: row.kind,
    status: row.status,
    state: JSON.parse(row.state) as Json,
    after: JSON.parse(row.after) as readonly Id[],
    ...(row.background === null ? {} : { background: true as const }),
    ...(owns.length === 0 ? {} : { owns }),
    ...(row.abort === null ? {} : { abort: true as const }),
  };
}
