/**
 * What of an entry is found by search: what was said, what tools were given and what they put out, plans and notices. Long text is
 * found by its beginning and its end, and of what tools put out also by the lines between that tell of a fault.
 */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { innerWords, textForm, wholeSign } from './search-forms.ts';

/** Characters of an entry that are found. */
const limit = 20_000;
const toolLimit = 4_000;
const faultLimit = 2_000;
/** How far into what lies between is looked for faults. */
const faultReach = 200_000;

/** What of an entry is found by search, as it was written; '' when nothing is. */
export function foundText(entry: LedgerEntry): string {
  const text = rawText(entry);
  const tool = entry.kind === 'tool_result' || entry.kind === 'step';
  const most = tool ? toolLimit : limit;
  if (text.length <= most) return text;
  const from = wholeSign(text, most * 0.8);
  const to = wholeSign(text, text.length - most * 0.2);
  return [
    text.slice(0, from),
    ...(tool ? faultLines(text.slice(from, Math.min(to, from + faultReach))) : []),
    text.slice(to),
  ].join('\n');
}

const faultLine = /^.{0,200}?(?:error|fail|fatal|panic|exception|denied|not found).{0,200}/gimu;

function faultLines(text: string): readonly string[] {
  const lines: string[] = [];
  let length = 0;
  for (const [line] of text.matchAll(faultLine)) {
    lines.push(line);
    length += line.length;
    if (length >= faultLimit) break;
  }
  return lines;
}

/** The same in the form of the index. */
export function indexedText(text: string): string {
  return textForm(text) + innerForm(innerWords(text));
}

/** Words that stand inside others, as they follow a text in the index. */
export function innerForm(inner: readonly string[]): string {
  return inner.length === 0 ? '' : ` \ue011 ${inner.join(' \ue011 ')}`;
}

/** What these say is a `plan` entry of its own. */
const planTools: ReadonlySet<string> = new Set(['TodoWrite', 'update_plan']);

export function rawText(entry: LedgerEntry): string {
  switch (entry.kind) {
    case 'user':
    case 'assistant':
      return entry.content.content
        .map((block) =>
          block.type === 'text'
            ? block.text
            : block.type === 'toolCall'
              ? `${block.name} ${planTools.has(block.name) ? '' : strings(block.arguments).join('\n')}`
              : '',
        )
        .join('\n');
    case 'tool_result':
      return entry.content.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    case 'step':
      return `${entry.content.title}\n${entry.content.output ?? ''}`;
    case 'notice':
    case 'summary':
    case 'handoff':
      return entry.content.text;
    case 'plan':
      return entry.content.items.map((item) => item.text).join('\n');
    case 'system':
    case 'reset':
    case 'turn':
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return '';
  }
}

function strings(value: unknown, out: string[] = [], depth = 0): string[] {
  if (typeof value === 'string') out.push(value);
  else if (depth < 6 && typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) strings(part, out, depth + 1);
  return out;
}
