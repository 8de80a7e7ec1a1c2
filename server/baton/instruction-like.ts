/**
 * Finds text in data that reads like an order to an agent: the marks of a prompt injection. Quoting already makes it data;
 * lines with such text are left out all the same, because a quotation is a poor defence against a reader that obeys. The
 * patterns are few and telling (instruction-patterns.ts).
 */

import { mayBeOrder, orders } from './instruction-patterns.ts';
import { plainLetters } from './plain-letters.ts';

/** Is there an order to an agent in this line? Also in letters that only look like Latin ones, and in spelt words. */
export function isInstructionLike(line: string): boolean {
  const text = line.length > 2000 ? line.slice(0, 2000) : line;
  const usual = text.normalize('NFKC').replace(/[\u200c\u200d]/g, '');
  if (isOrder(usual)) return true;
  const plain = plainLetters(usual);
  return plain !== usual && isOrder(plain);
}

const isOrder = (text: string): boolean => mayBeOrder(text) && orders.some((pattern) => pattern.test(text));

/** What stands in place of lines that were left out. */
export const omission = (source: string, lines = 1): string =>
  `[instruction-like text from ${source} omitted${lines > 1 ? `: ${lines} lines` : ''}]`;

export interface Collapsed {
  readonly text: string;
  /** How many lines were left out. */
  readonly omitted: number;
}

/**
 * Lines with orders replaced by a note of Loom's that names their `source`; neighbours become one note. An order that is
 * spread over two lines takes both with it. A line of more than 2,000 characters is cut, so that nothing hides behind its beginning.
 */
export function collapseInstructions(text: string, source: string): Collapsed {
  const lines = text.split('\n').map((line) => (line.length > 2000 ? `${line.slice(0, 2000)}…` : line));
  const bad = lines.map((line) => isInstructionLike(line));
  for (let index = 0; index + 1 < lines.length; index++) {
    if (
      bad[index] !== true &&
      bad[index + 1] !== true &&
      isInstructionLike(`${lines[index]!.trim()} ${lines[index + 1]!.trim()}`)
    ) {
      bad[index] = true;
      bad[index + 1] = true;
    }
  }
  const omitted = bad.filter(Boolean).length;
  if (omitted === 0) return { text: lines.join('\n'), omitted };
  const out: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (bad[index] !== true) out.push(lines[index]!);
    else {
      let count = 1;
      while (bad[index + 1] === true) {
        count++;
        index++;
      }
      out.push(omission(source, count));
    }
  }
  return { text: out.join('\n'), omitted };
}
