/**
 * A prompt as the name of its session, by one rule for all harnesses: the first words that a person wrote, never a block that a program
 * put in, the tags around a request, a link alone, pasted code or a picture's mark. A text of the person's own that merely looks like
 * markup stays as it is. The work is bounded: the beginning and the end of a long text are looked at. `oneLine` keeps it to one line.
 */
import { oneLine } from './fields.ts';

/** Characters of a title: more than any list shows. */
export const titleLength = 200;

export interface PromptTitle {
  /** '' when nothing of it is the person's. */
  readonly line: string;
  /** It says what the session is about; otherwise a later prompt is a better name. */
  readonly names: boolean;
}

const beginning = 16_384;
const end = 4096;
const mostElements = 24;
const mostOfFact = 1000;

export function promptTitle(text: string): PromptTitle {
  const words = withoutElements(text);
  const head = words.slice(0, beginning);
  const from = proseIn(head);
  if (from !== undefined) return { line: oneLine(head.slice(from), titleLength), names: true };
  if (words.length > beginning) {
    const tail = lastOf(words.slice(Math.max(beginning, words.length - end)));
    const at = proseIn(tail);
    if (at !== undefined) return { line: oneLine(tail.slice(at), titleLength), names: true };
  }
  return { line: oneLine(linkWords(head) ?? withoutMarks(head), titleLength), names: false };
}

/** The prompt for a session's facts: its title where it has one, else a part of its own words, of which `promptTitle` says the same. */
export function promptFact(text: string): PromptTitle {
  const title = promptTitle(text);
  if (title.names || title.line === '') return title;
  return { line: withoutElements(text).slice(0, mostOfFact).toWellFormed(), names: false };
}

/** Of two prompts, the older first, the one that names the session. */
export function betterPrompt(older: string | undefined, newer: string | undefined): string | undefined {
  if (older === undefined || newer === undefined) return older ?? newer;
  return promptTitle(older).names || !promptTitle(newer).names ? older : newer;
}

/** Around a request, by programs and by people: what stands in them are the words. */
const wrappers = /^(?:user[-_](?:query|request|message|prompt|input)|prompt|query|request|question|task|goal|instructions?)$/i;
/** Programs name their blocks with a dash or an underscore, or in capitals; people's markup (`<div>`, `<Button>`) has neither. */
const injected =
  /^(?:[A-Za-z][A-Za-z0-9]*(?:[-_:][A-Za-z0-9]+)+|[A-Z]{3,}|context|environment|reminder|attachments?|skill|image|file|channel)$/;
const opening = /^<([A-Za-z][\w:-]{0,60})(?:\s[^<>]{0,2000})?>/;

/** Takes whole elements of programs away from the beginning, and those that are known for certain from anywhere in the head. */
function withoutElements(text: string): string {
  let rest = text.trimStart();
  for (let i = 0; i < mostElements; i++) {
    const [open, name] = opening.exec(rest.slice(0, 2100)) ?? [];
    if (open === undefined || name === undefined) break;
    const close = `</${name}>`;
    const at = rest.indexOf(close, open.length);
    if (at < 0) break;
    const behind = rest.slice(at + close.length);
    if (wrappers.test(name)) rest = `${rest.slice(open.length, at)}\n${behind}`.trimStart();
    else if (injected.test(name)) rest = behind.trimStart();
    else break;
  }
  return rest.slice(0, beginning).replaceAll(reminders, ' ').trimStart() + rest.slice(beginning);
}

const reminders =
  /<(system-reminder|system_reminder|ide_[a-z_]{1,40}|environment_context|environment_details|hook_context|ADDITIONAL_METADATA)>[\s\S]*?<\/\1>/g;

/** Marks that programs leave in the place of what was pasted or attached. */
const marks =
  /\[(?:Image|Pasted text|Pasted Content|Attachment|File)(?: #?\d+)?(?:[:,+ ][^\]\n]{0,200})?\]|!\[[^\]\n]{0,200}\]\([^)\n]{0,2000}\)/gi;
const links = /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.)[^\s<>"']+/gi;

function withoutMarks(text: string): string {
  return text.replaceAll(marks, ' ').replaceAll(/^[ \t]*(?:```|~~~)[^\n]*$/gm, ' ');
}

/** What stands behind the last fence, or behind the line that the text may begin inside of. */
function lastOf(text: string): string {
  const at = Math.max(text.lastIndexOf('\n```'), text.lastIndexOf('\n~~~'), 0);
  const line = text.indexOf('\n', at + 1);
  return line < 0 ? '' : text.slice(line + 1);
}

/** Where the first line begins that a person wrote as words; undefined: there is none. */
function proseIn(text: string): number | undefined {
  let fence: string | undefined;
  let isDiff = false;
  let from = 0;
  for (const line of text.split('\n')) {
    const at = from;
    from += line.length + 1;
    const start = line.trimStart();
    const mark = /^(?:```+|~~~+)/.exec(start)?.[0];
    if (fence !== undefined) {
      // A fence ends with the sign that it began with, alone in its line.
      if (mark?.startsWith(fence) === true && start.trimEnd() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      // In one line: what stands behind the closing fence may be words.
      const close = start.indexOf(mark, mark.length);
      if (close < 0) fence = mark;
      else if (isProse(start.slice(close + mark.length))) return at + line.length - start.length + close + mark.length;
      continue;
    }
    if (/^(?:diff --git |Index: |--- [^\s]|\+\+\+ [^\s]|@@ -\d)/.test(line)) {
      isDiff = true;
      continue;
    }
    if (isDiff) {
      if (
        /^(?:[-+ \\]|index [0-9a-f]|(?:new|deleted|old) (?:file )?mode |similarity index |rename |=====)/.test(line) ||
        line === ''
      )
        continue;
      isDiff = false;
    }
    if (isPasted(start)) continue;
    if (isProse(line)) return at;
  }
  return undefined;
}

/** Of a stack, or of a text that is answered to. */
function isPasted(line: string): boolean {
  return /^(?:>|at [^\s].{0,400}(?:\(|:\d+$)|File ".{1,400}", line \d)/.test(line.slice(0, 600));
}

function isProse(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line.slice(0, 4000).replaceAll(marks, ' ').replaceAll(links, ' '));
}

/** A link is no name, but its words are better than none: `https://example.org/docs/set-up` is "docs set-up (example.org)". */
function linkWords(text: string): string | undefined {
  const link = new RegExp(links.source, 'i').exec(text)?.[0];
  if (link === undefined) return undefined;
  const bare = link.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[?#].*$/, '');
  const [place = '', ...path] = bare.split('/');
  const host = place
    .replace(/^[^@]*@/, '')
    .replace(/^www\./i, '')
    .replace(/:\d+$/, '');
  const named = path.map(decoded).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return named.length === 0 ? `Link to ${host}` : `${named.slice(-4).join(' ')} (${host})`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
