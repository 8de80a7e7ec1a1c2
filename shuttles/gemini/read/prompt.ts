/**
 * What stands in the user role: a person's words, and what the program put beside them (context of the session, of hooks, contents of
 * files that the person named). Only whole parts, or a whole element at the end of a part, count as the program's, so that a prompt
 * that merely speaks of such tags stays a prompt.
 */
import type { JsonObject } from '../../contract/json.ts';
import { field, filled, obj } from '../../kit/fields.ts';
import { blocksOf, partsOf, textOf, type Part } from './parts.ts';

export interface Prompt {
  /** What the program put in by itself. */
  readonly context: readonly Part[];
  /** Contents of files: data. */
  readonly files: readonly Part[];
  readonly words: readonly Part[];
  readonly isLooms: boolean;
  /** The words as text, for a title. */
  readonly typed: string;
}

const opened = /^\s*<(session_context|hook_context|system-reminder|background_output)>/;
/** Before the element had a name. */
const unnamed = 'This is the Gemini CLI. We are setting up the context for our chat.';
const filesBegin = /^\s*--- Content from referenced files ---/;
const baton = /^# Hand-over from [^\n]{1,80}\n+(?:This packet was|Packet) compiled by Loom\b/u;
const snapshot = /^\s*<state_snapshot>/;

export function promptOf(message: JsonObject): Prompt {
  const context: Part[] = [];
  const files: Part[] = [];
  const words: Part[] = [];
  let inFiles = false;
  for (const part of partsOf(field(message, 'content'))) {
    const text = textOf(part);
    inFiles ||= text !== undefined && filesBegin.test(text.slice(0, 100));
    if (inFiles) files.push(part);
    else if (text === undefined) words.push(part);
    else if (isContext(text)) context.push(part);
    else {
      const { own, hook } = withoutHook(text);
      if (own !== '') words.push(own);
      if (hook !== '') context.push(hook);
    }
  }
  const typed = words.flatMap((part) => textOf(part) ?? []).join('');
  return { context, files, words, isLooms: isWrittenByLoom(message) || baton.test(typed.slice(0, 400)), typed };
}

/** The program keeps members that it does not know, also in a rewrite of the whole history. */
function isWrittenByLoom(message: JsonObject): boolean {
  return filled(obj(message, 'loom'), 'kind') !== undefined;
}

function isContext(text: string): boolean {
  const start = text.slice(0, 200);
  const name = opened.exec(start)?.[1];
  return name === undefined ? start.trimStart().startsWith(unnamed) : text.trimEnd().endsWith(`</${name}>`);
}

/** A summary that the program goes on from in the place of what was said before. */
export function isSnapshot(message: JsonObject): boolean {
  const [first] = partsOf(field(message, 'content'));
  return field(message, 'type') === 'user' && first !== undefined && snapshot.test(textOf(first)?.slice(0, 100) ?? '');
}

/** Nothing but what the program put in by itself. */
export function isOnlyContext(message: JsonObject): boolean {
  if (field(message, 'type') !== 'user') return false;
  const { context, files, words } = promptOf(message);
  return context.length > 0 && files.length === 0 && words.length === 0;
}

/** Is there anything in it that a person or a model said? */
export function saysSomething(message: JsonObject): boolean {
  if (field(message, 'type') !== 'user') return field(message, 'type') !== undefined;
  return blocksOf(promptOf(message).words).length > 0;
}

function withoutHook(text: string): { readonly own: string; readonly hook: string } {
  const at = text.endsWith('</hook_context>') ? text.lastIndexOf('<hook_context>') : -1;
  return at < 0 ? { own: text, hook: '' } : { own: text.slice(0, at).trimEnd(), hook: text.slice(at) };
}
