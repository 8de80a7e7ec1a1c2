/**
 * Items of the UI log as facts about an action: what ran, how it ended, what it changed. Each item type has one function; the
 * legacy `*_end` events hold the same fields under other names.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { asObject, bool, count, field, filled, num, obj, objects, oneLine, str, strings } from '../../kit/fields.ts';
import { changesOf } from './changes.ts';
import { cut, type ActionFact, type Plain } from './state.ts';

type Details = Plain<ActionDetails>;

/** Longest output that waits for its result or goes into a step. */
const longestOutput = 256 * 1024;

export function commandFact(item: JsonObject): ActionFact {
  const command = commandText(field(item, 'command'));
  const exitCode = num(item, 'exit_code');
  const status = statusOf(item, exitCode === undefined || exitCode === 0 ? undefined : 'failed');
  const details: Details = {
    action: 'command',
    ...status,
    command,
    ...optional('cwd', plainPath(filled(item, 'cwd'))),
    ...(exitCode !== undefined && { exitCode }),
    ...duration(item),
    ...commandExtra(item),
  };
  const output = str(item, 'aggregated_output') ?? joined(str(item, 'stdout'), str(item, 'stderr'));
  return { id: idOf(item), title: oneLine(command, 200), ...outputOf(output), isError: isError(details), details };
}

/** Who ran it, when it was no model; and the files that it only read, as Codex took the command apart. */
function commandExtra(item: JsonObject): { readonly extra?: NonNullable<Details['extra']> } {
  const reads = objects(item, 'parsed_cmd').flatMap((part) => (str(part, 'type') === 'read' ? (filled(part, 'path') ?? []) : []));
  const extra = {
    ...(str(item, 'source') === 'user_shell' && { source: 'user' }),
    ...(reads.length > 0 && { reads: reads.slice(0, 16).map((path) => cut(path, 1000)) }),
  };
  return Object.keys(extra).length === 0 ? {} : { extra };
}

export function changeFact(item: JsonObject): ActionFact {
  const files = changesOf(item);
  const success = bool(item, 'success');
  const details: Details = { action: 'edit', ...statusOf(item, success === false ? 'failed' : undefined), files };
  const title = files.length === 1 ? `Edit ${files[0]?.path ?? ''}` : `Edit ${files.length} files`;
  const output = joined(str(item, 'stdout'), str(item, 'stderr'));
  return { id: idOf(item), title: oneLine(title, 200), ...outputOf(output), isError: isError(details), details };
}

export function mcpFact(item: JsonObject): ActionFact {
  const call = obj(item, 'invocation') ?? item;
  const server = str(call, 'server');
  const tool = str(call, 'tool') ?? 'tool';
  const result = obj(item, 'result');
  const failure = filled(item, 'error') ?? filled(obj(item, 'error'), 'message') ?? str(result, 'Err');
  const content = obj(result, 'Ok') ?? result;
  const failed = failure !== undefined || bool(content, 'isError') === true || bool(content, 'is_error') === true;
  const details: Details = {
    action: 'mcp',
    ...statusOf(item, failed ? 'failed' : undefined),
    ...optional('server', server),
    ...duration(item),
    extra: { tool, ...(field(call, 'arguments') !== undefined && { arguments: short(field(call, 'arguments')) }) },
  };
  const output =
    failure ??
    objects(content, 'content')
      .flatMap((part) => str(part, 'text') ?? [])
      .join('\n');
  return {
    id: idOf(item),
    title: oneLine(server === undefined ? tool : `${server}: ${tool}`, 200),
    ...outputOf(output),
    isError: isError(details),
    details,
  };
}

export function searchFact(item: JsonObject): ActionFact {
  const action = obj(item, 'action');
  const query = filled(item, 'query') ?? filled(action, 'query') ?? strings(action, 'queries').join(', ');
  const url = filled(action, 'url');
  const kind = str(action, 'type');
  const opened = kind === 'open_page' || kind === 'find_in_page';
  const details: Details = {
    action: opened ? 'fetch' : 'webSearch',
    ...statusOf(item, undefined),
    ...optional('url', url),
    ...(action !== undefined && { extra: { search: short(action) } }),
  };
  return {
    id: idOf(item),
    title: oneLine((opened ? url : query) ?? '', 200) || 'Web search',
    isError: isError(details),
    details,
  };
}

export function imageViewFact(item: JsonObject): ActionFact {
  const path = plainPath(filled(item, 'path')) ?? '';
  return {
    id: idOf(item),
    title: oneLine(`Look at ${path}`, 200),
    isError: false,
    details: { action: 'image', status: 'completed', extra: { path } },
  };
}

export function imageMadeFact(item: JsonObject): ActionFact {
  const prompt = filled(item, 'revised_prompt') ?? filled(item, 'revisedPrompt');
  const details: Details = {
    action: 'image',
    ...statusOf(item, undefined),
    ...(prompt !== undefined && { extra: { prompt: cut(prompt, 4000) } }),
  };
  return { id: idOf(item), title: oneLine(prompt ?? 'Image', 200), isError: isError(details), details };
}

export interface AgentFact extends ActionFact {
  readonly agents: readonly string[];
}

/** SubAgentActivity: `started` answers the call with that id, `completed` comes with an id of its own. */
export function agentFact(item: JsonObject): AgentFact {
  const agent = filled(item, 'agent_thread_id');
  const path = filled(item, 'agent_path') ?? 'sub-agent';
  const kind = filled(item, 'kind') ?? 'active';
  const details: Details = { action: 'agent', ...statusOf(item, undefined), ...optional('agent', agent), extra: { path, kind } };
  return {
    id: idOf(item),
    title: oneLine(`${path} ${kind}`, 200),
    isError: false,
    details,
    agents: kind === 'started' && agent !== undefined ? [agent] : [],
  };
}

/** CollabAgentToolCall: spawn, send, wait, close. Only a spawn starts its receivers. */
export function collabFact(item: JsonObject): AgentFact {
  const tool = filled(item, 'tool') ?? 'agent';
  const receivers = strings(item, 'receiver_thread_ids');
  const details: Details = {
    action: 'agent',
    ...statusOf(item, undefined),
    ...optional('agent', receivers[0]),
    extra: { tool, receivers: receivers.slice(0, 32) },
  };
  return {
    id: idOf(item),
    title: oneLine(tool, 200),
    isError: isError(details),
    details,
    agents: /spawn/i.test(tool) ? receivers : [],
  };
}

/** `["/bin/bash","-lc","cat a"]` is the script `cat a`; another argument list is shown as a shell would take it. */
export function commandText(command: unknown): string {
  if (typeof command === 'string') return cut(command, longestOutput);
  const argv = Array.isArray(command) ? command.filter((word): word is string => typeof word === 'string') : [];
  const shell = /(?:^|[\\/])(?:ba|z|da|fi)?sh(?:\.exe)?$|(?:^|[\\/])(?:pwsh|powershell)(?:\.exe)?$/i.test(argv[0] ?? '');
  const script = argv.at(-1);
  if (shell && argv.length === 3 && script !== undefined && /^-[a-z]*c(?:ommand)?$/i.test(argv[1] ?? ''))
    return cut(script, longestOutput);
  return cut(argv.map(quoted).join(' '), longestOutput);
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** `file:///home/user/shop` as the path that it names. */
export function plainPath(path: string | undefined): string | undefined {
  if (path === undefined || !path.startsWith('file://')) return path;
  const rest = path.slice('file://'.length);
  try {
    const decoded = decodeURIComponent(rest);
    return /^\/[A-Za-z]:/.test(decoded) ? decoded.slice(1) : decoded;
  } catch (error) {
    if (error instanceof URIError) return rest;
    throw error;
  }
}

export function isError(details: Details): boolean {
  return details.status !== undefined && details.status !== 'completed';
}

function statusOf(item: JsonObject, otherwise: 'failed' | undefined): Pick<Details, 'status' | 'decision'> {
  const status = str(item, 'status');
  if (status === 'failed' || status === 'error') return { status: 'failed' };
  if (status === 'declined' || status === 'denied') return { status: 'denied', decision: { allowed: false, by: 'user' } };
  if (status === 'interrupted' || status === 'cancelled' || status === 'aborted') return { status: 'interrupted' };
  if (otherwise !== undefined) return { status: otherwise };
  // An item that is reported as under way never comes again: there is no status to give.
  return status === 'in_progress' || status === 'inProgress' ? {} : { status: 'completed' };
}

/** Milliseconds from `{secs,nanos}`, `duration_ms` or the item's own two times. */
function duration(item: JsonObject): { readonly durationMs?: number } {
  const parts = obj(item, 'duration');
  const secs = num(parts, 'secs');
  if (secs !== undefined) return { durationMs: Math.round(secs * 1000 + (num(parts, 'nanos') ?? 0) / 1e6) };
  const milliseconds = count(item, 'duration_ms');
  return milliseconds === undefined ? {} : { durationMs: milliseconds };
}

function idOf(item: JsonObject): string {
  return filled(item, 'call_id') ?? filled(item, 'id') ?? '';
}

function joined(...texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n');
}

function outputOf(output: string | undefined): { readonly output?: string } {
  return output === undefined || output === '' ? {} : { output: cut(output, longestOutput) };
}

function optional<K extends 'cwd' | 'server' | 'url' | 'agent'>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<K, string>>);
}

/** A value small enough to be kept beside an action; else what it was, in words. */
function short(value: unknown): Details['extra'] {
  const object = asObject(value as JsonObject);
  if (object === undefined) return { value: cut(JSON.stringify(value) ?? '', 4000) };
  const text = JSON.stringify(object);
  return text.length <= 8000 ? object : { value: cut(text, 4000) };
}
