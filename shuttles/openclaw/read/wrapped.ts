/**
 * What OpenClaw puts in front of a stored text: the folder that an editor works in, blocks of facts about the conversation (older
 * versions stored them), its own context. Only whole blocks at the very beginning count, so that a text which speaks of them stays a text.
 */
import type { UserBlock } from '../../contract/message.ts';
import { filled, parseObject } from '../../kit/fields.ts';

export interface Wrapped {
  readonly front: string;
  /** The blocks without it; those that are then empty are gone. */
  readonly rest: readonly UserBlock[];
  /** Text of the first block of `rest` that is one. */
  readonly text: string;
  /** Who wrote it, as a block of facts says. */
  readonly sender: string | undefined;
}

const folder = /^\[Working directory: [^\]\n]{1,4000}\]\n\n/;
const facts = /^[A-Z][A-Za-z ]{2,60} \(untrusted[^)\n]{0,80}\):\n```json\n/;
const context = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>';
const contextEnd = '<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';
const mostBlocks = 16;

export function splitWrapped(blocks: readonly UserBlock[]): Wrapped {
  const index = blocks.findIndex((block) => block.type === 'text');
  const block = blocks[index];
  const whole = block?.type === 'text' ? block.text : '';
  let end = 0;
  let sender: string | undefined;
  for (let count = 0; count < mostBlocks; count++) {
    const found = blockAt(whole, end);
    if (found === undefined) break;
    end = found.end;
    sender ??= found.sender;
  }
  const text = whole.slice(end);
  if (end === 0) return { front: '', rest: blocks, text, sender };
  const rest = blocks.flatMap((other, at): readonly UserBlock[] =>
    at !== index ? [other] : text.trim() === '' ? [] : [{ type: 'text', text }],
  );
  return { front: whole.slice(0, end).trimEnd(), rest, text, sender };
}

function blockAt(text: string, start: number): { readonly end: number; readonly sender: string | undefined } | undefined {
  const opening = text.slice(start, start + 5000);
  const path = start === 0 ? folder.exec(opening) : null;
  if (path !== null) return { end: path[0].length, sender: undefined };
  if (opening.startsWith(context)) {
    const close = text.indexOf(contextEnd, start);
    return close < 0 ? undefined : { end: behind(text, close + contextEnd.length), sender: undefined };
  }
  const begin = facts.exec(opening)?.[0].length;
  if (begin === undefined) return undefined;
  const close = text.indexOf('\n```', start + begin);
  if (close < 0) return undefined;
  const told = parseObject(text.slice(start + begin, Math.min(close, start + begin + 20_000)));
  return { end: behind(text, close + '\n```'.length), sender: filled(told, 'name') ?? filled(told, 'sender') };
}

/** The empty lines behind a block belong to it. */
function behind(text: string, at: number): number {
  let end = at;
  while (text[end] === '\n') end++;
  return end;
}
