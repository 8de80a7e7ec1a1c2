/**
 * Private keys in PEM or OpenSSH armour, whole from their first line to their last: also when a cut output has only the
 * beginning or only the end, and when line ends are written as `\n` within a string. Certificates and public keys stay, and
 * so does armour that is only spoken of, with no key behind it.
 */
import type { Finding } from './secrets.ts';
import { isAlnum, isSpace } from './characters.ts';

/** A key reaches at most this far from its armour. */
const blockLimit = 32_768;
/** Shortest line of base64 that is taken for a key's. */
const lineLimit = 16;
const armour = /-----(BEGIN|END) ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/g;

export function findBlocks(text: string): readonly Finding[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const marks = [...text.matchAll(armour)];
  const out: Finding[] = [];
  let done = 0;
  for (const [index, mark] of marks.entries()) {
    const start = mark.index;
    if (start < done) continue;
    const behind = start + mark[0].length;
    const next = marks[index + 1];
    if (mark[1] === 'END') {
      const body = bodyStart(text, start, Math.max(done, start - blockLimit));
      if (body < start) out.push({ start: body, end: behind, kind: 'private-key' });
      done = behind;
    } else if (next !== undefined && next[1] === 'END' && next.index - start < blockLimit) {
      done = next.index + next[0].length;
      out.push({ start, end: done, kind: 'private-key' });
    } else {
      done = bodyEnd(text, behind, Math.min(next?.index ?? text.length, behind + blockLimit));
      if (done > behind) out.push({ start, end: done, kind: 'private-key' });
    }
  }
  return out;
}

/** Lines of base64 and header lines (`Proc-Type: 4,ENCRYPTED`) behind a BEGIN; a short line only as the last one. */
function bodyEnd(text: string, from: number, stop: number): number {
  let end = from;
  let at = from;
  let lines = 0;
  while (at < stop) {
    while (at < stop && isBetween(text, at)) at++;
    const start = at;
    while (at < stop && isKeyCharacter(text, at)) at++;
    const length = at - start;
    if (length >= lineLimit) {
      end = at;
      lines++;
    } else if (length > 0 && lines === 0 && (text[at] === ':' || text[at] === '-')) {
      while (at < stop && text[at] !== '\n') at++;
    } else {
      if (length > 0 && lines > 0 && (text[at] === '\n' || at === stop || text[at - 1] === '=')) end = at;
      break;
    }
  }
  return end;
}
function bodyStart(text: string, from: number, stop: number): number {
  let start = from;
  let at = from;
  while (at > stop) {
    while (at > stop && isBetween(text, at - 1)) at--;
    const end = at;
    while (at > stop && isKeyCharacter(text, at - 1)) at--;
    if (end - at < lineLimit && !(start === from && end > at)) break;
    start = at;
  }
  return start;
}
const isKeyCharacter = (text: string, at: number): boolean =>
  isAlnum(text, at) || text[at] === '+' || text[at] === '/' || text[at] === '=';
/** White space and the backslash of a written line end, whose letter then counts as the line's. */
const isBetween = (text: string, at: number): boolean => isSpace(text, at) || text[at] === '\\';
