/**
 * Finds secrets by what stands before them: a name and a separator (`API_KEY=`, `"password":`, `Authorization:`), a
 * credential in a URL, a command line flag, or a sentence ("the password is …"). The scan stops only at separators, looks
 * back at most one name and forward at most one value.
 */
import type { Finding } from './secrets.ts';
import { isAlnum, isDigit, runEnd } from './characters.ts';
import type { NameClass } from './secret-names.ts';
import { classifyName, nameLimit } from './secret-names.ts';
import { urlCredential } from './secret-urls.ts';
import type { RunMemo, ValueSpan } from './secret-value.ts';
import { isCode, isReference, isUuid, judgedLength, looksRandom, newRunMemo, skipBlanks, valueAt } from './secret-value.ts';

/** Where something that is named might begin: a separator, `--flag`, or a short flag that some programs take a password by. */
const separators = /[:=\uff1a]|--| -[upaw]/g;

/** Names come again and again, in one text and in the next. */

export function findNamed(text: string): readonly Finding[] {
  const out: Finding[] = [];
  const memo = newRunMemo();
  let done = 0;
  const keep = (finding: Finding | undefined): void => {
    if (finding === undefined || finding.end <= done) return;
    out.push(finding);
    done = finding.end;
  };
  separators.lastIndex = 0;
  while (separators.test(text)) {
    const at = separators.lastIndex - 1;
    const character = text[at];
    if (character === '-') {
      if (at - 1 >= done && !isAlnum(text, at - 2)) keep(flag(text, at - 1, memo));
    } else if (character === 'u' || character === 'p' || character === 'a' || character === 'w') {
      if (at - 1 >= done) keep(shortFlag(text, at - 1, memo));
    } else if (character === ':' && text.startsWith('//', at + 1)) keep(urlCredential(text, at + 3));
    else if (at >= done) keep(assignment(text, at, memo));
  }
  for (const match of text.matchAll(sentence))
    keep2(out, prose(text, match.index + match[0].length, memo, /^(?:pass|kenn)/i.test(match[0])));
  for (const match of text.matchAll(bearer)) keep2(out, bearerValue(text, match.index + match[0].length));
  return out;
}
const keep2 = (out: Finding[], finding: Finding | undefined): void => {
  if (finding !== undefined) out.push(finding);
};

function assignment(text: string, separator: number, memo: RunMemo): Finding | undefined {
  const name = nameBefore(text, separator);
  if (name === undefined) return undefined;
  const kind = classifyName(name.text);
  if (kind === undefined) return undefined;
  let from = separator + 1;
  const equals = text[separator] === '=';
  let compared = false;
  while ((text[from] === '=' || text[from] === '>') && from < separator + 3) {
    compared ||= text[from] === '=' && equals;
    from++;
  }
  if (text[separator] === ':') {
    if (text[separator + 1] === ':') return undefined;
    // `password: str = "…"`: a type stands between the name and its value.
    from += typed.exec(text.slice(from, from + 64))?.[0].length ?? 0;
  }
  const glued = equals && from === separator + 1 && text[separator - 1] !== ' ' && text[from] !== ' ';
  const envLine = glued && beginsLine(text, name.start);
  if (kind === 'cookie') return restOfLine(text, skipBlanks(text, from), 'cookie');
  if (kind === 'header') return headerValue(text, from);
  const value = valueAt(text, from, envLine, memo);
  if (value === undefined || (compared && !value.quoted)) return undefined;
  // `env DB_PASSWORD=x program`, `docker run -e DB_PASSWORD=x`: a variable is set within a line too.
  const set = envLine || (glued && variable.test(name.text) && !isCode(text.slice(value.start, value.start + judgedLength), ''));
  return judged(text, value, kind, name.text, set);
}

const typed = /^ {0,2}[&\w.<>[\]| ?]{1,40} {0,2}= {0,2}(?=["'`])/;
const variable = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/;

/** Words that stand for a secret elsewhere and are one, a poor one, in an .env line. */
const standIns = new Set(['secret', 'password', 'token', 'text', 'empty', 'hidden']);

function judged(text: string, span: ValueSpan, kind: NameClass, name: string, envLine: boolean): Finding | undefined {
  const value = text.slice(span.start, Math.min(span.end, span.start + judgedLength));
  if (isReference(value) && !(envLine && standIns.has(value.toLowerCase()))) return undefined;
  // An argument by name on a line of its own: `password=password,`.
  const bare = value.replace(/[,;)]+$/, '');
  if (envLine && bare !== value && (/^[A-Za-z_$.]*$/.test(bare) || isReference(bare) || isCode(bare, name))) return undefined;
  const finding = { start: span.start, end: span.end, kind: /pass|pwd/i.test(name) ? 'password' : 'secret' };
  if (kind === 'weak')
    return looksRandom(value) ||
      (envLine && name.endsWith('TOKEN') && value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)) ||
      (/token|jwt|bearer|auth/i.test(name) && (isUuid(value) || /^[0-9a-f]{24,}$/i.test(value)))
      ? finding
      : undefined;
  if (span.quoted) return isLabel(value, name) ? undefined : finding;
  if (envLine) return value.length >= 3 ? finding : undefined;
  if (/^[\d.]+$/.test(value) && finding.kind !== 'password') return undefined;
  if (isCode(value, name)) return undefined;
  // A bare word of small letters: a value where a line ends with it, else the next word of a sentence or a name in code.
  if (/^[A-Za-z_$]+$/.test(value)) {
    const after = skipBlanks(text, span.end);
    const ends =
      after >= text.length || text[after] === '\n' || text[after] === '\r' || text[after] === '\\' || text[after] === '&';
    return ends && value.length >= 6 && !/^[A-Z][a-z]+$/.test(value) ? finding : undefined;
  }
  return value.length >= 4 ? finding : undefined;
}

/** "Enter your password" and the like: words for people, that name what they ask for. */
function isLabel(value: string, name: string): boolean {
  if (value.length < 3) return true;
  if (!value.includes(' ')) return value.toLowerCase() === name.toLowerCase();
  return /pass|secret|token|key|credential|enter|required|invalid|must|please|your/i.test(value);
}

interface Name {
  readonly text: string;
  readonly start: number;
}
function nameBefore(text: string, separator: number): Name | undefined {
  let end = separator;
  while (end > 0 && separator - end < 6 && betweenNameAndSeparator.has(text[end - 1]!)) end--;
  if (text[end - 1] === 'm') {
    const ansi = /\u001b\[[\d;]{0,8}m$/.exec(text.slice(Math.max(0, end - 12), end));
    if (ansi !== null) end -= ansi[0].length;
  }
  let start = end;
  while (start > 0 && end - start < nameLimit && isNameCharacter(text, start - 1)) start--;
  // `\npassword`: the letter of a written escape is no part of the name.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start++;
  while (start < end && text.charCodeAt(start) < 128 && !isAlnum(text, start)) start++;
  return start === end ? undefined : { text: text.slice(start, end), start };
}
const betweenNameAndSeparator = new Set(' \t"\'`\\]?:*');

/**
 * Does a name at `start` begin its line, or follow what sets a variable? The line may be one of a diff, or be numbered as tools
 * number the lines of a file.
 */
function beginsLine(text: string, start: number): boolean {
  return lineBeginning.test(`${start < 48 ? '\n' : ''}${text.slice(Math.max(0, start - 48), start)}`);
}
const lineBeginning =
  /(?:[\n\r]|\\n|\\r)(?:[+<>-] ?)?(?:\s{0,8}[A-Z]?\d{1,6}(?:\t|\\t|→|[:-] ?| ?[|│] ?))?\s{0,4}(?:export |set |declare -x |\$env:|ENV |ARG )?["']?$/;
function isNameCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? isAlnum(text, at) || code === 95 || code === 45 || code === 46 : code > 0xbf && code < 0xff00;
}

/** `Bearer x`, `Basic x`, `token x` or the bare value. A value of several parts is masked to the end of its line or quote. */
function headerValue(text: string, from: number): Finding | undefined {
  let start = skipBlanks(text, from);
  while (text[start] === '\\' || text[start] === '"' || text[start] === "'" || text[start] === '`') start++;
  const scheme =
    /^(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|SSWS|GenieKey|Negotiate|AWS4-HMAC-SHA256|GoogleLogin)[ ]{1,4}/i.exec(
      text.slice(start, start + 32),
    );
  if (scheme !== null) start += scheme[0].length;
  return restOfLine(text, start, 'auth');
}

const endsLine = new Set('"\'`\n\r\\<«»\u001b');
function restOfLine(text: string, from: number, kind: string): Finding | undefined {
  let start = from;
  while (text[start] === '\\' || text[start] === '"' || text[start] === "'" || text[start] === '`') start++;
  // In code and sentences the name is followed by words: only something with a digit or a pair is a value.
  const head = text.slice(start, start + judgedLength);
  if (kind === 'cookie' ? !/^[^\s=;]{1,128}=/.test(head) : /^[a-z]+ [a-z]+ /.test(head) || !/^[^\n"'`]{0,63}\d/.test(head))
    return undefined;
  let end = start;
  const stop = Math.min(text.length, start + 4096);
  while (end < stop && !endsLine.has(text[end]!)) end++;
  while (end > start && /[\s,;)}\]]/.test(text[end - 1]!)) end--;
  const value = text.slice(start, Math.min(end, start + judgedLength));
  return value.length < 6 || isReference(value) ? undefined : { start, end, kind };
}

/** `--password value`, `--api-key value`; with `=` the assignment rule has it. */
function flag(text: string, at: number, memo: RunMemo): Finding | undefined {
  const start = at + 2;
  const end = runEnd(text, start, 'word', nameLimit);
  if (end === start || text[end] !== ' ') return undefined;
  const name = text.slice(start, end);
  const kind = classifyName(name);
  if (name === 'user' || name === 'proxy-user') return pair(text, at, end + 1, memo);
  if (kind !== 'strong' && kind !== 'weak') return undefined;
  const span = valueAt(text, end, false, memo);
  if (span === undefined) return undefined;
  const value = text.slice(span.start, Math.min(span.end, span.start + judgedLength));
  if (value.startsWith('-') || isReference(value) || value.length < 4) return undefined;
  if (kind === 'weak' ? !looksRandom(value) : /^[a-z]+$/.test(value) && !span.quoted && value.length < 6) return undefined;
  return { start: span.start, end: span.end, kind: 'secret' };
}

/** `curl -u user:password`, `mysql -ppassword`, `docker login -p password`: only behind the program that means it so. */
function shortFlag(text: string, at: number, memo: RunMemo): Finding | undefined {
  const letter = text[at + 1] ?? '';
  if (letter === 'u' && text[at + 2] === ' ') return pair(text, at, at + 3, memo);
  if (letter === 'u') return undefined;
  const before = text.slice(Math.max(0, at - 120), at);
  const spaced = text[at + 2] === ' ';
  if (!(spaced ? takesSpaced[letter] : takesGlued[letter])?.test(before)) return undefined;
  const span = valueAt(text, at + 2, false, memo);
  if (span === undefined) return undefined;
  const value = text.slice(span.start, Math.min(span.end, span.start + judgedLength));
  return value.length < 3 || isReference(value) ? undefined : { start: span.start, end: span.end, kind: 'password' };
}
const takesGlued: Readonly<Record<string, RegExp | undefined>> = {
  p: /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,120}$/,
};
const takesSpaced: Readonly<Record<string, RegExp | undefined>> = {
  p: /\bsshpass $|\b(?:docker|podman|helm registry|az acr|skopeo|oras) login\b[^\n|;&]{0,110}$|\bmongo(?:sh|dump|restore)?\b[^\n|;&]{0,110}$/,
  a: /\bredis-cli\b[^\n|;&]{0,110}$/,
  w: /\bldap(?:search|modify|add|whoami|passwd)\b[^\n|;&]{0,110}$/,
};
function pair(text: string, at: number, from: number, memo: RunMemo): Finding | undefined {
  if (!/\b(?:curl|wget|https?|xh)\b[^\n|;]{0,120}$/.test(text.slice(Math.max(0, at - 130), at))) return undefined;
  const span = valueAt(text, from, false, memo);
  if (span === undefined) return undefined;
  const value = text.slice(span.start, Math.min(span.end, span.start + judgedLength));
  const colon = value.indexOf(':');
  if (colon < 0 || colon === value.length - 1 || isReference(value.slice(colon + 1))) return undefined;
  return { start: span.start + colon + 1, end: span.end, kind: 'password' };
}

const sentence =
  /(?:pass(?:word|phrase|wd)|api[ _-]?key|secret|token|passwort|kennwort)(?: is| was|:| to| ist| =)? (?=["'`]|\S{0,64}\d)/gi;
const bearer = /\b(?:Bearer|Basic) (?=[\w.~+/=-]{12})/g;

/** Behind "the password is": something quoted or with a digit and a letter in it, that no sentence would hold. */
function prose(text: string, from: number, memo: RunMemo, password: boolean): Finding | undefined {
  const span = valueAt(text, from, false, memo);
  if (span === undefined) return undefined;
  let end = span.end;
  while (!span.quoted && end > span.start && /[.,:!?]/.test(text[end - 1]!)) end--;
  const value = text.slice(span.start, end);
  if (value.length < 6 || value.includes(' ') || isReference(value) || isCode(value, '')) return undefined;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[0-9a-f]{7,64}$/.test(value) || isUuid(value)) return undefined;
  if (/^[\w.-]+\.[a-z]{1,4}(?::\d+)*$/.test(value) || (!password && /^[a-z]+[-_]?\d{1,2}$/i.test(value))) return undefined;
  return { start: span.start, end, kind: 'secret' };
}

function bearerValue(text: string, from: number): Finding | undefined {
  let end = from;
  while (end < text.length && end < from + 4096 && /[\w.~+/=-]/.test(text[end]!)) end++;
  const value = text.slice(from, end);
  let digit = false;
  for (let at = from; at < end && !digit; at++) digit = isDigit(text, at);
  return digit && !isReference(value) ? { start: from, end, kind: 'auth' } : undefined;
}
