/**
 * A term, sought in a text as the index has both (without accents and cases): its words with whatever stands between words between them,
 * signs of a script without spaces next to each other. Letters are told apart by tables that are made once, since an expression with
 * classes of all scripts in it takes longer to be made than to search a page.
 */
import { cjkClass } from './search-forms.ts';

export interface Span {
  readonly from: number;
  /** Behind its last character. */
  readonly to: number;
}

interface Unit {
  readonly text: string;
  /** Something must stand before it: it is a word behind a word. */
  readonly apart: boolean;
}

const wordClass = String.raw`[[\p{L}\p{N}\p{M}\p{Co}]--${cjkClass}]`;
const gapClass = String.raw`[^\p{L}\p{N}\p{M}\p{Co}]`;
const units = new RegExp(`(${cjkClass}+)|${wordClass}+`, 'gv');
const leadingGap = new RegExp(`^${gapClass}+`, 'v');
const startsInWord = new RegExp(`^${wordClass}`, 'v');
const endsInWord = new RegExp(`${wordClass}${gapClass}*$`, 'v');

export class SoughtTerm {
  readonly #first: string;
  readonly #others: readonly Unit[];
  readonly #startsWord: boolean;
  readonly #endsWord: boolean;

  /** `folded`: as the texts are. `open`: its last word may be the beginning of a longer one. */
  constructor(folded: string, open: boolean) {
    const [first, ...others] = unitsOf(folded);
    this.#first = first?.text ?? '';
    this.#others = others;
    this.#startsWord = startsInWord.test(folded.replace(leadingGap, ''));
    this.#endsWord = !open && endsInWord.test(folded);
  }

  /** Where it stands in the text, in order, without overlaps, at most so often. `inside`: also in the middle of words. */
  in(text: string, most: number, inside: boolean): readonly Span[] {
    const found: Span[] = [];
    if (this.#first === '') return found;
    for (let at = 0; found.length < most;) {
      const from = text.indexOf(this.#first, at);
      if (from < 0) break;
      const to = inside || !this.#startsWord || !isWordBefore(text, from) ? this.#end(text, from) : undefined;
      if (to === undefined || (!inside && this.#endsWord && isWordAt(text, to))) at = from + 1;
      else {
        found.push({ from, to });
        at = to;
      }
    }
    return found;
  }

  /** Behind the last unit, where the first one stands at `from`; undefined: the others do not follow. */
  #end(text: string, from: number): number | undefined {
    let end = from + this.#first.length;
    for (const [i, unit] of this.#others.entries()) {
      const at = follows(text, end, unit, i === this.#others.length - 1);
      if (at === undefined) return undefined;
      end = at + unit.text.length;
    }
    return end;
  }
}

/**
 * Where the unit stands with only a gap before it. A few signs count as gaps and can be sought too: where there is a choice, the last
 * unit is taken as late as can be, and the others early, so that whatever can follow does.
 */
function follows(text: string, from: number, { text: unit, apart }: Unit, isLast: boolean): number | undefined {
  let found: number | undefined;
  for (let at = from; ; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    if ((!apart || at > from) && text.startsWith(unit, at)) {
      found = at;
      if (!isLast) return found;
    }
    if (!isGapAt(text, at)) return found;
  }
}

function unitsOf(folded: string): readonly Unit[] {
  const found: Unit[] = [];
  let wordBefore = false;
  for (const match of folded.matchAll(units)) {
    const word = match[1] === undefined;
    found.push({ text: match[0], apart: word && wordBefore });
    wordBefore = word;
  }
  return found;
}

function isWordBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const isPair = at > 1 && isLowSurrogate(text.charCodeAt(at - 1)) && isHighSurrogate(text.charCodeAt(at - 2));
  return isWordAt(text, isPair ? at - 2 : at - 1);
}

function isWordAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && (classOf(code) & inWord) !== 0;
}

function isGapAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && (classOf(code) & inGap) !== 0;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

const known = 1;
const inWord = 2;
const inGap = 4;
const wordSign = new RegExp(`^${wordClass}$`, 'v');
const gapSign = new RegExp(`^${gapClass}$`, 'v');
/** Of those that were met; the rest is 0. */
const classes = new Uint8Array(0x10000);

function classOf(code: number): number {
  return classes[code] || classed(code);
}

function classed(code: number): number {
  const sign = String.fromCodePoint(code);
  const found = known | (wordSign.test(sign) ? inWord : 0) | (gapSign.test(sign) ? inGap : 0);
  if (code < classes.length) classes[code] = found;
  return found;
}
