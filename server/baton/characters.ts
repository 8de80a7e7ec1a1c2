/**
 * Classes of ASCII characters for scanners that must stay linear: one table lookup a character and no backtracking.
 * Characters outside ASCII belong to no class, so that a mark (`«…»`) ends every run.
 */
import type { Alphabet } from './secret-shapes.ts';

const alnum = 1;
const word = 2;
const dotted = 4;
const base64 = 8;
const space = 16;
const bits = new Uint8Array(128);
const add = (characters: string, bit: number): void => {
  for (const character of characters) bits[character.charCodeAt(0)]! |= bit;
};
const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
add(lettersAndDigits, alnum | word | dotted | base64);
add('_-', word | dotted | base64);
add('.', dotted);
add('+/=', base64);
add(' \t\n\r\v\f', space);

const maskOf: Readonly<Record<Alphabet, number>> = { alnum, word, dotted, base64 };

const has = (text: string, index: number, bit: number): boolean => {
  const code = text.charCodeAt(index);
  return code < 128 && (bits[code]! & bit) !== 0;
};
export const isAlnum = (text: string, index: number): boolean => has(text, index, alnum);
export const isWord = (text: string, index: number): boolean => has(text, index, word);
export const isBase64 = (text: string, index: number): boolean => has(text, index, base64);
export const isSpace = (text: string, index: number): boolean => has(text, index, space);
export const isDigit = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
};

/** End of the run of that alphabet which begins at `from`, at most `limit` characters on. */
export function runEnd(text: string, from: number, alphabet: Alphabet, limit: number): number {
  const bit = maskOf[alphabet];
  const stop = Math.min(text.length, from + limit);
  let end = from;
  while (end < stop && has(text, end, bit)) end++;
  return end;
}

/** Behind an ANSI sequence (`ESC [ … letter`) that begins at `at`; `at` itself when none does. Looks 16 characters far. */
export function afterAnsi(text: string, at: number): number {
  if (text.charCodeAt(at) !== 27 || text.charCodeAt(at + 1) !== 91) return at;
  for (let end = at + 2; end < at + 18 && end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code >= 64 && code <= 126) return end + 1;
  }
  return at;
}

/**
 * May a token begin at `at`? Yes at the text's start, behind anything but a letter, a digit or a mark, and behind what only
 * looks like a letter: a written escape (`\n`), a percent code (`%3D`) or an ANSI sequence.
 */
export function startsToken(text: string, at: number): boolean {
  if (at === 0) return true;
  if (text[at - 1] === '»') return false;
  if (!isAlnum(text, at - 1)) return true;
  const previous = text[at - 1]!;
  if (text[at - 2] === '\\' && (previous === 'n' || previous === 't' || previous === 'r')) return true;
  if (text[at - 3] === '%' && isAlnum(text, at - 2)) return true;
  if (previous !== 'm' && previous !== 'K') return false;
  let start = at - 2;
  while (start > at - 18 && (isDigit(text, start) || text[start] === ';')) start--;
  return text[start] === '[' && text.charCodeAt(start - 1) === 27;
}
