/** What is remembered of a tool call until its result comes: the few facts that the result's record does not repeat. */
import type { ToolCallBlock } from '../../contract/message.ts';
import { objects, str } from '../../kit/fields.ts';
import { planItems } from '../../kit/plan-items.ts';
import { cut, remember, type OpenCall, type State } from './state.ts';

export function openCall(state: State, block: ToolCallBlock): void {
  const input = block.arguments;
  const text = (name: string, max: number): string | undefined => {
    const value = str(input, name);
    return value === undefined ? undefined : cut(value, max);
  };
  const call: OpenCall = { id: block.id, name: cut(block.name, 200) };
  const command = text('command', 4000);
  const url = text('url', 1000);
  const path = text('file_path', 1000) ?? text('notebook_path', 1000);
  const title = text('description', 200) ?? text('subject', 300);
  const agent = text('subagent_type', 100);
  const status = text('status', 40);
  const taskId = text('taskId', 40);
  const questions = objects(input, 'questions').flatMap((question) => str(question, 'question') ?? []);
  if (command !== undefined) call.command = command;
  if (url !== undefined) call.url = url;
  if (path !== undefined) call.path = path;
  if (title !== undefined) call.title = title;
  if (agent !== undefined) call.agent = agent;
  if (status !== undefined) call.status = status;
  if (taskId !== undefined) call.taskId = taskId;
  if (questions.length > 0) call.questions = questions.slice(0, 8).map((question) => cut(question, 500));
  const todos = block.name === 'TodoWrite' ? planItems(objects(input, 'todos')) : [];
  if (todos.length > 0) {
    for (const other of state.calls) delete other.todos;
    call.todos = todos.slice(0, 100).map((todo) => ({ text: cut(todo.text, 300), status: todo.status }));
  }
  remember(state, 'calls', call);
}

/** The newest open call of that id, which is then no longer open: ids are used again in forks and by old versions. */
export function closeCall(state: State, id: string): OpenCall | undefined {
  const index = state.calls.findLastIndex((call) => call.id === id);
  return index < 0 ? undefined : state.calls.splice(index, 1)[0];
}
