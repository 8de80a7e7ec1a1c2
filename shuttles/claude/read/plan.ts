/**
 * The to-do list after a tool result. TodoWrite writes the whole list each time; the Task tools change one task by its number,
 * so that their list is kept between records (at most 100 tasks, the oldest go first).
 */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { arr, asObject, bool, obj, objects, str, type Loose } from '../../kit/fields.ts';
import { cut, remember, type OpenCall, type State } from './state.ts';

/** The list as it now is; undefined when this result changed nothing of it. */
export function planAfter(state: State, call: OpenCall | undefined, facts: Loose): readonly PlanItem[] | undefined {
  const said = asObject(facts);
  switch (call?.name ?? '') {
    case 'TodoWrite':
      // Transcripts without `toolUseResult` (SDK, made by hand) have the list in the call alone.
      return arr(said, 'newTodos') === undefined
        ? call?.todos
        : objects(said, 'newTodos').flatMap((todo) => item(str(todo, 'content'), str(todo, 'status')) ?? []);
    case 'TaskCreate':
      return created(state, call, obj(said, 'task'));
    case 'TaskUpdate':
      return updated(state, call, said);
    case 'TaskList':
      return listed(state, said);
    default:
      return undefined;
  }
}

function created(state: State, call: OpenCall | undefined, task: JsonObject | undefined): readonly PlanItem[] | undefined {
  const id = str(task, 'id');
  const text = str(task, 'subject') ?? call?.title;
  if (id === undefined || text === undefined) return undefined;
  state.tasks = state.tasks.filter((known) => known.id !== id);
  remember(state, 'tasks', { id: cut(id, 40), text: cut(text, 300), status: 'pending' });
  return itemsOf(state);
}

function updated(state: State, call: OpenCall | undefined, said: JsonObject | undefined): readonly PlanItem[] | undefined {
  const id = str(said, 'taskId') ?? call?.taskId;
  const task = state.tasks.find((known) => known.id === id);
  if (task === undefined || bool(said, 'success') === false) return undefined;
  const status = str(obj(said, 'statusChange'), 'to') ?? call?.status;
  if (status === 'deleted') state.tasks = state.tasks.filter((known) => known !== task);
  const before = `${task.status} ${task.text}`;
  task.status = statusOf(status) ?? task.status;
  if (call?.title !== undefined) task.text = cut(call.title, 300);
  return status === 'deleted' || before !== `${task.status} ${task.text}` ? itemsOf(state) : undefined;
}

function listed(state: State, said: JsonObject | undefined): readonly PlanItem[] | undefined {
  if (arr(said, 'tasks') === undefined) return undefined;
  const before = JSON.stringify(state.tasks);
  state.tasks = [];
  for (const task of objects(said, 'tasks')) {
    const [id, text] = [str(task, 'id'), str(task, 'subject')];
    if (id !== undefined && text !== undefined)
      remember(state, 'tasks', { id: cut(id, 40), text: cut(text, 300), status: statusOf(str(task, 'status')) ?? 'pending' });
  }
  return JSON.stringify(state.tasks) === before ? undefined : itemsOf(state);
}

function itemsOf(state: State): readonly PlanItem[] {
  return state.tasks.map(({ text, status }) => ({ text, status }));
}

function item(text: string | undefined, status: string | undefined): PlanItem | undefined {
  return text === undefined ? undefined : { text: cut(text, 1000), status: statusOf(status) ?? 'pending' };
}

function statusOf(text: string | undefined): PlanItem['status'] | undefined {
  switch (text ?? '') {
    case 'pending':
      return 'pending';
    case 'in_progress':
      return 'inProgress';
    case 'completed':
      return 'completed';
    default:
      return undefined;
  }
}
