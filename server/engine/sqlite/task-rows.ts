/**
 * Statements over `engine_tasks`. What a task owns is not stored with it: it is the conversations that name it as their
 * owner, so the two can never disagree.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer, text } from './parameter.ts';
import { byId } from './by-id.ts';
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
  (SELECT json_group_array(c.id) FROM engine_conversations AS c WHERE c.session = t.session AND c.owner = t.id) AS owns`;
const taskColumns = `${headerColumns}, t.state`;
const table = 'engine_tasks AS t INDEXED BY engine_tasks_id';

export function taskRows(db: Database) {
  const insert = db.prepare<
    [number, Id, Id, string, string, TaskRole, number | null, number | null, string, string, number | null]
  >(
    `INSERT INTO engine_tasks (session, id, conversation, kind, status, role, background, abort, after, state, live)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // A patch names no column of an index of live tasks; only the end of a task does.
  const update = db.prepare<[string | null, TaskRole | null, string | null, number | null, number, Id]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = coalesce(?, role), state = coalesce(?, state), abort = coalesce(?, abort)
     WHERE session = ? AND id = ? AND role <> 'terminal'`,
  );
  const end = db.prepare<[string | null, string | null, number, Id]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = 'terminal', state = coalesce(?, state), live = NULL
     WHERE session = ? AND id = ? AND role <> 'terminal'`,
  );
  const tasksById = byId<Row>(db, { columns: taskColumns, table, alias: 't' });
  const headersById = byId<HeaderRow>(db, { columns: headerColumns, table, alias: 't' });
  const isLive = db
    .prepare<[number, Id], 1>(
      "SELECT 1 FROM engine_tasks INDEXED BY engine_tasks_id WHERE session = ? AND id = ? AND role <> 'terminal'",
    )
    .pluck();
  const tasks = scans<Row>(db, taskColumns);
  const headers = scans<HeaderRow>(db, headerColumns);

  return {
    insert(session: number, task: Task, role: TaskRole): void {
      const { id, conversationId, kind, status, background, abort, after, state } = task;
      const flags = [background === undefined ? null : 1, abort === undefined ? null : 1] as const;
      const live = role === 'terminal' ? null : 1;
      insert.run(session, id, conversationId, kind, status, role, ...flags, JSON.stringify(after), jsonText(state), live);
    },
    /** False when there is no such live task. */
    update(session: number, id: Id, patch: TaskPatch): boolean {
      const state = patch.state === undefined ? null : jsonText(patch.state);
      const { status = null, role = null, abort } = patch;
      if (role === 'terminal') return end.run(status, state, session, id).changes === 1;
      return update.run(status, role, state, abort === undefined ? null : 1, session, id).changes === 1;
    },
    isLive: (session: number, id: Id): boolean => isLive.get(session, id) !== undefined,
    tasks: (session: number, ids: readonly Id[]): Task[] => tasksById(session, ids).map(toTask),
    headers: (session: number, ids: readonly Id[]): TaskHeader[] => headersById(session, ids).map(toHeader),
    range: (session: number, filter: TaskFilter, range: Range, limit: number): Task[] =>
      tasks(session, filter, range, limit).map(toTask),
    headerRange: (session: number, filter: TaskFilter, range: Range, limit: number): TaskHeader[] =>
      headers(session, filter, range, limit).map(toHeader),
  };
}

/** Which tasks a scan is of; each has its index. */
type Extent = 'session' | 'conversation' | 'conversations';
type Shape = Omit<TaskFilter, 'conversations' | 'role' | 'kind'> & {
  readonly extent: Extent;
  readonly order: Order;
  readonly role: boolean;
  readonly kind: boolean;
};

/** A statement for each shape of a query, prepared when it is first asked: a filter that is not given costs nothing. */
function scans<R extends HeaderRow>(db: Database, columns: string) {
  const statements = new Map<string, Statement<(string | number)[], R>>();
  const statement = (shape: Shape): Statement<(string | number)[], R> => {
    const { order, extent, live, role, kind, abort, background } = shape;
    const key = `${order} ${extent} ${live} ${role} ${kind} ${abort} ${background}`;
    const known = statements.get(key);
    if (known !== undefined) return known;
    const prepared = db.prepare<(string | number)[], R>(scan(columns, shape));
    statements.set(key, prepared);
    return prepared;
  };
  // What the driver and those who ask whether a conversation is busy run all the time.
  for (const order of ['asc', 'desc'] as const)
    for (const extent of ['session', 'conversation', 'conversations'] as const)
      for (const live of [false, true]) {
        statement({ order, extent, live, role: false, kind: false });
        statement({ order, extent, live, role: false, kind: false, background: false });
      }

  return (session: number, filter: TaskFilter, { low, high, order }: Range, limit: number): R[] => {
    const { conversations, role, kind, ...flags } = filter;
    const extent = conversations === undefined ? 'session' : conversations.length === 1 ? 'conversation' : 'conversations';
    const shape = { ...flags, extent, order, role: role !== undefined, kind: kind !== undefined } as const;
    const [only] = conversations ?? [];
    const of =
      extent === 'session'
        ? [session]
        : extent === 'conversation' && only !== undefined
          ? [session, only]
          : [JSON.stringify(conversations), session];
    const given = [...(role === undefined ? [] : [role]), ...(kind === undefined ? [] : [kind])];
    return statement(shape).all(...of, low, high, ...given, limit);
  };
}

function scan(columns: string, { extent, order, live, role, kind, abort, background }: Shape): string {
  const from = {
    session: `engine_tasks AS t INDEXED BY engine_tasks_${live ? 'live' : 'id'}`,
    conversation: `engine_tasks AS t INDEXED BY engine_tasks_${live ? 'live' : 'conversation'}`,
    conversations: `json_each(?) AS wanted CROSS JOIN engine_tasks AS t INDEXED BY engine_tasks_${live ? 'live' : 'conversation'}`,
  }[extent];
  const of = { session: '', conversation: `AND t.conversation = ${integer}`, conversations: 'AND t.conversation = wanted.value' }[
    extent
  ];
  const flag = (name: string, wanted: boolean | undefined): string =>
    wanted === undefined ? '' : `AND t.${name} IS ${wanted ? '1' : 'NULL'}`;
  return `SELECT ${columns} FROM ${from} WHERE t.session = ${integer} ${of} ${live ? 'AND t.live IS NOT NULL' : ''} AND t.id BETWEEN ? AND ?
    ${role ? `AND t.role = ${text}` : ''} ${kind ? `AND t.kind = ${text}` : ''} ${flag('abort', abort)} ${flag('background', background)}
    ORDER BY t.id ${order} LIMIT ${integer}`;
}

function toHeader(row: HeaderRow): TaskHeader {
  return { ...fixed(row), role: row.role, ...marks(row) };
}

function toTask(row: Row): Task {
  return { ...fixed(row), state: JSON.parse(row.state) as Json, ...marks(row) };
}

function fixed(row: HeaderRow) {
  return { id: row.id, conversationId: row.conversation, kind: row.kind, status: row.status, after: idsOf(row.after) };
}

/** What few tasks have. */
function marks(row: HeaderRow): Pick<Task, 'background' | 'owns' | 'abort'> | undefined {
  if (row.background === null && row.abort === null && row.owns === '[]') return undefined;
  const owns = idsOf(row.owns).toSorted((a, b) => a - b);
  return {
    ...(row.background === null ? {} : { background: true as const }),
    ...(owns.length === 0 ? {} : { owns }),
    ...(row.abort === null ? {} : { abort: true as const }),
  };
}

/** Most tasks wait for nothing and own nothing. */
function idsOf(json: string): readonly Id[] {
  return json === '[]' ? [] : (JSON.parse(json) as readonly Id[]);
}
