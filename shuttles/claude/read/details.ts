/**
 * Facts about an action, from what its call said, what the record's `toolUseResult` says (an object, a text for failures, a
 * list for MCP) and the decision fields beside it. Shapes as seen in 2.0.77 to 2.1.332; anything else gives fewer facts.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { asObject, asStr, bool, num, obj, objects, str, type Loose } from '../../kit/fields.ts';
import { fileChange } from './patch.ts';
import { cut, type OpenCall } from './state.ts';

export interface Outcome {
  readonly call: OpenCall | undefined;
  readonly row: JsonObject;
  readonly facts: Loose;
  /** The result's text as the model got it. */
  readonly text: string;
  readonly isError: boolean;
}

const actions: Readonly<Record<string, ActionDetails['action'] & string>> = {
  Bash: 'command',
  PowerShell: 'command',
  BashOutput: 'command',
  TaskOutput: 'command',
  KillShell: 'command',
  KillBash: 'command',
  TaskStop: 'command',
  Monitor: 'command',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  NotebookRead: 'read',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  ToolSearch: 'search',
  ListMcpResourcesTool: 'mcp',
  ReadMcpResourceTool: 'mcp',
  WebFetch: 'fetch',
  WebSearch: 'webSearch',
  AskUserQuestion: 'question',
  Agent: 'agent',
  Task: 'agent',
  TodoWrite: 'plan',
  TaskCreate: 'plan',
  TaskUpdate: 'plan',
  TaskList: 'plan',
  TaskGet: 'plan',
  EnterPlanMode: 'plan',
  ExitPlanMode: 'plan',
};

export function actionDetails(outcome: Outcome): ActionDetails | undefined {
  const { call, row } = outcome;
  const facts = asObject(outcome.facts);
  const name = call?.name ?? '';
  const mcp = /^mcp__(.+?)__/.exec(name)?.[1];
  const action =
    mcp !== undefined ? 'mcp' : Object.hasOwn(actions, name) ? actions[name] : call === undefined ? undefined : 'other';
  const status = statusOf(outcome, facts);
  const exitCode = action === 'command' ? exitCodeOf(outcome, facts, status) : undefined;
  const seconds = num(facts, 'durationSeconds');
  const durationMs =
    num(facts, 'durationMs') ?? num(facts, 'totalDurationMs') ?? (seconds === undefined ? undefined : seconds * 1000);
  const url = action === 'fetch' ? (call?.url ?? str(facts, 'url')) : undefined;
  const change = facts === undefined || outcome.isError ? undefined : fileChange(facts);
  const agent = str(facts, 'agentId');
  const questions = action === 'question' ? answers(call, facts) : [];
  const decision = decisionOf(row);
  const truncated = outcome.text.startsWith('<persisted-output>') || str(facts, 'persistedOutputPath') !== undefined;
  const extra = extraOf(outcome, facts);
  const details: ActionDetails = {
    ...(action === undefined ? {} : { action }),
    ...(status === undefined ? {} : { status }),
    ...(action === 'command' && call?.command !== undefined ? { command: call.command } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs: Math.round(durationMs) }),
    ...(change === undefined ? {} : { files: [change] }),
    ...(url === undefined ? {} : { url: cut(url, 2000) }),
    ...(mcp === undefined ? {} : { server: mcp }),
    ...(agent === undefined ? {} : { agent: cut(agent, 80) }),
    ...(questions.length === 0 ? {} : { questions }),
    ...(truncated ? { truncated: true } : {}),
    ...(decision === undefined ? {} : { decision }),
    ...(extra === undefined ? {} : { extra }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

const refusal = /^(?:The user doesn't want to (?:proceed|take this action)|Permission to use .{1,200} has been denied)/;

function statusOf(outcome: Outcome, facts: JsonObject | undefined): ActionDetails['status'] {
  const denial = str(outcome.row, 'toolDenialKind');
  if (denial === 'interrupted' || bool(facts, 'interrupted') === true) return 'interrupted';
  if (denial !== undefined) return 'denied';
  if (outcome.isError) return refusal.test(outcome.text) ? 'denied' : 'failed';
  // What runs on in the background has only begun.
  if (str(facts, 'backgroundTaskId') !== undefined || bool(facts, 'isAsync') === true) return undefined;
  return outcome.call === undefined && facts === undefined ? undefined : 'completed';
}

/** Failures say `Exit code N` at their beginning; a success has no number of its own. */
function exitCodeOf(outcome: Outcome, facts: JsonObject | undefined, status: ActionDetails['status']): number | undefined {
  const said = /^(?:Error: )?Exit code (-?\d{1,10})(?:\n|$)/.exec(outcome.isError ? outcome.text : '')?.[1];
  if (said !== undefined) return Number(said);
  // BashOutput and TaskOutput tell of a command that was begun before.
  const given = num(facts, 'exitCode') ?? num(obj(facts, 'task'), 'exitCode');
  if (given !== undefined && Number.isSafeInteger(given)) return given;
  if (str(facts, 'status') === 'running') return undefined;
  return status === 'completed' && str(facts, 'stdout') !== undefined ? 0 : undefined;
}

function answers(call: OpenCall | undefined, facts: JsonObject | undefined): readonly { question: string; answer?: string }[] {
  const given = obj(facts, 'answers');
  const asked = objects(facts, 'questions').flatMap((question) => str(question, 'question') ?? []);
  return (asked.length > 0 ? asked : (call?.questions ?? [])).map((question) => {
    const answer = given !== undefined && Object.hasOwn(given, question) ? answerText(given[question]) : undefined;
    return { question, ...(answer === undefined ? {} : { answer }) };
  });
}

function answerText(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return asStr(value);
}

function decisionOf(row: JsonObject): ActionDetails['decision'] {
  const decision = obj(row, 'permissionDecision');
  const verdict = str(decision, 'decision');
  if (verdict === undefined) {
    const denial = str(row, 'toolDenialKind');
    if (denial === 'user-rejected') return { allowed: false, by: 'user' };
    return denial === 'permission-rule' ? { allowed: false, by: 'rule' } : undefined;
  }
  const by = str(decision, 'source');
  return { allowed: verdict === 'accept' || verdict === 'allow', ...(by === undefined ? {} : { by: cut(by, 60) }) };
}

function extraOf(outcome: Outcome, facts: JsonObject | undefined): JsonObject | undefined {
  const said = asStr(outcome.facts);
  const background = str(facts, 'backgroundTaskId');
  const saved = str(facts, 'persistedOutputPath');
  const path = outcome.call?.path ?? str(obj(facts, 'file'), 'filePath');
  const plan = str(facts, 'plan');
  const extra: JsonObject = {
    // A failure's own words, where the model was told something else.
    ...(said === undefined || said === outcome.text || said === `Error: ${outcome.text}` ? {} : { message: cut(said, 4000) }),
    ...(background === undefined ? {} : { backgroundTask: cut(background, 80) }),
    ...(saved === undefined ? {} : { savedAt: cut(saved, 1000) }),
    ...(path === undefined || facts === undefined || str(facts, 'filePath') !== undefined ? {} : { path: cut(path, 1000) }),
    ...(plan === undefined ? {} : { plan: cut(plan, 50_000) }),
    ...(outcome.call?.agent === undefined ? {} : { agentType: outcome.call.agent }),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}
