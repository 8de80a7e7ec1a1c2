/**
 * The form that text has in the search index, and a query in the same way. SQLite's tokenizer (unicode61) takes runs of letters and
 * digits as words, in small letters and without accents; what it does not know is done here. Chinese, Japanese and Korean have no
 * spaces: a run of their signs becomes its overlapping pairs and its last sign (ABC: AB BC C), a word for each sign, by which every
 * part of it is found from one sign on. Letters come composed and in their usual width. ASCII passes through untouched.
 */

/** A sign of a script that is written without spaces, or (Korean) with endings that grow onto a word. */
export const cjkClass = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u30fc]`;
const cjkRun = new RegExp(`${cjkClass}+`, 'gu');
const endsInCjk = new RegExp(`${cjkClass}$`, 'u');

/** What stands in the index without being text: facts begin with this sign, which is taken out of text. */
export const factSign = '\ue010';
const reserved = /[\ue000-\ue01f]/gu;
// eslint-disable-next-line no-control-regex
const beyondAscii = /[^\0-\x7f]/u;
const otherWidth = /[\uff01-\uffee]+/gu;

export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** Every sign that is not merely composed: those that the index keeps for itself, of another width, or written without spaces. */
const special = /[\u02ea\u02eb\u1100-\u11ff\u2e80-\uffff]/;

/** Composed, in usual width, without the signs that the index keeps for itself. */
export function plainLetters(text: string): string {
  if (isAscii(text)) return text;
  const composed = text.normalize('NFC');
  return special.test(composed) ? composed.replace(reserved, '').replace(otherWidth, (run) => run.normalize('NFKC')) : composed;
}

/** For the index: every run of signs in pairs and its last sign alone. */
export function textForm(text: string): string {
  if (isAscii(text)) return text;
  const plain = plainLetters(text);
  return special.test(plain) ? plain.replace(cjkRun, (run) => ` ${pairs(run, true)} `) : plain;
}

/** For a query: the last run is left open, since it may go on in the text. `single`: it ends in one sign that begins a pair. */
export function queryForm(text: string): { readonly form: string; readonly single: boolean } {
  const plain = plainLetters(text);
  let single = false;
  const form = plain.replace(cjkRun, (run: string, at: number) => {
    const last = at + run.length === plain.length;
    single = last && Array.from(run).length === 1;
    return ` ${pairs(run, !last)} `;
  });
  return { form, single };
}

function pairs(run: string, closed: boolean): string {
  const signs = Array.from(run);
  const last = signs.at(-1) ?? '';
  if (signs.length === 1) return last;
  const out: string[] = [];
  for (let i = 1; i < signs.length; i++) out.push(`${signs[i - 1] ?? ''}${signs[i] ?? ''}`);
  if (closed) out.push(last);
  return out.join(' ');
}

/** Whether what is typed behind it would lengthen its last word. */
export function endsInWord(text: string): boolean {
  return /[\p{L}\p{N}\p{M}]$/u.test(text) && !endsInCjk.test(text);
}

/** Names are short; what has more humps or is longer is encoded data. */
const mostLetters = 48;
const mostHumps = 5;
const mostInnerWords = 300;

const other = 0;
const small = 1;
const capital = 2;
const digit = 3;
const classes = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 97 && code <= 122 ? small : code >= 65 && code <= 90 ? capital : code >= 48 && code <= 57 ? digit : other,
);

/** Memory for `codesOf`. */
let codes = Buffer.allocUnsafeSlow(32 * 1024);

/**
 * A byte for each of the text's units: its code, or 0 beyond ASCII. A walk over bytes takes half as long as one over a string. Valid until
 * the next call.
 */
function codesOf(text: string): Uint8Array {
  if (text.length > codes.length) codes = Buffer.allocUnsafeSlow(text.length * 2);
  if (isAscii(text)) codes.write(text, 'latin1');
  else
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      codes[at] = code < 128 ? code : 0;
    }
  return codes;
}

/** What three neighbours begin, by their classes: a hump with the last of them, a hump with the one before it, perhaps a version. */
const humpHere = 1;
const humpBefore = 2;
const version = 3;
const begins = new Uint8Array(64);
for (let before = other; before <= digit; before++) {
  begins[(before << 4) | (small << 2) | capital] = humpHere;
  if (before === capital || before === digit) begins[(before << 4) | (capital << 2) | small] = humpBefore;
}
begins[(other << 4) | (small << 2) | digit] = version;

/**
 * The ends of names from each of their humps on (chargeCustomer: Customer; XMLHttpRequest: HttpRequest, Request), and versions without
 * their v: so that the words inside a name are found, each once. One walk over the text, which only stops where something begins: it is
 * run over everything that is read. `signs`: a byte for each of the text's units, where somebody has them: of ASCII its bytes.
 */
export function innerWords(text: string, signs: Uint8Array = codesOf(text)): readonly string[] {
  const found = new Set<string>();
  const { length } = text;
  let neighbours = 0;
  for (let at = 0; at < length; at++) {
    neighbours = ((neighbours << 2) | (classes[signs[at] ?? 0] ?? other)) & 63;
    const what = begins[neighbours];
    if (what === 0) continue;
    if (what === version) {
      if (signs[at - 1] === smallV) found.add(versionAt(text, signs, at));
      continue;
    }
    at = addHumps(text, signs, at, found);
    if (found.size >= mostInnerWords) break;
    neighbours = 0;
  }
  return [...found];
}

const smallV = 118;
const point = 46;

/** Of the name that has its first hump there. Gives the place behind it. */
function addHumps(text: string, signs: Uint8Array, first: number, found: Set<string>): number {
  let start = first;
  while (start > 0 && classes[signs[start - 1] ?? 0] !== other) start--;
  const humps: number[] = [];
  let neighbours = 0;
  let end = start;
  for (; end < text.length; end++) {
    const now = classes[signs[end] ?? 0] ?? other;
    if (now === other) break;
    neighbours = ((neighbours << 2) | now) & 63;
    const what = begins[neighbours];
    if ((what === humpHere || what === humpBefore) && humps.length <= mostHumps) humps.push(what === humpHere ? end : end - 1);
  }
  if (humps.length <= mostHumps && end - start <= mostLetters)
    for (const hump of humps) if (end - hump > 2) found.add(text.slice(hump, end));
  return end;
}

function versionAt(text: string, signs: Uint8Array, from: number): string {
  let to = from;
  while (to < text.length && to - from < mostLetters && (classes[signs[to] ?? 0] === digit || signs[to] === point)) to++;
  return text.slice(from, to);
}

/** The nearest place at or before it that does not part the halves of a sign. */
export function wholeSign(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
