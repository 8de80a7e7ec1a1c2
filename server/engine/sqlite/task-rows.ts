/**
 * Statements over `engine_tasks`. What a task owns is not stored with it: it is the conversations that name it as their
 * owner, so the two can never disagree.
 */
import type { Database, Statement } from 'better-sqlite3';
import { jsonText } from '../json-text.ts';
import type { Order, Range } from '../paging.ts';
import type { Id, Json, Task, TaskHeader, TaskRole } from '../records.ts';
import type { TaskFilter } from '../rows.ts';

interface HeaderRow {
  readonly id: Id;
  readonly conversation: Id;
  readonly kind: string;
  readonly status: string;
  readonly background: number | null;
  readonly abort: number | null;
  readonly role: TaskRole;
  readonly after: string;
  readonly owns: string;
}
interface Row extends HeaderRow {
  readonly state: string;
}
export interface TaskPatch {
  readonly status?: string;
  readonly role?: TaskRole;
  readonly state?: Json;
  readonly abort?: true;
}
export type TaskRows = ReturnType<typeof taskRows>;

const headerColumns = `t.id, t.conversation, t.kind, t.status, t.role, t.background, t.abort, t.after,
  (SELECT json_group_array(c.id ORDER BY c.id) FROM engine_conversations AS c WHERE c.session = t.session AND c.owner = t.id) AS owns`;
const taskColumns = `${headerColumns}, t.state`;
const byIds = (columns: string) =>
  `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN engine_tasks AS t INDEXED BY engine_tasks_id ON t.session = ? AND t.id = wanted.value`;

export function taskRows(db: Database) {
  const insert = db.prepare<[number, Id, Id, string, string, TaskRole, number | null, number | null, string, string]>(
    `INSERT INTO engine_tasks (session, id, conversation, kind, status, role, background, abort, after, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare<[string | null, TaskRole | null, string | null, number | null, number, Id]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = coalesce(?, role), state = coalesce(?, state), abort = coalesce(?, abort)
     WHERE session = ? AND id = ? AND role <> 'terminal'`,
  );
  const tasksById = db.prepare<[string, number], Row>(byIds(taskColumns));
  const headersById = db.prepare<[string, number], HeaderRow>(byIds(headerColumns));
  const isLive = db
    .prepare<[number, Id], 1>(
      "SELECT 1 FROM engine_tasks INDEXED BY engine_tasks_live WHERE session = ? AND id = ? AND role <> 'terminal'",
    )
    .pluck();
  const tasks = scans<Row>(db, taskColumns);
  const headers = scans<HeaderRow>(db, headerColumns);

  return {
    insert(session: number, task: Task, role: TaskRole): void {
      const { id, conversationId, kind, status, background, abort, after, state } = task;
      const flags = [background === undefined ? null : 1, abort === undefined ? null : 1] as const;
      insert.run(session, id, conversationId, kind, status, role, ...flags, JSON.stringify(after), jsonText(state));
    },
    /** False when there is no such live task. */
    update(session: number, id: Id, patch: TaskPatch): boolean {
      const state = patch.state === undefined ? null : jsonText(patch.state);
      return (
        update.run(patch.status ?? null, patch.role ?? null, state, patch.abort === undefined ? null : 1, session, id).changes ===
        1
      );
    },
    isLive: (session: number, id: Id): boolean => isLive.get(session, id) !== undefined,
    tasks: (session: number, ids: readonly Id[]): Task[] => tasksById.all(JSON.stringify(ids), session).map(toTask),
    headers: (session: number, ids: readonly Id[]): TaskHeader[] => headersById.all(JSON.stringify(ids), session).map(toHeader),
    range: (session: number, filter: TaskFilter, range: Range, limit: number): Task[] =>
      tasks(session, filter, range, limit).map(toTask),
    headerRange: (session: number, filter: TaskFilter, range: Range, limit: number): TaskHeader[] =>
      headers(session, filter, range, limit).map(toHeader),
  };
}

type Extent = 'session' | 'conversation' | 'conversations';
type Liveness = 'all' | 'live' | 'foreground';

/** Live tasks have indexes of their own, live foreground tasks of a conversation one more: what is asked for after every settlement. */
const indexes: Record<Liveness, Record<Extent, string>> = {
  all: {
    session: 'engine_tasks_id',
    conversation: 'engine_tasks_conversation',
    conversations: 'engine_tasks_conversation',
  },
  live: {
    session: 'engine_tasks_live',
    conversation: 'engine_tasks_live_conversation',
    conversations: 'engine_tasks_live_conversation',
  },
  foreground: {
    session: 'engine_tasks_live',
    conversation: 'engine_tasks_foreground',
    conversations: 'engine_tasks_foreground',
  },
};
const conditions: Record<Liveness, string> = {
  all: '',
  live: "AND t.role <> 'terminal'",
  foreground: "AND t.role <> 'terminal' AND t.background IS NULL",
};

/** One statement for each order, extent and index. */
function scans<R extends HeaderRow>(db: Database, columns: string) {
  const statements = new Map<string, Statement<[object], R>>();
  for (const order of ['asc', 'desc'] as const)
    for (const extent of ['session', 'conversation', 'conversations'] as const)
      for (const liveness of ['all', 'live', 'foreground'] as const)
        statements.set(`${order} ${extent} ${liveness}`, scan<R>(db, columns, order, extent, liveness));

  return (session: number, filter: TaskFilter, { low, high, order }: Range, limit: number): R[] => {
    const { conversations, live, role = null, kind = null, abort, background } = filter;
    const extent = conversations === undefined ? 'session' : conversations.length === 1 ? 'conversation' : 'conversations';
    const liveness = live ? (background === false ? 'foreground' : 'live') : 'all';
    const parameters = {
      ...(conversations === undefined ? {} : { conversations: conversations[0] ?? null }),
      ...(extent === 'conversations' ? { conversations: JSON.stringify(conversations) } : {}),
      session,
      role,
      kind,
      low,
      high,
      limit,
      abort: abort === undefined ? null : Number(abort),
      background: background === undefined ? null : Number(background),
    };
    return statements.get(`${order} ${extent} ${liveness}`)?.all(parameters) ?? [];
  };
}

/** Of one conversation the rows come in the order of the index: a limit ends the scan. */
function scan<R extends HeaderRow>(
  db: Database,
  columns: string,
  order: Order,
  extent: Extent,
  liveness: Liveness,
): Statement<[object], R> {
  const tail = `${conditions[liveness]} AND t.id BETWEEN :low AND :high
    AND (:role IS NULL OR t.role = :role) AND (:kind IS NULL OR t.kind = :kind) AND (:abort IS NULL OR coalesce(t.abort, 0) = :abort)
    AND (:background IS NULL OR coalesce(t.background, 0) = :background)
    ORDER BY t.id ${order} LIMIT :limit`;
  const table = `engine_tasks AS t INDEXED BY ${indexes[liveness][extent]}`;
  const from = {
    session: `${table} WHERE t.session = :session`,
    conversation: `${table} WHERE t.session = :session AND t.conversation = :conversations`,
    conversations: `json_each(:conversations) AS wanted CROSS JOIN ${table} ON t.conversation = wanted.value WHERE t.session = :session`,
  }[extent];
  return db.prepare<[object], R>(`SELECT ${columns} FROM ${from} ${tail}`);
}

function toHeader(row: HeaderRow): TaskHeader {
  const owns = JSON.parse(row.owns) as readonly Id[];
  return {
    id: row.id,
    conversationId: row.conversation,
    kind: row.kind,
    status: row.status,
    role: row.role,
    after: JSON.parse(row.after) as readonly Id[],
    ...(row.background === null ? {} : { background: true as const }),
    ...(owns.length === 0 ? {} : { owns }),
    ...(row.abort === null ? {} : { abort: true as const }),
  };
}

function toTask(row: Row): Task {
  const { role: _, ...header } = toHeader(row);
  return { ...header, state: JSON.parse(row.state) as Json };
}
