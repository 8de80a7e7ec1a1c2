/** What pi's and omp's session files say, by a script over their lines; OpenClaw's events are of the same kind. */
import { Found, planText } from './fact.ts';
import { filesBelow, linesOf, textOf, type Raw } from './raw.ts';

export function piFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.(?:pi|omp)\/agent\/sessions\/.*\.jsonl$/)) eventFacts(found, linesOf(file), piTools);
  return found;
}

/** Names of tools by what they do. */
export interface Tools {
  readonly command: RegExp;
  readonly edit: RegExp;
  readonly read: RegExp;
  readonly search: RegExp;
  readonly agent: RegExp;
  readonly plan: RegExp;
}
const piTools: Tools = {
  command: /^(?:bash|ssh|python|eval|codemode)$/,
  edit: /^(?:edit|write|ast_edit|notebook)$/,
  read: /^read$/,
  search: /^(?:grep|find|ls|glob|ast_grep|search)$/,
  agent: /^(?:task|hub)$/,
  plan: /^(?:todo|todo_write)$/,
};

export function eventFacts(found: Found, rows: readonly Raw[], tools: Tools): void {
  const calls = new Map<string, Raw>();
  const broken = new Set<string>();
  let model: string | undefined;
  for (const row of rows) {
    const message: Raw = row.message ?? {};
    if (row.type === 'model_change' && (row.role === undefined || row.role === 'default')) {
      const named = row.modelId ?? row.model?.slice(row.model.indexOf('/') + 1);
      if (model !== undefined && named !== model) found.add('modelChange', named);
      model = named;
    }
    if (row.type === 'compaction') found.add('compaction', row.summary.slice(0, 80));
    if (row.customType === 'user_todo_edit') phases(found, row.data.phases);
    if (row.customType === 'session_exit' && row.data.kind === 'signal') {
      found.add('turnInterrupted', nameOf(row));
      for (const { toolCallId } of row.data.pendingToolCalls ?? []) broken.add(toolCallId);
    }
    if (message.role === 'user') images(found, message.content);
    if (message.role === 'assistant' && message.model !== 'delivery-mirror') {
      model = answer(found, row, message, calls) ?? model;
    }
    if (message.role === 'toolResult') {
      images(found, message.content);
      outcome(found, message, calls.get(message.toolCallId), tools, broken.has(message.toolCallId));
    }
    if (message.role === 'bashExecution') {
      found.add('command', '', message.command);
      if (message.exitCode !== undefined && message.exitCode !== null) found.add('exitCode', '', message.exitCode);
      if (message.cancelled) found.add('brokenOff', '');
    }
    if (message.customType === 'openclaw.nested-tool.v1') {
      const { toolCallId, toolName, input, result, isError } = message.details;
      outcome(found, { ...result, isError, toolCallId, toolName }, { name: toolName, arguments: input ?? {} }, tools, false);
    }
  }
}

/** Records of the first versions have no ids. */
const nameOf = (row: Raw): Raw => row.id ?? Date.parse(row.timestamp);

function answer(found: Found, row: Raw, message: Raw, calls: Map<string, Raw>): string | undefined {
  for (const block of Array.isArray(message.content) ? message.content : [])
    if (block?.type === 'toolCall') calls.set(block.id, block);
  const { usage, errorMessage = '' } = message;
  if (usage)
    found.spend(JSON.stringify([row.id, row.timestamp, message]), usage.input + usage.cacheRead + usage.cacheWrite, usage.output);
  if (message.model !== undefined && (message.content?.length > 0 || usage?.output > 0)) found.add('model', message.model);
  if (message.stopReason === 'stop' || message.stopReason === 'length') found.add('turnCompleted', nameOf(row));
  if (message.stopReason === 'aborted') found.add('turnInterrupted', nameOf(row));
  if (message.stopReason === 'error') {
    found.add('turnFailed', nameOf(row));
    const wait = /retry in (\d+)s/.exec(errorMessage)?.[1];
    const code = /^429|rate limit|quota/i.test(errorMessage) ? 'limit' : 'apiError';
    found.add(
      'error',
      code,
      errorMessage.slice(0, 80),
      wait === undefined ? undefined : Date.parse(row.timestamp) + Number(wait) * 1000,
    );
  }
  return message.model;
}

function images(found: Found, content: Raw): void {
  for (const block of Array.isArray(content) ? content : [])
    if (block?.type === 'image') found.add('image', block.data?.slice(0, 60));
}

function outcome(found: Found, message: Raw, call: Raw, tools: Tools, isBroken: boolean): void {
  const { toolCallId: id, isError } = message;
  const name: string = message.toolName ?? call?.name ?? '';
  const facts: Raw = message.details ?? {};
  const args: Raw = call?.arguments ?? {};
  const end = textOf(message.content)
    .trimEnd()
    .replace(/\s*Wall time: [\d.]+ seconds$/, '')
    .trimEnd();
  const isOpen = facts.async?.state === 'running' || facts.status === 'running' || facts.status === 'approval-pending';
  if (tools.command.test(name)) {
    if (args.command !== undefined) found.add('command', id, args.command);
    const said = isError ? /(?:^|\n)Command exited with code (-?\d+)$/.exec(end)?.[1] : undefined;
    const code = facts.exitCode ?? said ?? (isError || isOpen || facts.timedOut ? undefined : 0);
    if (code !== undefined) found.add('exitCode', id, code);
  }
  const spent = facts.durationMs ?? message.durationMs ?? facts.wallTimeMs ?? facts.totalDurationMs;
  if (spent !== undefined) found.add('duration', id, Math.round(spent));
  if (tools.edit.test(name) && !isError) edit(found, id, args, facts);
  const isPage = name === 'read' && facts.kind === 'url';
  if (tools.read.test(name) && !isPage) found.add('read', id);
  if (isPage || /^(?:fetch|web_fetch|browser)$/.test(name)) found.add('fetch', id, args.url ?? facts.url);
  if (tools.search.test(name)) found.add('search', id);
  if (name === 'web_search') found.add('webSearch', id);
  if (tools.agent.test(name)) found.add('agent', id);
  if (name.startsWith('mcp__')) found.add('mcp', id, facts.serverName ?? name.split('__')[1]);
  if (/^ask(?:_user)?$/.test(name)) questions(found, args, facts, isError ? '' : textOf(message.content));
  if (tools.plan.test(name) && !isError && facts.op !== 'view') {
    if (facts.phases !== undefined) phases(found, facts.phases);
    else tasks(found, facts.plan ?? facts.todos ?? args.plan ?? args.todos ?? []);
  }
  if (isBroken || (isError && /(?:^|\n)(?:Command|Operation) aborted$/.test(end)) || facts.openclawSyntheticMissingToolResult)
    found.add('brokenOff', id);
  else if (facts.status === 'blocked' || (isError && /^Tool (?:execution was blocked|call denied by user)/.test(end)))
    found.add('denied', id, 'no');
  if (isOpen) found.add('background', id, facts.async?.jobId ?? facts.sessionId ?? facts.approvalId);
  for (const nested of message.nestedCalls?.calls ?? []) nestedFacts(found, nested, tools);
}

function nestedFacts(found: Found, nested: Raw, tools: Tools): void {
  if (tools.command.test(nested.name)) found.add('command', nested.id, nested.arguments.command);
  if (tools.read.test(nested.name)) found.add('read', nested.id);
  if (nested.durationMs !== undefined) found.add('duration', nested.id, nested.durationMs);
  if (nested.status === 'unfinished') found.add('brokenOff', nested.id);
}

function edit(found: Found, id: string, args: Raw, facts: Raw): void {
  for (const one of facts.perFileResults ?? [facts]) {
    if (one.isError === true) continue;
    const path = one.sourcePath ?? (facts.perFileResults === undefined ? (args.path ?? one.path) : one.path);
    const kind = one.sourcePath === undefined ? ({ create: 'add', delete: 'delete' }[one.op as string] ?? 'update') : 'move';
    found.add('edit', id, path, kind);
    const text: string = one.patch === undefined ? (one.diff ?? '') : one.patch.slice(one.patch.indexOf('\n@@'));
    const lines = text.split('\n').filter((line) => one.patch !== undefined || /^[+-]\s*\d/.test(line));
    const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
    if (text !== '') found.add('diff', id, path, `+${count('+')} -${count('-')}`);
  }
}

function questions(found: Found, args: Raw, facts: Raw, text: string): void {
  const told: readonly Raw[] = facts.results ?? (facts.question === undefined ? [] : [facts]);
  for (const { question, selectedOptions, customInput } of told) {
    found.add('question', question);
    found.add('answer', question, [...selectedOptions, ...(customInput ? [customInput] : [])].join(', '));
  }
  if (told.length > 0) return;
  for (const question of args.questions?.map((one: Raw) => one.question) ?? [args.question]) {
    found.add('question', question);
    if (text !== '') found.add('answer', question, text);
  }
}

function phases(found: Found, given: readonly Raw[]): void {
  const many = given.length > 1;
  const items = given.flatMap(({ name, tasks: own }) =>
    own.map((task: Raw) => ({ ...task, content: `${many ? `${name}: ` : ''}${task.content}` })),
  );
  tasks(found, items);
}

function tasks(found: Found, given: readonly Raw[]): void {
  const states: Readonly<Record<string, string>> = { in_progress: 'inProgress', completed: 'completed', done: 'completed' };
  const items = given.filter(({ status }) => status !== 'abandoned' && status !== 'cancelled');
  found.add(
    'plan',
    planText(
      items.map((task) => ({
        text: `${task.content ?? task.step ?? task.text}${task.blocker === undefined ? '' : ` (waits: ${task.blocker})`}`,
        status: task.done === true ? 'completed' : (states[task.status] ?? 'pending'),
      })),
    ),
  );
}
