/** What is remembered of a tool call until its result comes: the few facts that the result's record does not repeat. */
import type { ToolCallBlock } from '../../contract/message.ts';
import { filled, objects, str } from '../../kit/fields.ts';
import { flatPlan } from './plan.ts';
import { toolOf } from './tools.ts';
import { cut, remember, type OpenCall, type State } from './state.ts';

export function openCall(state: State, block: ToolCallBlock): void {
  const call = callOf(block);
  // A list is long: only the newest call keeps one.
  if (call.plan !== undefined) for (const other of state.calls) delete other.plan;
  remember(state, 'calls', call);
}

export function callOf(block: ToolCallBlock): OpenCall {
  const input = block.arguments;
  const call: OpenCall = { id: cut(block.id, 400), name: cut(block.name, 200) };
  const command = str(input, 'command');
  const path = filled(input, 'path') ?? filled(input, 'file_path');
  const url = filled(input, 'url');
  const content = str(input, 'content');
  const questions = [
    ...objects(input, 'questions').flatMap((question) => str(question, 'question') ?? []),
    str(input, 'question'),
  ];
  if (command !== undefined) call.command = cut(command, 4000);
  if (path !== undefined) call.path = cut(path, 1000);
  if (url !== undefined) call.url = cut(url, 1000);
  if (content !== undefined) call.lines = lineCount(content);
  const asked = questions.filter((question) => question !== undefined && question !== '');
  if (asked.length > 0) call.questions = asked.slice(0, 8).map((question) => cut(question ?? '', 500));
  const plan = toolOf(block.name, undefined).action === 'plan' || block.name === 'update_plan' ? flatPlan(input) : undefined;
  if (plan !== undefined) call.plan = plan.slice(0, 100).map(({ text, status }) => ({ text: cut(text, 300), status }));
  return call;
}

/** The newest open call of that id, which is then no longer open: ids are used again after a fork. */
export function closeCall(state: State, id: string): OpenCall | undefined {
  const index = state.calls.findLastIndex((call) => call.id === cut(id, 400));
  return index < 0 ? undefined : state.calls.splice(index, 1)[0];
}

function lineCount(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
