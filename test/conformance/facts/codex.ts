/** What Codex's rollouts say, by a script over their lines: legacy and paginated, plain and compressed. */
import { Found, planText } from './fact.ts';
import { countLines, filesBelow, linesOf, textOf, type Raw } from './raw.ts';

const shells = new Set(['shell', 'exec_command', 'local_shell', 'shell_command', 'write_stdin']);

export function codexFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.codex\/(?:archived_)?sessions\/.*\.jsonl(?:\.zst)?$/)) readFile(found, linesOf(file));
  return found;
}

/** Before 0.30 a line was the payload itself. */
function readFile(found: Found, records: readonly Raw[]): void {
  const lines = records.map((line) => (line.payload === undefined ? { ...line, payload: line } : line));
  const meta: Raw = lines.find(({ type }) => type === 'session_meta')?.payload ?? {};
  const items = new Map<string, Raw>();
  const calls = new Map<string, Raw>();
  for (const { payload } of lines) {
    const item = payload?.item ?? legacyItem(payload);
    if (item?.id !== undefined) items.set(item.id, item);
  }
  let model: string | undefined;
  let total: Raw = { input_tokens: 0, output_tokens: 0 };
  let [given, made] = [0, 0];
  const hasRecords = lines.some(({ type }) => type === 'token_usage_record');
  let lastError = '';
  for (const { type, payload, timestamp } of lines) {
    const kind = payload?.type;
    if (type === 'turn_context' && payload.model !== undefined) found.add('modelChange', (model = payload.model));
    if (kind === 'thread_settings_applied' && payload.thread_settings?.model !== undefined)
      found.add('modelChange', (model = payload.thread_settings.model));
    if (type === 'token_usage_record' && payload.thread_id === meta.id) {
      if (model !== undefined) found.add('model', model);
      found.spend(payload.response_id, payload.usage.input_tokens, payload.usage.output_tokens);
    }
    const now = kind === 'token_count' ? payload.info?.total_token_usage : undefined;
    if (now !== undefined && !hasRecords) {
      // What it grew by; a total that fell began anew.
      const base =
        now.input_tokens < total.input_tokens || now.output_tokens < total.output_tokens
          ? { input_tokens: 0, output_tokens: 0 }
          : total;
      given += now.input_tokens - base.input_tokens;
      made += now.output_tokens - base.output_tokens;
      total = now;
    }
    const isSaid = (kind === 'message' && payload.role === 'assistant') || kind === 'function_call' || kind === 'agent_message';
    if ((isSaid || now?.output_tokens > 0) && model !== undefined) found.add('model', model);
    if (kind === 'token_count') limits(found, payload.rate_limits);
    if (kind === 'function_call' || kind === 'custom_tool_call' || kind === 'local_shell_call') {
      calls.set(payload.call_id, payload);
      if (payload.name === 'update_plan') plan(found, payload);
    }
    if (kind === 'function_call_output' || kind === 'custom_tool_call_output')
      output(found, payload.call_id, payload.output, calls.get(payload.call_id), items.get(payload.call_id));
    if (kind === 'message') for (const part of Array.isArray(payload.content) ? payload.content : []) image(found, part);
    const item = kind === 'item_completed' ? payload.item : legacyItem(payload);
    if (item !== undefined) itemFacts(found, item);
    if (kind === 'task_complete') {
      const error = payload.error?.message ?? payload.error;
      found.add(error ? 'turnFailed' : 'turnCompleted', payload.turn_id ?? Date.parse(timestamp));
      if (error && error !== lastError)
        found.add('error', isLimit(payload.error, error) ? 'limit' : 'apiError', error.slice(0, 80), resetOf(lines, error));
      lastError = '';
    }
    if (kind === 'error')
      found.add(
        'error',
        isLimit(payload, payload.message) ? 'limit' : 'apiError',
        (lastError = payload.message).slice(0, 80),
        resetOf(lines, lastError),
      );
    if (kind === 'turn_aborted') found.add('turnInterrupted', payload.turn_id ?? Date.parse(timestamp));
    if (type === 'compacted') found.add('compaction', (payload.message || summaryIn(lines)).slice(0, 80));
  }
  if (given + made > 0) found.spend(`file ${meta.id}`, given, made);
}

function isLimit(error: Raw, text: string): boolean {
  return /usage_limit/.test(JSON.stringify(error?.codex_error_info ?? '')) || /usage limit/i.test(text);
}

/** The time that the full window of the newest `token_count` names, for errors that are limits. */
function resetOf(lines: readonly Raw[], text: string): number | undefined {
  if (!/usage limit/i.test(text)) return undefined;
  const full = lines.findLast(({ payload }) => payload?.rate_limits?.primary?.used_percent >= 100);
  return full === undefined ? undefined : full.payload.rate_limits.primary.resets_at * 1000;
}

function limits(found: Found, limit: Raw): void {
  const { primary } = limit ?? {};
  if (!(primary?.used_percent >= 100)) return;
  const type = limit.rate_limit_reached_type;
  found.add(
    'error',
    'limit',
    `Usage limit reached: ${primary.window_minutes / 60} hours${type ? `, ${type}` : ''}`,
    primary.resets_at * 1000,
  );
}

function summaryIn(lines: readonly Raw[]): string {
  const said = lines.findLast(({ payload, metadata }) => (payload?.metadata ?? metadata)?.compaction_output === true);
  return textOf(said?.payload?.content);
}

function plan(found: Found, call: Raw): void {
  const states: Readonly<Record<string, string>> = { in_progress: 'inProgress', completed: 'completed', pending: 'pending' };
  const steps: readonly Raw[] = JSON.parse(call.arguments).plan ?? [];
  found.add('plan', planText(steps.map(({ step, status }: Raw) => ({ text: step, status: states[status] ?? '' }))));
}

/** The events of legacy rollouts hold what an item does. */
function legacyItem(event: Raw): Raw {
  const types: Readonly<Record<string, string>> = {
    exec_command_end: 'CommandExecution',
    patch_apply_end: 'FileChange',
    mcp_tool_call_end: 'McpToolCall',
    web_search_end: 'WebSearch',
    view_image_tool_call: 'ImageView',
  };
  const type = types[event?.type];
  return type === undefined ? undefined : { ...event, ...event.invocation, type, id: event.call_id };
}

function itemFacts(found: Found, item: Raw): void {
  const { id } = item;
  if (item.type === 'CommandExecution') {
    found.add('command', id, scriptOf(item.command));
    if (item.exit_code !== undefined) found.add('exitCode', id, item.exit_code);
    if (item.parsed_cmd?.some((part: Raw) => part.type === 'read')) found.add('read', id);
  }
  if (item.duration?.secs !== undefined)
    found.add('duration', id, Math.round(item.duration.secs * 1000 + item.duration.nanos / 1e6));
  if (item.type === 'FileChange')
    for (const [path, change] of Object.entries<Raw>(item.changes)) fileChange(found, id, path, change);
  if (item.type === 'McpToolCall') found.add('mcp', id, item.server);
  if (item.type === 'WebSearch') {
    if (item.action?.type === 'open_page') found.add('fetch', id, item.action.url);
    else found.add('webSearch', id);
  }
  if (item.type === 'SubAgentActivity' || item.type === 'CollabAgentToolCall') found.add('agent', id);
  if (item.status === 'declined') found.add('denied', id, 'no');
}

function fileChange(found: Found, id: string, path: string, change: Raw): void {
  const kind = change.move_path ? 'move' : change.type;
  found.add('edit', id, path, kind);
  if (change.type === 'add') return found.add('diff', id, path, `+${countLines(change.content)} -0`);
  if (change.type === 'delete') return found.add('diff', id, path, `+0 -${countLines(change.content)}`);
  const lines: readonly string[] = change.unified_diff.split('\n').filter((line: string) => !/^(?:---|\+\+\+) /.test(line));
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  found.add('diff', id, path, `+${count('+')} -${count('-')}`);
}

function scriptOf(command: Raw): string {
  if (typeof command === 'string') return command;
  return command[0].endsWith('sh') && command.length === 3 ? command[2] : command.join(' ');
}

function output(found: Found, id: string, given: Raw, call: Raw, item: Raw): void {
  const text = typeof given === 'string' ? given : textOf(given);
  for (const part of Array.isArray(given) ? given : []) image(found, part);
  const name: string = call?.name ?? '';
  let args: Raw = {};
  try {
    args = JSON.parse(call?.arguments ?? '{}');
  } catch {
    args = {};
  }
  if (shells.has(name) && item === undefined && (args.cmd ?? args.command))
    found.add('command', id, scriptOf(args.cmd ?? args.command));
  const code =
    /^(?:Chunk ID: \w+\n)?Wall time: [\d.]+ seconds\nProcess exited with code (-?\d+)/.exec(text)?.[1] ??
    /^Exit code: (-?\d+)/.exec(text)?.[1] ??
    /^\{"output":.*"metadata":\{"exit_code":(-?\d+)/s.exec(text)?.[1];
  if (code !== undefined) found.add('exitCode', id, code);
  const wall =
    /^(?:Chunk ID: \w+\n|Exit code: -?\d+\n)?Wall time:? ([\d.]+) seconds\n/.exec(text)?.[1] ??
    /^Script \w+\nWall time ([\d.]+) seconds/.exec(text)?.[1] ??
    /"duration_seconds":([\d.]+)\}\}$/.exec(text)?.[1];
  const session = /\nProcess running with session ID (\d+)\n/.exec(text)?.[1];
  if (session !== undefined) found.add('background', id, session);
  const isAborted = /^(?:Wall time: [\d.]+ seconds\n)?aborted/.test(text);
  if (wall !== undefined && item?.duration === undefined && !isAborted && session === undefined)
    found.add('duration', id, Math.round(Number(wall) * 1000));
  if (isAborted) found.add('brokenOff', id);
  if (/^(?:exec command|patch|command) rejected by user/.test(text)) found.add('denied', id, 'no');
  if (name === 'apply_patch' && item === undefined && code === '0') patch(found, id, call.input);
  if (call?.namespace?.startsWith('mcp__')) found.add('mcp', id, call.namespace.slice(5));
  if (call?.namespace === 'collaboration') found.add('agent', id);
  for (const question of name === 'request_user_input' ? (args.questions ?? []) : []) {
    found.add('question', question.question);
    const answers = text.startsWith('{') ? JSON.parse(text).answers : undefined;
    if (answers?.[question.id] !== undefined) found.add('answer', question.question, answers[question.id].answers.join(', '));
  }
}

/** Only the call tells of the files, and it has no line numbers: there is no diff. */
function patch(found: Found, id: string, input: string): void {
  for (const [, verb = '', path = ''] of input.matchAll(/^\*\*\* (Add|Update|Delete) File: (.*)$/gm))
    found.add('edit', id, path, verb.toLowerCase());
}

function image(found: Found, part: Raw): void {
  const data = /^data:image\/[\w+.-]+;base64,(.*)$/s.exec(part?.image_url ?? '')?.[1];
  if (data !== undefined) found.add('image', data.slice(0, 60));
}
