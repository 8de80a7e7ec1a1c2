/**
 * Facts about an action, from what its call said and what the result's `details` and text say. Shapes of pi 0.73 and 1.6 and of omp
 * 18.2; anything else gives fewer facts. Only the end of an output is looked at, however long it is.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { bool, count, filled, num, obj } from '../../kit/fields.ts';
import { fileChange } from './changes.ts';
import { cut, type OpenCall } from './state.ts';

export interface Outcome {
  readonly call: OpenCall | undefined;
  readonly toolName: string;
  readonly message: JsonObject;
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
}
type Action = ActionDetails['action'] & string;

/** pi's own tools and, after them, omp's. */
const actions: Readonly<Record<string, Action>> = {
  bash: 'command',
  read: 'read',
  edit: 'edit',
  write: 'edit',
  grep: 'search',
  find: 'search',
  ls: 'search',
  ssh: 'command',
  python: 'command',
  notebook: 'edit',
  fetch: 'fetch',
  web_fetch: 'fetch',
  web_search: 'webSearch',
  browser: 'fetch',
  ask: 'question',
  task: 'agent',
  todo: 'plan',
  todo_write: 'plan',
  generate_image: 'image',
};

export function actionDetails(outcome: Outcome): ActionDetails {
  const { call, message, toolName } = outcome;
  const facts = obj(message, 'details');
  // Both `mcp__server__tool` and the details name the server of a call through MCP.
  const server = /^mcp__(.+?)__/.exec(toolName)?.[1];
  const action = server === undefined ? actionOf(toolName) : 'mcp';
  const end = ending(outcome.content);
  const status = statusOf(outcome, end);
  const exitCode = action === 'command' ? exitCodeOf(outcome, facts, end) : undefined;
  const durationMs = num(message, 'durationMs') ?? num(facts, 'wallTimeMs');
  const change = outcome.isError || action !== 'edit' ? undefined : fileChange(call, facts);
  const full = filled(facts, 'fullOutputPath');
  const truncated = full !== undefined || bool(obj(facts, 'truncation'), 'truncated') === true;
  const path = action === 'read' || action === 'search' ? call?.path : undefined;
  const questions = action === 'question' ? (call?.questions ?? []) : [];
  const extra: JsonObject = {
    ...(path === undefined ? {} : { path }),
    ...(full === undefined ? {} : { savedAt: cut(full, 1000) }),
  };
  return {
    action,
    status,
    ...(action === 'command' && call?.command !== undefined ? { command: call.command } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs: Math.round(durationMs) }),
    ...(change === undefined ? {} : { files: [change] }),
    ...(action === 'fetch' && call?.url !== undefined ? { url: call.url } : {}),
    ...(server === undefined ? {} : { server: cut(server, 200) }),
    ...(questions.length === 0 ? {} : { questions: answered(questions, outcome) }),
    ...(truncated ? { truncated: true } : {}),
    ...(status === 'denied' ? { decision: { allowed: false, by: 'extension' } } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Tools that were carried in from elsewhere keep the names that they had there. */
function actionOf(toolName: string): Action {
  const name = toolName.toLowerCase();
  return (Object.hasOwn(actions, name) ? actions[name] : undefined) ?? 'other';
}

/** Text that came from the web is quoted as such. */
export function isWeb(toolName: string): boolean {
  return toolName === 'fetch' || toolName === 'web_fetch' || toolName === 'web_search' || toolName === 'browser';
}

function ending(content: readonly UserBlock[]): string {
  const last = content.findLast((block) => block.type === 'text');
  // omp says how long a command took behind everything else.
  return last?.type === 'text'
    ? last.text
        .slice(-300)
        .replace(/\s*Wall time: [\d.]+ seconds$/, '')
        .trimEnd()
    : '';
}

function statusOf(outcome: Outcome, end: string): NonNullable<ActionDetails['status']> {
  if (!outcome.isError) return 'completed';
  if (outcome.call?.interrupted === true) return 'interrupted';
  if (/(?:^|\n)(?:Command|Operation) aborted$/.test(end) || end === 'This operation was aborted') return 'interrupted';
  return /^Tool execution was blocked\b/.test(end) ? 'denied' : 'failed';
}

/** A failure names its code at the end of its output; a success has none but 0. */
function exitCodeOf(outcome: Outcome, facts: JsonObject | undefined, end: string): number | undefined {
  const given = count(facts, 'exitCode');
  if (given !== undefined) return given;
  if (!outcome.isError) return 0;
  const said = /(?:^|\n)Command exited with code (-?\d{1,10})$/.exec(end)?.[1];
  return said === undefined ? undefined : Number(said);
}

function answered(questions: readonly string[], outcome: Outcome): readonly { question: string; answer?: string }[] {
  const [only] = outcome.content;
  const text = outcome.content.length === 1 && only?.type === 'text' ? only.text : undefined;
  const answer = questions.length === 1 && !outcome.isError && text !== undefined ? { answer: cut(text, 4000) } : {};
  return questions.map((question) => ({ question, ...answer }));
}
