/** What Claude Code's transcripts say, by a script over their lines: 2.0.77 to 2.1.332, subagents and Cowork included. */
import { Found, planText } from './fact.ts';
import { countLines, filesBelow, linesOf, textOf, type Raw } from './raw.ts';

const edits = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);
const commands = new Set(['Bash', 'PowerShell', 'BashOutput', 'TaskOutput', 'KillShell', 'TaskStop']);

export function claudeFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.claude\/projects\/.*\.jsonl$/)) readFile(found, linesOf(file));
  return found;
}

function readFile(found: Found, rows: readonly Raw[]): void {
  const calls = new Map<string, Raw>();
  const tasks = new Map<string, { text: string; status: string }>();
  const background = new Map<string, string>();
  /** The first record of each message. */
  const firsts = new Map<string, string>();
  let typed = '';
  let model = '';
  for (const row of rows) {
    if (row.type === 'assistant') {
      for (const block of row.message?.content ?? []) if (block?.type === 'tool_use') calls.set(block.id, block);
      if (row.isApiErrorMessage === true) {
        const text = textOf(row.message.content);
        const reset = /limit reached\|(\d+)/.exec(text)?.[1];
        const code = row.error === 'rate_limit' || /limit reached|hit your/i.test(text) ? 'limit' : 'apiError';
        found.add('error', code, text.slice(0, 80), reset === undefined ? undefined : Number(reset) * 1000);
        found.add('turnFailed', row.uuid);
        continue;
      }
      const usage = row.message?.usage ?? {};
      const all = (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
      // Ids that are none are a file's own.
      const own = row.uuid?.length === 36 ? row.uuid : `${row.sessionId} ${row.uuid}`;
      const first = firsts.get(row.message?.id) ?? own;
      firsts.set(row.message?.id, first);
      found.spend(`${row.message?.id} ${first}`, all, usage.output_tokens ?? 0);
      const named = row.message?.model;
      if (named === undefined || named === '<synthetic>') continue;
      found.add('model', named);
      if (row.isSidechain !== true) {
        if (model !== '' && named !== model) found.add('modelChange', named);
        model = named;
      }
    } else if (row.type === 'system') {
      if (row.subtype === 'turn_duration') found.add('turnCompleted', row.uuid);
      if (row.subtype === 'api_error') {
        const limit = row.error?.status === 429;
        const attempt = row.retryAttempt === undefined ? '' : ` (attempt ${row.retryAttempt} of ${row.maxRetries})`;
        found.add(
          'error',
          limit ? 'limit' : 'apiError',
          `${row.error?.formatted ?? row.error?.message}${attempt}`.slice(0, 80),
          undefined,
        );
      }
    } else if (row.type === 'user' || row.type === 'attachment') {
      const content =
        row.type === 'user' ? row.message?.content : row.attachment?.type === 'queued_command' ? row.attachment.prompt : '';
      if (row.isCompactSummary === true) found.add('compaction', textOf(content).slice(0, 80));
      for (const block of Array.isArray(content) ? content : []) {
        if (block?.type === 'image') found.add('image', block.source?.data?.slice(0, 60));
        if (block?.type === 'tool_result') result(found, row, block, calls.get(block.tool_use_id), tasks, background);
      }
      const text = textOf(content).trimStart();
      if (/^\[Request interrupted by user(?: for tool use)?\]\s*$/.test(text)) found.add('turnInterrupted', row.uuid);
      typed = /^<bash-input>([^]*?)<\/bash-input>/.exec(text)?.[1] ?? typed;
      if (text.startsWith('<bash-std')) found.add('command', '', typed);
      if (text.startsWith('<task-notification>')) notification(found, text, background);
    }
  }
}

function result(
  found: Found,
  row: Raw,
  block: Raw,
  call: Raw,
  tasks: Map<string, { text: string; status: string }>,
  background: Map<string, string>,
): void {
  const id = block.tool_use_id;
  const said = row.toolUseResult;
  const facts: Raw = typeof said === 'object' && said !== null && !Array.isArray(said) ? said : {};
  const name: string = call?.name ?? '';
  const text = textOf(block.content);
  for (const part of Array.isArray(block.content) ? block.content : [])
    if (part?.type === 'image') found.add('image', part.source?.data?.slice(0, 60));
  if (name === 'Bash' && call.input?.command !== undefined) found.add('command', id, call.input.command);
  if (commands.has(name)) {
    const code = block.is_error === true ? /^(?:Error: )?Exit code (\d+)/.exec(text)?.[1] : undefined;
    const isDone =
      block.is_error !== true && facts.stdout !== undefined && facts.interrupted !== true && facts.backgroundTaskId === undefined;
    if (code !== undefined) found.add('exitCode', id, code);
    else if (typeof facts.exitCode === 'number') found.add('exitCode', id, facts.exitCode);
    else if (isDone && facts.status !== 'running') found.add('exitCode', id, 0);
  }
  const spent =
    facts.durationMs ?? facts.totalDurationMs ?? (facts.durationSeconds === undefined ? undefined : facts.durationSeconds * 1000);
  if (spent !== undefined) found.add('duration', id, spent);
  if (edits.has(name) && block.is_error !== true && facts.filePath !== undefined) edit(found, id, facts);
  if (name === 'Read' || name === 'NotebookRead') found.add('read', id);
  if (['Grep', 'Glob', 'LS', 'ToolSearch'].includes(name)) found.add('search', id);
  if (name === 'WebFetch') found.add('fetch', id, call.input.url);
  if (name === 'WebSearch') found.add('webSearch', id);
  if (name === 'Agent' || name === 'Task') found.add('agent', id);
  if (name.startsWith('mcp__')) found.add('mcp', id, name.split('__')[1]);
  for (const { question } of name === 'AskUserQuestion' ? call.input.questions : []) {
    found.add('question', question);
    if (facts.answers?.[question] !== undefined) found.add('answer', question, facts.answers[question]);
  }
  const refused = block.is_error === true && /^(?:The user doesn't want|Permission to use)/.test(text);
  if (row.toolDenialKind === 'interrupted' || facts.interrupted === true) found.add('brokenOff', id);
  else if (row.toolDenialKind !== undefined) found.add('denied', id, 'no');
  else if (refused) found.add('denied', id, row.permissionDecision === undefined ? 'unsaid' : 'no');
  if (facts.backgroundTaskId !== undefined) {
    found.add('background', id, facts.backgroundTaskId);
    background.set(facts.backgroundTaskId, call?.input?.command ?? '');
  }
  if (block.is_error !== true) plan(found, name, call, facts, tasks);
}

function edit(found: Found, id: string, facts: Raw): void {
  const isNew = facts.type === 'create';
  found.add('edit', id, facts.filePath, isNew ? 'add' : 'update');
  const lines: readonly string[] = (facts.structuredPatch ?? []).flatMap((hunk: Raw) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  if (isNew) found.add('diff', id, facts.filePath, `+${countLines(facts.content)} -0`);
  else if (lines.length > 0) found.add('diff', id, facts.filePath, `+${count('+')} -${count('-')}`);
}

const states: Readonly<Record<string, string>> = { pending: 'pending', in_progress: 'inProgress', completed: 'completed' };

function plan(found: Found, name: string, call: Raw, facts: Raw, tasks: Map<string, { text: string; status: string }>): void {
  const before = planText([...tasks.values()]);
  if (name === 'TodoWrite') {
    const todos: readonly Raw[] = facts.newTodos ?? call.input.todos ?? [];
    found.add('plan', planText(todos.map(({ content, status }: Raw) => ({ text: content, status: states[status] ?? '' }))));
  } else if (name === 'TaskCreate' && facts.task !== undefined)
    tasks.set(facts.task.id, { text: facts.task.subject, status: 'pending' });
  else if (name === 'TaskUpdate') {
    const task = tasks.get(facts.taskId);
    if (task !== undefined) tasks.set(facts.taskId, { ...task, status: states[facts.statusChange?.to] ?? task.status });
  }
  const after = planText([...tasks.values()]);
  if (after !== before) found.add('plan', after);
}

function notification(found: Found, text: string, background: ReadonlyMap<string, string>): void {
  const of = (name: string): string => new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1] ?? '';
  const id = of('task-id');
  found.add('background', id, id);
  const command = background.get(id);
  if (command !== undefined && command !== '') found.add('command', id, command);
  const code = /exit code (\d+)/.exec(of('summary'))?.[1];
  if (code !== undefined) found.add('exitCode', id, code);
  if (of('duration_ms') !== '') found.add('duration', id, of('duration_ms'));
  if (of('summary').startsWith('Agent')) found.add('agent', id);
}
