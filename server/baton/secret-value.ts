/**
 * Judges and cuts the value behind a secret's name. The questions are the same for an .env line, JSON, YAML, code and
 * prose: where does the value end, and is it a literal secret or something that stands for one (a variable, a call, a type,
 * a word of a sentence)? Every look is bounded, so that a scan of a whole text stays linear.
 */
import { afterAnsi, isSpace } from './characters.ts';

/** No name's value is followed further than this; key blocks have their own rule. */
const valueLimit = 4096;
/** What a value is, is told from its first characters. */
export const judgedLength = 256;

/** The last unquoted run, so that a run with many separators in it is walked through once. One a scan. */
export interface RunMemo {
  start: number;
  end: number;
  wholeLine: boolean;
}
export const newRunMemo = (): RunMemo => ({ start: 0, end: 0, wholeLine: false });

export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

/**
 * The value that begins behind a separator at or after `from`: within its quotes, or up to where it ends unquoted.
 * `wholeLine`: an .env line, whose value may hold any character but white space.
 */
export function valueAt(text: string, from: number, wholeLine: boolean, memo: RunMemo): ValueSpan | undefined {
  let at = skipBlanks(text, from);
  let escapes = 0;
  while (text[at + escapes] === '\\' && escapes < 7) escapes++;
  const quote = text[at + escapes];
  if (quote === '"' || quote === "'" || quote === '`') {
    const start = at + escapes + 1;
    const end = closingQuote(text, start, quote, escapes);
    if (end !== undefined) return end > start ? { start, end, quoted: true } : undefined;
    at = start;
  }
  if (at < memo.start || at >= memo.end || memo.wholeLine !== wholeLine) {
    let end = at;
    const stop = Math.min(text.length, at + valueLimit);
    while (end < stop && !endsValue(text, end, wholeLine)) end++;
    memo.start = at;
    memo.end = end;
    memo.wholeLine = wholeLine;
  }
  return memo.end > at ? { start: at, end: memo.end, quoted: false } : undefined;
}

/** Behind blanks and ANSI sequences; never over a line's end. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (let steps = 0; steps < 16; steps++) {
    const next = text[at] === ' ' || text[at] === '\t' ? at + 1 : afterAnsi(text, at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function closingQuote(text: string, start: number, quote: string, escapes: number): number | undefined {
  const stop = Math.min(text.length, start + valueLimit);
  for (let at = start; at < stop; at++) {
    const character = text[at];
    if (character === '\n' || character === '\r') return undefined;
    if (character === '\\') {
      let run = 1;
      while (text[at + run] === '\\' && at + run < stop) run++;
      if (text[at + run] === quote && run === escapes) return at;
      at += run;
    } else if (character === quote && escapes === 0) return at;
  }
  return undefined;
}

const enders = new Set('"\'`,;)}]<>|&«»\u001b');
function endsValue(text: string, at: number, wholeLine: boolean): boolean {
  const character = text[at]!;
  if (isSpace(text, at) || character === '«' || character === '»' || character === '\u001b') return true;
  if (character === '\\' && (text[at + 1] === 'n' || text[at + 1] === 'r' || text[at + 1] === 't' || text[at + 1] === '"'))
    return true;
  return wholeLine ? character === '"' : enders.has(character);
}

const words = new Set([
  'true',
  'false',
  'null',
  'nil',
  'none',
  'undefined',
  'string',
  'number',
  'boolean',
  'bool',
  'str',
  'int',
  'any',
  'bytes',
  'buffer',
  'optional',
  'void',
  'unknown',
  'object',
  'required',
  'process',
  'char',
  'text',
  'varchar',
  'never',
  'secret',
  'secretstr',
  'password',
  'token',
  'yes',
  'no',
  'not',
  'missing',
  'empty',
  'invalid',
  'set',
  'unset',
  'redacted',
  'hidden',
  'readonly',
  'const',
  'await',
  'new',
  'function',
  'async',
  'self',
  'this',
  'inherit',
]);

/** What a value stands for rather than is: a variable, a template, a call, a member, a type, a path, a public key, or a redaction already. */
export function isReference(value: string): boolean {
  if (value.includes('«masked:')) return true;
  const first = value[0]!;
  if (first === '$') return !/^\$(2[abxy]|argon2|[156]|pbkdf2|scrypt)/.test(value);
  if (/^!\w+$/.test(value)) return true;
  if (first === '<' || first === '{' || first === '%' || first === '(' || first === '[' || first === '|') return true;
  if (/^[*x.•_-]+$/i.test(value) || /^\[?redacted/i.test(value)) return true;
  if (words.has(value.toLowerCase()) || /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-)/.test(value)) return true;
  if (/^(?:process\.|os\.|import\.meta|env[.([]|self\.|this\.|config\.|settings\.|ENV\[|System\.)/.test(value)) return true;
  if (/^(?:~|\.{1,2})?\/[^\s]*$/.test(value) && value.includes('/', 1)) return true;
  return value.includes('://') && !value.includes('@');
}

/** Unquoted in code: `getSecret()`, `req.body.password`, `user?.token`, `pw`. Words without any digit or sign are names. */
export function isCode(value: string, name: string): boolean {
  if (value.includes('(') || value.includes('=>') || value.includes('?.')) return true;
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && !/\d{3}/.test(value)) return true;
  const lower = value.toLowerCase();
  return name !== '' && /^[A-Za-z_$]+$/.test(value) && (lower.includes(name.toLowerCase()) || name.toLowerCase().includes(lower));
}

/** What a weak name's value must look like: long, of letters and digits in disorder, and no hash, UUID, date, path or version. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || value.length > 512 || !/^[\w+/=.~-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^[0-9a-f]{7,64}$/.test(value) || isUuid(value) || /^\d{4}-?\d\d-?\d\d/.test(value)) return false;
  if (value.includes('/') && /^[\w.-]+(?:\/[\w.-]+)+$/.test(value) && !/[A-Z].*\d.*[A-Z]/.test(value)) return false;
  const parts = value.split(/[-_./]/);
  if (parts.length > 2 && parts.every((part) => part.length < 12)) return false;
  return entropy(value) >= 3.2;
}

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** Shannon entropy in bits a character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / value.length) * Math.log2(count / value.length);
  return sum;
}
