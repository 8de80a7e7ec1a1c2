/**
 * Who wrote a text that stands in the user role. pi puts a skill (`/skill:name`) and attached files (`@file`) in front of what the
 * person typed, in markup of its own; only whole elements at the very beginning count, so that a prompt that merely speaks of such
 * markup stays a prompt. omp says whether the person or the agent began a message.
 */
import type { Trust, UserContent } from '../../contract/entry.ts';
import type { UserBlock } from '../../contract/message.ts';

export interface Prompt {
  /** What the program put in front; empty when there is nothing. */
  readonly injected: readonly UserBlock[];
  /** Files are data, a skill is the program's own text. */
  readonly injectedTrust: Trust;
  readonly words: readonly UserBlock[];
  readonly origin: UserContent['origin'];
  readonly trust: Trust;
  /** What the person typed, for a title. */
  readonly typed: string;
}

/** A packet that Loom wrote before a carried history, known by its own first words: it is no person's prompt and gives no title. */
const baton = /^# Hand-over from [^\n]{1,80}\n+(?:This packet was|Packet) compiled by Loom\b/u;

export function promptOf(blocks: readonly UserBlock[], attribution: string | undefined): Prompt {
  const at = blocks.findIndex((block) => block.type === 'text');
  const first = blocks[at];
  const text = first?.type === 'text' ? first.text : '';
  const none: Prompt = { injected: [], injectedTrust: 'harness', words: blocks, origin: 'typed', trust: 'user', typed: text };
  if (attribution !== undefined && attribution !== 'user') return { ...none, origin: 'harness', trust: 'harness', typed: '' };
  if (baton.test(text.slice(0, 400))) return { ...none, origin: 'loom', trust: 'loom', typed: '' };
  const files = filesIn(text);
  const skill = skillIn(text.slice(files.length));
  const injected = files + (skill?.text ?? '');
  if (injected === '') return none;
  const rest = text.slice(injected.length).replace(/^\n+/, '');
  const other = blocks.filter((_, index) => index !== at);
  return {
    injected: [{ type: 'text', text: injected }],
    injectedTrust: files === '' ? 'harness' : 'tool',
    words: rest === '' ? other : [{ type: 'text', text: rest }, ...other],
    origin: 'typed',
    trust: 'user',
    typed: skill === undefined ? rest : `/skill:${skill.name} ${rest}`.trimEnd(),
  };
}

/** `<file name="/home/user/a.txt">…</file>`, one or several, each with the newline behind it. */
function filesIn(text: string): string {
  let end = 0;
  while (text.startsWith('<file name="', end) && /^<file name="(?:\/|[A-Za-z]:[\\/])/.test(text.slice(end, end + 20))) {
    const close = text.indexOf('</file>', end);
    if (close < 0) break;
    end = close + '</file>'.length;
    if (text[end] === '\n') end++;
  }
  return text.slice(0, end);
}

/** `<skill name="…" location="…">…</skill>`, then nothing or two newlines and what was typed. */
function skillIn(text: string): { readonly name: string; readonly text: string } | undefined {
  if (!text.startsWith('<skill name="')) return undefined;
  const name = /^<skill name="([^"\n]{1,200})" location="[^"\n]{1,4000}">\n/.exec(text.slice(0, 5000))?.[1];
  if (name === undefined) return undefined;
  const close = '\n</skill>';
  for (let at = text.indexOf(close); at >= 0; at = text.indexOf(close, at + 1)) {
    const end = at + close.length;
    if (end === text.length || text.startsWith('\n\n', end)) return { name, text: text.slice(0, end) };
  }
  return undefined;
}
