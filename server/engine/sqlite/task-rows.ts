/** Statements over `engine_tasks`. */
import type { Database } from 'better-sqlite3';
import type { Range } from '../paging.ts';
import type { Id, Task, TaskHeader, TaskRole } from '../records.ts';
import type { TaskFilter } from '../rows.ts';
import { idOfKey, newTaskKey, taskKey } from './task-key.ts';
import { toHeader, toTask } from './task-row.ts';
import type { TaskHeaderRow, TaskRow } from './task-row.ts';
import { taskScans } from './task-scans.ts';

export interface TaskPatch {
  readonly status?: string;
  readonly role?: TaskRole;
  /** As the text that is stored. */
  readonly state?: string;
  readonly abort?: true;
}
export type TaskRows = ReturnType<typeof taskRows>;

const id = idOfKey('t.key');
const headerColumns = `${id} AS id, t.conversation, t.kind, t.status, t.role, t.background, t.abort, t.after,
  (SELECT json_group_array(c.id) FROM engine_conversations AS c WHERE c.session = t.session AND c.owner = ${id}) AS owns`;
const taskColumns = `${headerColumns}, t.state`;

export function taskRows(db: Database) {
  const insert = db.prepare<
    [number, number, Id, string, string, TaskRole, number | null, number | null, number | null, string, string]
  >(
    `INSERT INTO engine_tasks (key, session, conversation, kind, status, role, background, abort, live, after, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // A patch names no column of an index of live tasks; only the end of a task does.
  const update = db.prepare<[string | null, TaskRole | null, string | null, number | null, number]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = coalesce(?, role), state = coalesce(?, state), abort = coalesce(?, abort)
     WHERE key = ? AND role <> 'terminal'`,
  );
  const end = db.prepare<[string | null, string | null, number]>(
    `UPDATE engine_tasks SET status = coalesce(?, status), role = 'terminal', state = coalesce(?, state), live = NULL
     WHERE key = ? AND role <> 'terminal'`,
  );
  const tasksByKey = byKey<TaskRow>(db, taskColumns);
  const headersByKey = byKey<TaskHeaderRow>(db, headerColumns);
  const isLive = db.prepare<[number], 1>("SELECT 1 FROM engine_tasks WHERE key = ? AND role <> 'terminal'").pluck();
  const tasks = taskScans<TaskRow>(db, taskColumns);
  const headers = taskScans<TaskHeaderRow>(db, headerColumns);

  return {
    /** `state`: as the text that is stored. */
    insert(session: number, task: Omit<Task, 'state'>, role: TaskRole, state: string): void {
      const { conversationId, kind, status, background, abort, after } = task;
      const key = newTaskKey(session, task.id);
      const flags = [background === undefined ? null : 1, abort === undefined ? null : 1] as const;
      const live = role === 'terminal' ? null : 1;
      insert.run(key, session, conversationId, kind, status, role, ...flags, live, JSON.stringify(after), state);
    },
    /** False when there is no such live task. */
    update(session: number, task: Id, patch: TaskPatch): boolean {
      const { status = null, role = null, state = null, abort } = patch;
      if (role === 'terminal') return end.run(status, state, taskKey(session, task)).changes === 1;
      return update.run(status, role, state, abort === undefined ? null : 1, taskKey(session, task)).changes === 1;
    },
    isLive: (session: number, task: Id): boolean => isLive.get(taskKey(session, task)) !== undefined,
    tasks: tasksByKey,
    headers: headersByKey,
    range: (session: number, filter: TaskFilter, range: Range, limit: number): Task[] =>
      tasks(session, filter, range, limit).map(toTask),
    headerRange: (session: number, filter: TaskFilter, range: Range, limit: number): TaskHeader[] =>
      headers(session, filter, range, limit).map(toHeader),
  };
}

/** A few are looked up one by one: a list as JSON costs as much as a dozen lookups. */
function byKey<Row>(db: Database, columns: string): (session: number, ids: readonly Id[]) => Row[] {
  const one = db.prepare<[number], Row>(`SELECT ${columns} FROM engine_tasks AS t WHERE t.key = ?`);
  const many = db.prepare<[string], Row>(
    `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN engine_tasks AS t ON t.key = wanted.value`,
  );
  return (session, ids) => {
    if (ids.length > few) return many.all(JSON.stringify(ids.map((task) => taskKey(session, task))));
    const rows: Row[] = [];
    for (const task of ids) {
      const row = one.get(taskKey(session, task));
      if (row !== undefined) rows.push(row);
    }
    return rows;
  };
}

const few = 12;
