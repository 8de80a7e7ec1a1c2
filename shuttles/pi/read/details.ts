/**
 * Facts about an action, from what its call said and what the result's `details` and text say. Shapes of pi 0.73 and 1.6 and of omp
 * 18.2; anything else gives fewer facts. Only the end of an output is looked at, however long it is.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { bool, filled, num, obj, objects } from '../../kit/fields.ts';
import { fileChanges } from './changes.ts';
import { askedIn } from './questions.ts';
import { cut, type OpenCall } from './state.ts';
import { toolOf } from './tools.ts';

export interface Outcome {
  readonly call: OpenCall | undefined;
  readonly toolName: string;
  readonly message: JsonObject;
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
}

export function actionDetails(outcome: Outcome): ActionDetails {
  const { call, message, toolName } = outcome;
  const facts = obj(message, 'details');
  const { action, server } = toolOf(toolName, facts);
  const end = ending(outcome.content);
  const exitCode = action === 'command' ? exitCodeOf(outcome, facts, end) : undefined;
  const status = statusOf(outcome, facts, end, exitCode);
  const durationMs = num(message, 'durationMs') ?? num(facts, 'wallTimeMs') ?? num(facts, 'totalDurationMs');
  const changes = outcome.isError || action !== 'edit' ? [] : fileChanges(call, facts);
  const url = action === 'fetch' ? (call?.url ?? filled(facts, 'url') ?? call?.path) : undefined;
  const questions =
    action === 'question' ? askedIn(call?.questions ?? [], facts, outcome.isError ? undefined : whole(outcome)) : [];
  const decision = status === 'denied' ? { allowed: false, by: userDenied.test(end) ? 'user' : 'extension' } : undefined;
  const extra = extraOf(outcome, facts, action);
  return {
    action,
    ...(status === undefined ? {} : { status }),
    ...(action === 'command' && call?.command !== undefined ? { command: call.command } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs: Math.round(durationMs) }),
    ...(changes.length === 0 ? {} : { files: changes }),
    ...(url === undefined ? {} : { url: cut(url, 2000) }),
    ...(server === undefined ? {} : { server: cut(server, 200) }),
    ...(questions.length === 0 ? {} : { questions }),
    ...(isTruncated(facts) ? { truncated: true } : {}),
    ...(decision === undefined ? {} : { decision }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function extraOf({ call }: Outcome, facts: JsonObject | undefined, action: ActionDetails['action']): JsonObject {
  const full = filled(facts, 'fullOutputPath');
  const path = action === 'read' || action === 'search' ? call?.path : undefined;
  const job = filled(obj(facts, 'async'), 'jobId');
  const agents = action === 'agent' ? objects(facts, 'results').flatMap((result) => filled(result, 'id') ?? []) : [];
  return {
    ...(path === undefined ? {} : { path }),
    ...(full === undefined ? {} : { savedAt: cut(full, 1000) }),
    ...(job === undefined ? {} : { backgroundTask: cut(job, 80) }),
    ...(agents.length === 0 ? {} : { agents: agents.slice(0, 32).map((id) => cut(id, 200)) }),
  };
}

function isTruncated(facts: JsonObject | undefined): boolean {
  return (
    filled(facts, 'fullOutputPath') !== undefined ||
    bool(obj(facts, 'truncation'), 'truncated') === true ||
    obj(obj(facts, 'meta'), 'truncation') !== undefined
  );
}

/** Text that came from the web is quoted as such. */
export function isWeb(details: ActionDetails): boolean {
  return details.action === 'fetch' || details.action === 'webSearch';
}

function whole({ content }: Outcome): string | undefined {
  const [only] = content;
  return content.length === 1 && only?.type === 'text' ? only.text : undefined;
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

const userDenied = /^Tool call (?:denied|rejected) by user\b/;

/** Undefined: it has only begun, and goes on in the background. */
function statusOf(
  outcome: Outcome,
  facts: JsonObject | undefined,
  end: string,
  exitCode: number | undefined,
): ActionDetails['status'] {
  if (!outcome.isError) {
    if (filled(obj(facts, 'async'), 'state') === 'running') return undefined;
    if (bool(facts, 'timedOut') === true && exitCode !== 0) return 'interrupted';
    return exitCode === undefined || exitCode === 0 ? 'completed' : 'failed';
  }
  if (outcome.call?.interrupted === true) return 'interrupted';
  if (/(?:^|\n)\[?(?:Command|Operation) aborted\]?$/.test(end) || end === 'This operation was aborted') return 'interrupted';
  if (end === 'Ask tool was cancelled by the user') return 'interrupted';
  return userDenied.test(end) || /^Tool execution was blocked\b/.test(end) ? 'denied' : 'failed';
}

/** A failure names its code at the end of its output; a success has none but 0, and what runs on or was killed has none at all. */
function exitCodeOf(outcome: Outcome, facts: JsonObject | undefined, end: string): number | undefined {
  const given = num(facts, 'exitCode');
  if (given !== undefined && Number.isSafeInteger(given)) return given;
  const said = /(?:^|\n)Command exited with code (-?\d{1,10})$/.exec(end)?.[1];
  if (outcome.isError && said !== undefined) return Number(said);
  const runs = obj(facts, 'async') !== undefined || bool(facts, 'timedOut') === true;
  return outcome.isError || runs ? undefined : 0;
}
