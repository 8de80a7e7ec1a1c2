/**
 * A row of `engine_tasks` and the record that a reader gets of it. What a task owns is not stored with it: it is the conversations that name
 * it as their owner, so the two can never disagree.
 */
import type { Id, Json, Task, TaskHeader, TaskRole } from '../records.ts';

export interface TaskHeaderRow {
  readonly id: Id;
  readonly conversation: Id;
  readonly kind: string;
  readonly status: string;
  readonly role: TaskRole;
  readonly background: number | null;
  readonly abort: number | null;
  /** JSON, like what it owns and its state. */
  readonly after: string;
  readonly owns: string;
}
export interface TaskRow extends TaskHeaderRow {
  readonly state: string;
}

export function toHeader(row: TaskHeaderRow): TaskHeader {
  const { id, conversation: conversationId, kind, status, role } = row;
  const header = { id, conversationId, kind, status, after: idsOf(row.after), role };
  return isMarked(row) ? { ...header, ...marks(row) } : header;
}

export function toTask(row: TaskRow): Task {
  const { id, conversation: conversationId, kind, status } = row;
  const task = { id, conversationId, kind, status, after: idsOf(row.after), state: JSON.parse(row.state) as Json };
  return isMarked(row) ? { ...task, ...marks(row) } : task;
}

/** Few are. */
function isMarked(row: TaskHeaderRow): boolean {
  return row.background !== null || row.abort !== null || row.owns !== '[]';
}

function marks(row: TaskHeaderRow): Pick<Task, 'background' | 'owns' | 'abort'> {
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
