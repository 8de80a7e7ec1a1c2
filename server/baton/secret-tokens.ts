/** Finds secrets by their shape alone: the table of shapes, JSON Web Tokens, bot tokens, and an AWS secret near its key id. */
import type { Finding } from './secrets.ts';
import { isAlnum, isBase64, isDigit, isWord, runEnd, startsToken } from './characters.ts';
import type { Alphabet, Shape } from './secret-shapes.ts';
import { shapes } from './secret-shapes.ts';
import { continuedEnd } from './secret-wraps.ts';

/** Tokens are followed this far: a private key in base64 is the longest of them. */
const tokenLimit = 16_384;

const longestFirst = shapes.toSorted((a, b) => b.prefix.length - a.prefix.length);
/** No prefix is shorter. */
const keyLength = 3;
const byFirst = groupedBy(longestFirst, (prefix) => prefix.slice(0, keyLength));
const byLast = groupedBy(longestFirst, (prefix) => prefix.slice(-keyLength));
function groupedBy(all: readonly Shape[], key: (prefix: string) => string): ReadonlyMap<string, readonly Shape[]> {
  const groups = new Map<string, Shape[]>();
  for (const shape of all) groups.set(key(shape.prefix), [...(groups.get(key(shape.prefix)) ?? []), shape]);
  return groups;
}
/** Where a shape, a web token or a bot token might begin: one native scan tells these few places from all others. */
const beginnings = new RegExp(
  [...shapes.map((shape) => shape.prefix.replaceAll(/[.$/]/g, '\\$&')), 'eyJ', '\\d{8,10}:'].join('|'),
  'g',
);

export function findShapes(text: string): readonly Finding[] {
  const out: Finding[] = [];
  const runs = newRuns();
  let searched = 0;
  beginnings.lastIndex = 0;
  for (let match = beginnings.exec(text); match !== null; match = beginnings.exec(text)) {
    const beginning = beginnings.lastIndex;
    const finding = tokenBefore(text, beginning, runs);
    if (finding === undefined) {
      // Within it another may begin: `\\napi_…` looks like one that begins with an n.
      beginnings.lastIndex = match.index + 1;
      continue;
    }
    out.push(finding);
    beginnings.lastIndex = Math.max(beginning, finding.end);
    if (finding.kind === 'aws') {
      const from = Math.max(searched, finding.start - 400);
      searched = Math.min(text.length, finding.end + 400);
      for (const secret of awsSecrets(text, from, searched)) out.push(secret);
    }
  }
  return out;
}

/** The token whose beginning ends at `behind`. */
function tokenBefore(text: string, behind: number, runs: Runs): Finding | undefined {
  if (text[behind - 1] === ':') {
    let start = behind - 1;
    while (start > 0 && isDigit(text, start - 1) && behind - start < 12) start--;
    return startsToken(text, start) ? botToken(text, start, behind - 1) : undefined;
  }
  for (const shape of byLast.get(text.slice(behind - keyLength, behind)) ?? []) {
    const start = behind - shape.prefix.length;
    if (!text.startsWith(shape.prefix, start) || !startsToken(text, start)) continue;
    const longest = shapeAt(text, start, runs);
    if (longest !== undefined) return longest;
  }
  return text.startsWith('eyJ', behind - 3) && startsToken(text, behind - 3) ? webToken(text, behind - 3, runs) : undefined;
}

/** The last run of each alphabet, so that a run in which many shapes might begin is walked through once. */
type Runs = Record<Alphabet | 'noDigit', { start: number; end: number }>;
const newRuns = (): Runs => ({
  alnum: { start: 0, end: 0 },
  word: { start: 0, end: 0 },
  dotted: { start: 0, end: 0 },
  base64: { start: 0, end: 0 },
  noDigit: { start: 0, end: 0 },
});
function endOfRun(text: string, from: number, alphabet: Alphabet, runs: Runs): number {
  const run = runs[alphabet];
  if (from < run.start || from >= run.end) {
    run.start = from;
    run.end = runEnd(text, from, alphabet, tokenLimit);
  }
  return run.end;
}

function shapeAt(text: string, at: number, runs: Runs): Finding | undefined {
  for (const shape of byFirst.get(text.slice(at, at + keyLength)) ?? []) {
    if (!text.startsWith(shape.prefix, at)) continue;
    const from = at + shape.prefix.length;
    let end = endOfRun(text, from, shape.alphabet, runs);
    // The stop of a sentence is no part of a token.
    while (shape.alphabet === 'dotted' && end > from && text[end - 1] === '.') end--;
    // A token that a line's end or a string's cuts early.
    if (end - from < shape.min && shape.max === undefined) end = continuedEnd(text, end);
    const length = end - from;
    if (length < shape.min || (shape.max !== undefined && length > shape.max)) continue;
    if (shape.digit === true && !hasDigit(text, from, Math.min(end, from + 64), runs)) continue;
    if (shape.max !== undefined && isWord(text, end)) continue;
    return { start: at, end, kind: shape.kind };
  }
  return undefined;
}

/** `eyJ….eyJ….signature`: header and claims are base64 of JSON objects. The signature may be cut off or empty. */
function webToken(text: string, at: number, runs: Runs): Finding | undefined {
  if (!text.startsWith('eyJ', at)) return undefined;
  const header = endOfRun(text, at, 'word', runs);
  if (header - at < 12 || text[header] !== '.') return undefined;
  const claims = runEnd(text, header + 1, 'word', tokenLimit);
  if (claims - header < 9) return undefined;
  const end = text[claims] === '.' ? runEnd(text, claims + 1, 'dotted', tokenLimit) : claims;
  return { start: at, end, kind: 'jwt' };
}

/** Telegram: `123456789:` and 35 characters. */
function botToken(text: string, start: number, colon: number): Finding | undefined {
  const end = runEnd(text, colon + 1, 'word', 40);
  const length = end - colon - 1;
  return length >= 34 && length <= 36 && /[A-Za-z]/.test(text.slice(colon + 1, end))
    ? { start, end, kind: 'telegram' }
    : undefined;
}

/** 40 characters of base64 in mixed case near an AWS key id; a commit hash, which is 40 hex digits, is none. */
function awsSecrets(text: string, from: number, to: number): readonly Finding[] {
  const out: Finding[] = [];
  for (let at = from; at < to; at++) {
    if (!isAwsCharacter(text, at)) continue;
    const start = at;
    while (at < to + 40 && isAwsCharacter(text, at)) at++;
    if (at - start !== 40) continue;
    const value = text.slice(start, at);
    if (/[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)) out.push({ start, end: at, kind: 'aws' });
  }
  return out;
}
const isAwsCharacter = (text: string, at: number): boolean =>
  isAlnum(text, at) || (isBase64(text, at) && (text[at] === '+' || text[at] === '/'));

function hasDigit(text: string, from: number, to: number, runs: Runs): boolean {
  const known = runs.noDigit;
  if (from < known.start || from > known.end) known.start = known.end = from;
  while (known.end < to) {
    if (isDigit(text, known.end)) return true;
    known.end++;
  }
  return false;
}
