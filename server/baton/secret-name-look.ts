/**
 * A look at what stands behind a word of a secret's name: does anything give the name a value? Wider than the rules that judge names and
 * values (secret-assignments.ts, secret-pairs.ts), never narrower. Bounded.
 */
import { isAlnum } from './characters.ts';
import { classifyName, nameLimit } from './secret-names.ts';

/** A value that is only spoken of has six characters at least, none of them a blank; an ANSI sequence before it is none of them. */
const spoken =
  // eslint-disable-next-line no-control-regex
  /(?: is| was|:| to| ist| =)? (?:["'`][^ \n\r]{0,4096}?\d|(?=\u001b|[^ ]{6})\S{0,64}?\d)/iy;

/** "the password is x1" */
export function isSpoken(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  return (code === 32 || code === 58) && at(spoken, text, end);
}

export function isNameSign(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 ? isAlnum(text, index) || code === 95 || code === 45 || code === 46 : code > 0xbf && code < 0xff00;
}

/** `within`: a place in the name, or behind its last word. */
export function hasValue(text: string, within: number): boolean {
  let end = within;
  while (end < within + nameLimit && isNameSign(text, end)) end++;
  if (!mayFollow(text.charCodeAt(end))) return false;
  const assigned = at(separator, text, end);
  const sign = separator.lastIndex - 1;
  let start = end;
  while (start > 0 && end - start < nameLimit && isNameSign(text, start - 1)) start--;
  const isFlag = text.charCodeAt(end) === 32 && text.slice(start, end).includes('--');
  if (!assigned && !isFlag && !isBeside(text, start, end)) return false;
  const name = nameOf(text, start, end);
  const kind = name === undefined ? 'header' : classifyName(name);
  if (kind === undefined) return false;
  if (kind !== 'strong' && kind !== 'weak') return true;
  const isAssigned =
    assigned && !at(harmless, text, sign) && (name === undefined || /pass|pwd/i.test(name) || !at(number, text, sign));
  if (kind === 'weak')
    return (
      (isAssigned && at(name?.endsWith('TOKEN') === true ? digit : telling, text, sign + 1)) || (isFlag && at(telling, text, end))
    );
  return isAssigned || isFlag || isBeside(text, start, end);
}

/** With one of these begin all of the patterns below; most names are followed by something else. */
const following = new Set(Array.from(' \t\n\v\f\r"\'`\\]?:*\u001b=|,%>', (character) => character.charCodeAt(0)));
const mayFollow = (code: number): boolean => code > 127 || following.has(code);

const separator = /[ \t"'`\\\]?:*]{0,6}?(?:\u001b\[[\d;]{0,8}m[ \t"'`\\\]?:*]{0,6}?)?[:=\uff1a]/y;
/** A word of code, an object, a call, or a comparison with a word: no literal value. */
const harmless =
  /: {0,2}(?:[A-Za-z_$]{1,60}[,;)}]|\{)|={2,3} {0,2}[A-Za-z_$]{1,60}[,;)}]|[:=] {1,2}[A-Za-z_$][\w$]{0,60}(?:\.[\w$]{1,60}){0,2}\(/y;
const number = /[:=] {1,2}\d{1,12} ?[,;)}]/y;
/** A variable's value may be several words. */
const digit = /[^\n\r]{0,700}?\d/y;
/** A weak name's value: a digit, and a run of at least eight characters somewhere in the line. */
const telling = /(?=[^\n\r]{0,700}?\d)[^\n\r]{0,700}?[\w+/=.~-]{8}/y;

const table = /["']?(?: {2,40}|\t{1,4}| {0,20}[|│] {0,20})[^\s|│\\]{0,512}?\d/y;
const markup = /(?: [^<>\n]{0,200})?>\s{0,8}[^<>\s]{3}/y;
const attribute = /["'] {1,4}(?:value|content|default)=/iy;
const beside = /\\{0,3}["']?(?:,(?:\s|\\n){0,40}|(?:\s|\\n){1,40})\\{0,3}["']?value/iy;
const written = /(?:%22)?%3[DdAa]/y;
const set = /["']? ["']?[^\s"';|&]{0,512}?\d/y;

/** A name without a sign between it and its value, or in markup. */
function isBeside(text: string, start: number, end: number): boolean {
  if (at(table, text, end) || at(beside, text, end) || at(attribute, text, end) || at(written, text, end)) return true;
  const before = text[start - 1];
  if ((before === '<' || before === ':') && at(markup, text, end)) return true;
  return at(set, text, end) && text.slice(Math.max(0, start - 160), start).includes('set');
}

/** undefined: rules do not agree on where the name begins: other letters, a name that is cut, a written line end. */
function nameOf(text: string, start: number, end: number): string | undefined {
  const before = text[start - 1];
  const name = text.slice(start, end);
  return end - start === nameLimit || before === '\\' || before === '%' || !ascii.test(name) ? undefined : name;
}

const ascii = /^[\x20-\x7e]*$/;

function at(pattern: RegExp, text: string, from: number): boolean {
  pattern.lastIndex = from;
  return pattern.test(text);
}
