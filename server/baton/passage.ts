/**
 * The way of every text into the baton's state: mask and clean first (a cut secret has no shape any more), then clip.
 * Of a huge text only a window at each end is looked at, which bounds the cost of an entry.
 */
import type { UserBlock } from '../../shuttles/contract/message.ts';
import { limits } from './baton-state.ts';
import { isSpace } from './characters.ts';
import { clip, clipMiddle, cleanText, oneLine } from './clean-text.ts';
import type { Masker } from './mask.ts';
import { maskedAndClean } from './masked-clean.ts';

/** Several lines, at most `limit` characters: beginning and end. */
export function cleanPassage(text: string, limit: number, masker: Masker): string {
  return clipMiddle(
    cleanWindow(text, masker)
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    limit,
  );
}

/** One line, at most `limit` characters. */
export function cleanSpan(text: string, limit: number, masker: Masker): string {
  // Names of tools: without a digit or a sign there is nothing that a rule could find, or that was remembered.
  if (text.length <= limit && /^[A-Za-z_]{0,32}$/.test(text)) return text;
  return clip(maskedAndClean(windowOf(text), masker, oneLine).text, limit);
}

/** Masked and clean, of the size of the window: for those who look for lines in it. */
export function cleanWindow(text: string, masker: Masker): string {
  return maskedAndClean(windowOf(text), masker, cleanText).text;
}

/** Cut between words, so that no half of a secret is left without the half by which it is known; a text without blanks anywhere. */
function windowOf(text: string): string {
  if (text.length <= limits.window * 2) return text;
  let head = limits.window;
  while (head > limits.window - wordLimit && !isSpace(text, head)) head--;
  let tail = text.length - limits.window;
  while (tail < text.length - limits.window + wordLimit && !isSpace(text, tail)) tail++;
  return `${text.slice(0, head)}\n[…]\n${text.slice(tail)}`;
}
/** No token is longer. */
const wordLimit = 4096;

/** The text blocks of a prompt or a result; an image is named. */
export function textOfBlocks(blocks: readonly UserBlock[]): string {
  const [first] = blocks;
  if (blocks.length === 1 && first?.type === 'text') return first.text;
  return blocks.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');
}
