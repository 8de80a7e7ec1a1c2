/**
 * Tool calls of the model and their results. The UI log reports what a call did before the model is given its result, under
 * the call's own id: those facts wait (`learn`) and become the details of the result. What belongs to no open call (code
 * mode's inner commands, a person's own `!command`, a process that ends after its turn) is a step of its own.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { asArray, asObject, field, filled, objects, parseObject, str, strings } from '../../kit/fields.ts';
import { commandText, isError } from './actions.ts';
import { patchFiles } from './changes.ts';
import { assistantEntry, endMessage } from './messages.ts';
import { readOutput } from './output.ts';
import type { Reading } from './pen.ts';
import { planCall } from './plan.ts';
import { cut, remember, type ActionFact, type Call, type Plain } from './state.ts';

export function readCall(reading: Reading, item: JsonObject): void {
  const name = toolName(item);
  const id = filled(item, 'call_id') ?? filled(item, 'id') ?? reading.pen.key;
  const args = argumentsOf(item);
  assistantEntry(reading, [{ type: 'toolCall', id, name, arguments: args }], {
    nativeId: filled(item, 'id'),
    aliases: [`call:${id}`],
  });
  remember(reading.state.calls, { id, name, done: false, ...callFacts(name, args) }, 64);
  if (name === 'update_plan') planCall(reading, args);
}

export function readResult(reading: Reading, item: JsonObject): void {
  const { state, pen } = reading;
  const id = filled(item, 'call_id') ?? filled(item, 'id') ?? pen.key;
  const number = state.calls.findIndex((known) => known.id === id);
  const call = state.calls[number];
  const fact = state.facts.find((known) => known.id === id);
  const output = readOutput(item);
  const wanted = call?.details ?? {};
  const details = resultDetails(wanted, output.details, fact?.details, answersOf(call, item));
  if (call !== undefined) state.calls[number] = { id: call.id, name: call.name, done: true, details: {} };
  if (fact !== undefined) state.facts = state.facts.filter((known) => known !== fact);
  endMessage(reading);
  pen.entry(
    'tool_result',
    {
      toolCallId: id,
      ...(call !== undefined && { toolName: call.name }),
      content: output.content,
      isError: isError(details),
      ...(Object.keys(details).length > 0 && { details }),
    },
    trustOf(details),
    { nativeId: str(item, 'id') },
  );
}

/** A fact of the UI log: kept for the result of its call, or a step at once. */
export function learn(reading: Reading, fact: ActionFact, turn: string | undefined): void {
  const { state } = reading;
  const open = state.calls.some((call) => call.id === fact.id && !call.done);
  const known = state.facts.some((other) => other.id === fact.id);
  if (open && !known && state.facts.length < 32) state.facts.push(waiting(fact));
  else step(reading, fact, turn);
}

/** The result will bring the output: of a fact that waits, the beginning is enough. */
function waiting(fact: ActionFact): ActionFact {
  return fact.output === undefined ? fact : { ...fact, output: cut(fact.output, 16_384) };
}

/** The turn is over: calls that still wait for a result will get none, and what is known of them must not be lost. */
export function settleFacts(reading: Reading): void {
  const { facts } = reading.state;
  reading.state.facts = [];
  for (const fact of facts) step(reading, fact, undefined);
}

function step(reading: Reading, fact: ActionFact, turn: string | undefined): void {
  const { state, pen } = reading;
  const late = turn !== undefined && (turn !== state.turn || !state.running);
  const details = late ? { ...fact.details, extra: { ...fact.details.extra, turnId: turn } } : fact.details;
  pen.entry(
    'step',
    {
      ...(fact.id !== '' && { stepId: fact.id }),
      title: fact.title,
      ...(fact.output !== undefined && { output: fact.output }),
      isError: fact.isError,
      details,
    },
    details.extra?.['source'] === 'user' ? 'user' : trustOf(details),
    { nativeId: fact.id },
  );
}

/** MCP tools as Codex names them to its models: `mcp__server__tool`. */
function toolName(item: JsonObject): string {
  const type = str(item, 'type');
  const name =
    filled(item, 'name') ?? (type === 'local_shell_call' ? 'local_shell' : type === 'tool_search_call' ? 'tool_search' : 'tool');
  const namespace = filled(item, 'namespace');
  if (namespace === undefined) return name;
  return namespace.startsWith('mcp__') ? `${namespace}__${name}` : `${namespace}.${name}`;
}

function argumentsOf(item: JsonObject): JsonObject {
  const action = field(item, 'action') ?? field(item, 'arguments');
  if (typeof action === 'string') return parseObject(action) ?? { input: action };
  const object = asObject(action);
  if (object !== undefined) return object;
  return { input: filled(item, 'input') ?? str(item, 'input') ?? '' };
}

function callFacts(name: string, args: JsonObject): Pick<Call, 'details' | 'questionIds'> {
  const bare = name.slice(name.lastIndexOf('.') + 1);
  const command = field(args, 'cmd') ?? field(args, 'command');
  if (['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec', 'write_stdin'].includes(bare)) {
    const text = command === undefined ? '' : cut(commandText(command), 4000);
    const cwd = filled(args, 'workdir') ?? filled(args, 'working_directory');
    return {
      details: { action: 'command', ...(text !== '' && { command: text }), ...(cwd !== undefined && { cwd: cut(cwd, 4000) }) },
    };
  }
  if (bare === 'apply_patch')
    return { details: { action: 'edit', files: patchFiles(str(args, 'input') ?? str(args, 'patch') ?? '') } };
  if (name.startsWith('mcp__')) return { details: { action: 'mcp', server: name.split('__')[1] ?? '' } };
  if (bare === 'request_user_input') {
    const asked = objects(args, 'questions').slice(0, 16);
    const questions = asked.map((question) => ({ question: cut(str(question, 'question') ?? '', 1000) }));
    return {
      details: { action: 'question', questions },
      questionIds: asked.map((question) => cut(str(question, 'id') ?? '', 200)),
    };
  }
  if (bare === 'update_plan') return { details: { action: 'plan' } };
  if (bare === 'view_image') return { details: { action: 'image' } };
  if (name.startsWith('collaboration.') || /^(?:spawn|wait|send|close|resume|interrupt|list)_agents?$/.test(bare))
    return { details: { action: 'agent' } };
  return { details: {} };
}

/** What the program reports wins over what the output's header says, and that over what the call asked for. */
function resultDetails(
  wanted: Plain<ActionDetails>,
  header: Plain<ActionDetails>,
  reported: Plain<ActionDetails> | undefined,
  answers: Pick<Plain<ActionDetails>, 'questions'>,
): Plain<ActionDetails> {
  const failed = header.status !== undefined && header.status !== 'completed';
  const asked = failed && reported === undefined ? without(wanted, 'files') : wanted;
  const merged = { ...asked, ...header, ...reported, ...answers };
  // A turn that was aborted says so in the result; the process itself may have ended otherwise, later.
  return header.status === 'interrupted' || header.status === 'denied' ? { ...merged, status: header.status } : merged;
}

/** A patch that was refused changed no file. */
function without(details: Plain<ActionDetails>, name: 'files'): Plain<ActionDetails> {
  const { [name]: _, ...rest } = details;
  return rest;
}

/** `{"answers":{"color":{"answers":["Red"]}}}` beside the questions of the call. */
function answersOf(call: Call | undefined, item: JsonObject): Pick<Plain<ActionDetails>, 'questions'> {
  const ids = call?.questionIds;
  const output = str(item, 'output');
  if (ids === undefined || output === undefined) return {};
  const answers = asObject(field(parseObject(output), 'answers'));
  if (answers === undefined) return {};
  const questions = (call?.details.questions ?? []).map((question, index) => {
    const given = answerText(field(answers, ids[index] ?? ''));
    return given === '' ? question : { ...question, answer: cut(given, 4000) };
  });
  return { questions };
}

function answerText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  const list = asArray(value);
  return (list === undefined ? strings(asObject(value), 'answers') : list.filter((answer) => typeof answer === 'string')).join(
    ', ',
  );
}

function trustOf(details: Plain<ActionDetails>): 'tool' | 'web' {
  return details.action === 'webSearch' || details.action === 'fetch' ? 'web' : 'tool';
}
