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

/** Composed, in usual width, without the signs that the index keeps for itself. */
export function plainLetters(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFC')
    .replace(reserved, '')
    .replace(otherWidth, (run) => run.normalize('NFKC'));
}

/** For the index: every run of signs in pairs and its last sign alone. */
export function textForm(text: string): string {
  if (isAscii(text)) return text;
  return plainLetters(text).replace(cjkRun, (run) => ` ${pairs(run, true)} `);
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

const hasInner = /[a-z][A-Z]|[A-Z0-9][A-Z][a-z]|v[0-9]/u;

const other = 0;
const small = 1;
const capital = 2;
const digit = 3;
const classes = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 97 && code <= 122 ? small : code >= 65 && code <= 90 ? capital : code >= 48 && code <= 57 ? digit : other,
);

/**
 * The ends of names from each of their humps on (chargeCustomer: Customer; XMLHttpRequest: HttpRequest, Request), and versions without
 * their v: so that the words inside a name are found, each once. One walk over the text: it is run over everything that is read.
 */
export function innerWords(text: string): readonly string[] {
  if (!hasInner.test(text)) return [];
  const found = new Set<string>();
  let humps: number[] = [];
  let start = 0;
  let before = other;
  let last = other;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    const now = code < 128 ? (classes[code] ?? other) : other;
    if (now === other) {
      if (humps.length > 0) {
        if (humps.length <= mostHumps && at - start <= mostLetters)
          for (const hump of humps) if (at - hump > 2) found.add(text.slice(hump, at));
        humps = [];
        if (found.size >= mostInnerWords) break;
      }
    } else if (last === other) {
      start = at;
    } else if (now === capital && last === small) {
      if (humps.length <= mostHumps) humps.push(at);
    } else if (now === small && last === capital && (before === capital || before === digit)) {
      if (humps.length <= mostHumps) humps.push(at - 1);
    } else if (now === digit && at === start + 1 && text.charCodeAt(start) === 118) {
      found.add(versionAt(text, at));
    }
    before = last;
    last = now;
  }
  return [...found];
}

function versionAt(text: string, from: number): string {
  let to = from;
  while (to < text.length && to - from < mostLetters && (classes[text.charCodeAt(to)] === digit || text[to] === '.')) to++;
  return text.slice(from, to);
}

/** The nearest place at or before it that does not part the halves of a sign. */
export function wholeSign(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
