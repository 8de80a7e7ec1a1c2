/** What Gemini CLI's session files say, by a script over their records: whatever any record of a message says of a call. */
import fs from 'node:fs';
import { Found, planText } from './fact.ts';
import { filesBelow, linesOf, textOf, type Raw } from './raw.ts';

const kinds: Readonly<Record<string, string>> = {
  run_shell_command: 'command',
  read_file: 'read',
  read_many_files: 'read',
  list_directory: 'search',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  google_web_search: 'webSearch',
  web_fetch: 'fetch',
  write_file: 'edit',
  replace: 'edit',
  ask_user: 'question',
  invoke_agent: 'agent',
};

export function geminiFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.gemini\/tmp\/.*\/chats\/.*\.jsonl?$/)) {
    const records = file.endsWith('.json') ? whole(file) : linesOf(file);
    let model: string | undefined;
    for (const record of records) {
      const rewritten: readonly Raw[] | undefined = record.$set?.messages ?? record.messages;
      if (rewritten !== undefined) model = undefined;
      for (const message of rewritten ?? [record]) {
        if (message.type === 'gemini' && message.model !== undefined) {
          if (model !== undefined && model !== message.model) found.add('modelChange', message.model);
          model = message.model;
        }
        messageFacts(found, message);
      }
    }
  }
  return found;
}

function whole(file: string): readonly Raw[] {
  try {
    return [JSON.parse(fs.readFileSync(file, 'utf8'))];
  } catch {
    return [];
  }
}

function messageFacts(found: Found, message: Raw): void {
  const { id, type } = message;
  const at = Date.parse(message.timestamp);
  if (textOf(message.content).trimStart().startsWith('<state_snapshot>'))
    found.add('compaction', textOf(message.content).slice(0, 80));
  for (const part of Array.isArray(message.content) ? message.content : []) image(found, part);
  if (type === 'error') {
    const text = textOf(message.content);
    found.add('turnFailed', id);
    const wait = /retry in (\d+)s/.exec(text)?.[1];
    const code = /quota|rate limit|RESOURCE_EXHAUSTED/i.test(text) ? 'limit' : 'apiError';
    found.add('error', code, text.slice(0, 80), wait === undefined ? undefined : at + Number(wait) * 1000);
  }
  if (type === 'info' && textOf(message.content).startsWith('Request cancelled')) found.add('turnInterrupted', id);
  if (type !== 'gemini') return;
  const { input = 0, output = 0, thoughts = 0, tool = 0, total = 0 } = message.tokens ?? {};
  if (message.tokens) found.spend(id, input + tool, output + (total >= input + output + thoughts ? thoughts : 0));
  if (message.model !== undefined) found.add('model', message.model);
  for (const call of message.toolCalls ?? []) callFacts(found, call);
}

function image(found: Found, part: Raw): void {
  if (part?.inlineData?.mimeType?.startsWith('image/')) found.add('image', part.inlineData.data.slice(0, 60));
}

function callFacts(found: Found, call: Raw): void {
  const { id, name, status, args = {}, resultDisplay: display } = call;
  if (!['success', 'error', 'cancelled'].includes(status)) return;
  const response = (call.result ?? []).map((part: Raw) => part.functionResponse?.response).find(Boolean) ?? {};
  const text: string = response.output ?? response.error ?? '';
  const kind = kinds[name] ?? (name.startsWith('mcp_') ? 'mcp' : call.agentId === undefined ? '' : 'agent');
  const failed = status !== 'success' || (response.error !== undefined && response.output === undefined);
  const pid = /^Command moved to background \(PID: (\d+)\)/.exec(text)?.[1];
  const isCancelled = /^Command was (?:automatically )?cancelled/.test(text);
  if (kind === 'command') {
    found.add('command', id, args.command);
    const code = /(?:^|\n)Exit Code: (-?\d+)/.exec(text)?.[1];
    if (code !== undefined) found.add('exitCode', id, code);
    else if (!failed && !isCancelled && pid === undefined) found.add('exitCode', id, 0);
    if (pid !== undefined) found.add('background', id, pid);
  }
  if (kind === 'edit' && !failed) {
    const path = display?.filePath ?? args.file_path ?? display?.fileName;
    found.add('edit', id, path, display?.isNewFile === true || display?.originalContent === null ? 'add' : 'update');
    const hunks: readonly string[] = (display?.fileDiff ?? '')
      .split(/^(?=@@)/m)
      .slice(1)
      .join('')
      .split('\n');
    const count = (sign: string): number => hunks.filter((line) => line.startsWith(sign)).length;
    if (hunks.join('') !== '') found.add('diff', id, path, `+${count('+')} -${count('-')}`);
  }
  if (kind === 'read' || kind === 'search' || kind === 'webSearch' || kind === 'agent') found.add(kind, id);
  if (kind === 'fetch') found.add('fetch', id, args.url ?? /https?:\/\/\S+/.exec(args.prompt ?? '')?.[0]);
  if (kind === 'mcp') found.add('mcp', id, name.split('_')[1]);
  const answers = kind === 'question' && text.startsWith('{') ? JSON.parse(text).answers : {};
  for (const [index, { question }] of (kind === 'question' ? args.questions : []).entries()) {
    found.add('question', question);
    if (answers[index] !== undefined) found.add('answer', question, answers[index]);
  }
  if (/User did not allow|denied by policy/.test(text)) found.add('denied', id, 'no');
  else if (status === 'cancelled' || isCancelled) found.add('brokenOff', id);
  if (!failed && (display?.todos ?? (name === 'write_todos' ? args.todos : undefined)) !== undefined)
    plan(found, display?.todos ?? args.todos);
}

function plan(found: Found, todos: readonly Raw[]): void {
  const states: Readonly<Record<string, string>> = { in_progress: 'inProgress', completed: 'completed' };
  const items = todos.filter(({ status }) => status !== 'cancelled');
  found.add(
    'plan',
    planText(items.map(({ description, status }) => ({ text: description, status: states[status] ?? 'pending' }))),
  );
}
