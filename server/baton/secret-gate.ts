/**
 * Tells in one cheap walk whether a text can hold a secret at all: most of a transcript's texts hold nothing that any rule begins with, and
 * are not looked through further. Whoever is let through has nothing found yet; who is kept back would have had nothing found. Linear.
 */
import { literalScan } from './literal-scan.ts';
import { triggers } from './secret-triggers.ts';

const { classes, next, shift, firstEnd, ends } = literalScan(triggers.map(({ literal }) => literal));

export function mayHoldSecrets(text: string): boolean {
  const codes = codesOf(text);
  return hasTrigger(text, codes) || hasRun(text, codes) || hasAccountNumber(text, codes);
}

/** Characters and room for one more. Longer texts are rare, and have memory of their own. */
const usual = roomFor(64 * 1024);

interface Room {
  readonly codes: Uint16Array;
  /** The same memory. */
  readonly bytes: Buffer;
}
function roomFor(characters: number): Room {
  const codes = new Uint16Array(characters + 1);
  return { codes, bytes: Buffer.from(codes.buffer) };
}

/** The text's characters and a 0 behind them, valid until the next call: they are read of an array at half of what they cost of a string. */
function codesOf(text: string): Uint16Array {
  const { length } = text;
  const { codes, bytes } = length < usual.codes.length ? usual : roomFor(length);
  bytes.write(text, 'utf16le');
  codes[length] = 0;
  return codes;
}

/** A text with more literals than this and a share of its length is let through: looking at each would cost more than the rules. */
const leastLooks = 64;

function hasTrigger(text: string, codes: Uint16Array): boolean {
  const { length } = text;
  let state = 0;
  let looks = leastLooks + (length >> 5);
  for (let at = 0; at < length; at++) {
    const code = codes[at]!;
    if (code < 128) {
      state = next[(state << shift) | classes[code]!]!;
      if (state >= firstEnd && (holdsAny(ends[state - firstEnd]!, text, at + 1) || --looks < 0)) return true;
    } else {
      state = 0;
      if (isOtherLetter(text, at, code)) return true;
    }
  }
  return false;
}

function holdsAny(found: readonly number[], text: string, end: number): boolean {
  for (const index of found) {
    const { literal, holds } = triggers[index]!;
    if (holds(text, end - literal.length, end)) return true;
  }
  return false;
}

/** The last letters of names in other scripts, and letters that a change of case makes ASCII. */
function isOtherLetter(text: string, at: number, code: number): boolean {
  switch (code) {
    case 0x130:
    case 0x212a:
      return true;
    case 0xf1:
    case 0xd1:
      return /contrase$/i.test(text.slice(Math.max(0, at - 8), at));
    case 0x7801:
    case 0x78bc:
      return text[at - 1] === '密';
    case 0x4ee4:
      return text[at - 1] === '口';
    case 0x94a5:
      return text[at - 1] === '密';
    case 0x30c9:
      return text.startsWith('パスワー', at - 4);
    case 0xd638:
      return text.startsWith('비밀번', at - 3);
    default:
      return false;
  }
}

/** Bits of a character in a run of base64 and of tokens. */
const upper = 1;
const lower = 2;
const digit = 4;
const sign = 8;
const bits = new Uint8Array(65_536);
for (let code = 48; code < 58; code++) bits[code] = digit;
for (let code = 65; code < 91; code++) bits[code] = upper;
for (let code = 97; code < 123; code++) bits[code] = lower;
for (const code of [43, 45, 47, 61, 95]) bits[code] = sign;

/** No run that some rule knows by its form alone is shorter; so every such run has a character at a multiple of it. */
const shortest = 16;

/** A run of letters, digits and `+/=-_` that may be a pair in base64, or the first of a token's three parts. */
function hasRun(text: string, codes: Uint16Array): boolean {
  const { length } = text;
  for (let at = shortest - 1; at < length; at += shortest) {
    if (bits[codes[at]!] === 0) continue;
    // Behind the run's beginning, or what was looked at before: a run that reaches further was judged from there.
    const low = Math.max(0, at - shortest);
    let from = at;
    while (from > low && bits[codes[from - 1]!] !== 0) from--;
    let end = at + 1;
    while (end < length && bits[codes[end]!] !== 0) end++;
    if (end - from < shortest) continue;
    if (isTelling(text, codes, from, end)) return true;
    at = end - ((end - at) % shortest);
  }
  return false;
}

function isTelling(text: string, codes: Uint16Array, from: number, end: number): boolean {
  let seen = 0;
  for (let at = from; at < end; at++) seen |= bits[codes[at]!]!;
  if ((seen & (upper | lower)) !== (upper | lower)) return false;
  if (end - from >= 24 && codes[end] === 46 && parts.test(text.slice(end, end + 16))) return true;
  return (seen & (digit | sign)) !== 0 && holdsPair(codes, from, end);
}
const parts = /^\.[\w-]{6}\./;

/** A run of base64's characters of a pair's length with both cases, and a digit or a filled end. */
function holdsPair(codes: Uint16Array, from: number, end: number): boolean {
  let start = from;
  let seen = 0;
  for (let at = from; at <= end; at++) {
    const code = at < end ? codes[at]! : 45;
    if (code !== 45 && code !== 95) {
      seen |= code === 61 ? digit : bits[code]!;
      continue;
    }
    if (at - start >= shortest && (seen & 7) === 7 && (at - start) % 4 < 2) return true;
    start = at + 1;
    seen = 0;
  }
  return false;
}

/** The number of a bot's account: at least eight digits before a colon, of which one stands at a multiple of eight. */
function hasAccountNumber(text: string, codes: Uint16Array): boolean {
  const { length } = text;
  for (let at = 7; at < length; at += 8) {
    if (bits[codes[at]!] !== digit) continue;
    let end = at + 1;
    while (end < length && bits[codes[end]!] === digit) end++;
    if (codes[end] === 58 && accountNumber.test(text.slice(Math.max(0, end - 8), end))) return true;
    at += (end - at) & ~7;
  }
  return false;
}
const accountNumber = /^\d{8}$/;
