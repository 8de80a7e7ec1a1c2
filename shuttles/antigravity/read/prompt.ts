/**
 * What a prompt's text says and what the program put around it: transcripts wrap the words in `<USER_REQUEST>` and put metadata behind
 * (or inside of) it; stores mostly hold the bare words. Only a wrapper that is whole counts: a prompt that speaks of such tags stays one.
 */
import { filled, parseObject } from '../../kit/fields.ts';

export interface Prompt {
  readonly words: string;
  /** The program's own text, without its tags. */
  readonly context: string;
  readonly isLooms: boolean;
  /** A folder that the metadata name. */
  readonly cwd: string | undefined;
}

const open = '<USER_REQUEST>';
const close = '</USER_REQUEST>';
const baton = /^# Hand-over from [^\n]{1,80}\n+(?:This packet was|Packet) compiled by Loom\b/u;
const element = /<([A-Z][A-Z_]{2,40})>([\s\S]*?)<\/\1>/g;

export function promptOf(text: string): Prompt {
  const start = text.trimStart();
  const end = text.lastIndexOf(close);
  if (!start.startsWith(open) || end < 0) return made(text.trim() === '' ? '' : text, '');
  const from = text.indexOf(open) + open.length;
  const inner = text.slice(from, end);
  const { words, behind } = withoutTail(inner);
  return made(words.trim(), [behind, text.slice(end + close.length)].join('\n'));
}

/** Metadata at the very end of the request, as some versions write them. */
function withoutTail(inner: string): { readonly words: string; readonly behind: string } {
  const tag = 'ADDITIONAL_METADATA';
  const at = inner.trimEnd().endsWith(`</${tag}>`) ? inner.lastIndexOf(`<${tag}>`) : -1;
  return at < 0 ? { words: inner, behind: '' } : { words: inner.slice(0, at), behind: inner.slice(at) };
}

function made(words: string, around: string): Prompt {
  const context = around.replaceAll(element, '$2').trim();
  return { words, context, isLooms: baton.test(words.slice(0, 400)), cwd: filled(parseObject(context), 'cwd') };
}
