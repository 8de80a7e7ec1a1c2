/**
 * The portable part of a conversation as a flat list of atoms: what was said by whom, what was called, what came back, which pictures.
 * A call has a *meaning* that does not depend on how a harness names its tools and fields: the command that ran, the file that was read,
 * the text that was written.
 */
import type { JsonObject, JsonValue } from '../../../shuttles/contract/json.ts';
import type { Message, UserBlock } from '../../../shuttles/contract/message.ts';

export type Atom =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly meaning: Meaning }
  | { readonly kind: 'result'; readonly id: string; readonly text: string; readonly isError: boolean }
  /** `of`: a picture in a prompt, an answer or a result. */
  | { readonly kind: 'image'; readonly of: 'user' | 'answer' | 'result'; readonly image: string };

/** What a call does, and the texts that say it. `other`: every text in its arguments. */
export interface Meaning {
  readonly does: 'run' | 'read' | 'write' | 'edit' | 'plan' | 'fetch' | 'other';
  readonly texts: readonly string[];
}

export function atomsOf(messages: readonly Message[]): readonly Atom[] {
  return messages.flatMap((message): readonly Atom[] => {
    switch (message.role) {
      case 'system':
        return [];
      case 'user':
        return message.content.flatMap((block) => ofBlock(block, 'user'));
      case 'assistant':
        return message.content.flatMap((block): readonly Atom[] => {
          if (block.type === 'thinking') return [];
          if (block.type === 'toolCall') return [{ kind: 'call', id: block.id, meaning: meaningOf(block.name, block.arguments) }];
          return ofBlock(block, 'answer');
        });
      case 'toolResult': {
        const { toolCallId: id, isError, content } = message;
        const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
        return [
          { kind: 'result', id, text, isError },
          ...content.flatMap((block) => (block.type === 'image' ? ofBlock(block, 'result') : [])),
        ];
      }
    }
  });
}

function ofBlock(block: UserBlock, of: 'user' | 'answer' | 'result'): readonly Atom[] {
  if (block.type === 'image') return [{ kind: 'image', of, image: block.data ?? block.url ?? '' }];
  if (block.text.trim() === '' || of === 'result') return [];
  return [{ kind: of, text: block.text }];
}

/** A field of which harnesses have several names, first found. */
const commands = ['command', 'cmd'];
const paths = ['file_path', 'path', 'absolute_path', 'filePath'];
const runs = new Set(['Bash', 'bash', 'exec_command', 'shell', 'shell_command', 'local_shell', 'run_shell_command', 'exec']);
const reads = new Set(['Read', 'read', 'read_file']);
const writes = new Set(['Write', 'write', 'write_file']);
const fetches = new Set(['WebFetch', 'web_fetch']);
const plans = new Set(['TodoWrite', 'write_todos', 'update_plan']);
const edits = new Set(['Edit', 'edit', 'replace']);

export function meaningOf(name: string, input: JsonObject): Meaning {
  if (runs.has(name)) {
    const command = commandOf(input);
    if (command !== undefined) return { does: 'run', texts: [command] };
  }
  if (reads.has(name)) {
    const path = first(input, paths);
    if (path !== undefined) return { does: 'read', texts: [path] };
  }
  if (writes.has(name)) {
    const path = first(input, paths);
    const content = first(input, ['content']);
    if (path !== undefined && content !== undefined) return { does: 'write', texts: [path, content] };
  }
  if (edits.has(name)) {
    const path = first(input, paths);
    const [from, to] = editOf(input);
    if (path !== undefined && from !== undefined && to !== undefined) return { does: 'edit', texts: [path, from, to] };
  }
  if (fetches.has(name)) return { does: 'fetch', texts: pageOf(input) };
  const steps = plans.has(name) ? stepsOf(input) : undefined;
  if (steps !== undefined) return { does: 'plan', texts: steps };
  return { does: 'other', texts: leaves(input) };
}

/** The command of a shell call; of an argument list that hands a script to a shell, the script. */
function commandOf(input: JsonObject): string | undefined {
  const plain = first(input, commands);
  if (plain !== undefined) return plain;
  const list = commands.map((name) => input[name]).find((value) => Array.isArray(value));
  if (Array.isArray(list) && list.every((word) => typeof word === 'string'))
    return list.length === 3 && /^-l?c$/u.test(list[1] ?? '') ? list[2] : list.join(' ');
  // Codex's code mode: a script that does nothing but run one command.
  const script = first(input, ['input', 'code']);
  return script === undefined ? undefined : /exec_command\(\{\s*"?cmd"?:\s*'([^'\\]+)'\s*\}\)/u.exec(script)?.[1];
}

function editOf(input: JsonObject): readonly [string | undefined, string | undefined] {
  const list = input['edits'];
  const one = Array.isArray(list) && list.length === 1 ? list[0] : input;
  if (typeof one !== 'object' || one === null || Array.isArray(one)) return [undefined, undefined];
  return [first(one, ['old_string', 'oldText', 'old_text']), first(one, ['new_string', 'newText', 'new_text'])];
}

/** The address of a page and what is asked of it: one harness has both in one text. */
function pageOf(input: JsonObject): readonly string[] {
  const url = first(input, ['url']);
  const prompt = first(input, ['prompt']) ?? '';
  return (url === undefined ? prompt.split(/ (.*)/su, 2) : [url, prompt]).filter((text) => text !== '');
}

/** Each step of a plan and how far it is. */
function stepsOf(input: JsonObject): readonly string[] | undefined {
  const list = input['todos'] ?? input['plan'];
  if (!Array.isArray(list)) return undefined;
  const out: string[] = [];
  for (const item of list as readonly JsonValue[]) {
    if (typeof item !== 'object' || item === null) return undefined;
    const step = first(item as JsonObject, ['content', 'description', 'step', 'text']);
    const status = first(item as JsonObject, ['status']);
    if (step === undefined || status === undefined) return undefined;
    out.push(step, status);
  }
  return out;
}

function first(input: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function leaves(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => leaves(item));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).flatMap((item) => (item === undefined ? [] : leaves(item)));
  return value === null ? [] : [String(value)];
}
