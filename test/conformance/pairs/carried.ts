/**
 * Is the portable part of what was read in what was written? Every atom that went in is looked for in what the target's own reader gives
 * back: by the right speaker, in order, and nothing of a person's that was not given. What is missing must be a loss that the writer
 * declares; a loss that stands for everything would declare nothing, so each kind allows only what its name says.
 */
import type { Message } from '../../../shuttles/contract/message.ts';
import type { LossKind } from '../../../shuttles/contract/shuttle.ts';
import { atomsOf } from './atom.ts';
import type { Atom, Meaning } from './atom.ts';

/** Texts longer than this may be shortened in their middle by a writer that declares `longTexts`. */
const longText = 4000;

export interface Missing {
  readonly what: string;
  /** The loss that would excuse it; null: none does. */
  readonly excuse: LossKind | null;
}

/** `back`: without the baton's message. Empty: everything arrived. */
export function missingOf(given: readonly Message[], back: readonly Message[]): readonly Missing[] {
  const wanted = atomsOf(given);
  const found = atomsOf(back).map((atom) => ({ atom, text: textsOf(atom).map(plain).join('\n') }));
  const missing: Missing[] = [];
  const taken = new Set<number>();
  /** Where the newest call of an id stands: as a call (with its id there), or told in words. Gone once its result came. */
  const places = new Map<string, { readonly id: string | null; readonly at: number }>();
  let at = 0;
  for (const atom of wanted) {
    switch (atom.kind) {
      case 'user': {
        const next = findFrom(at, ({ atom: other, text }) => other.kind === 'user' && text.includes(plain(atom.text)));
        if (next >= 0) [at] = [next];
        else missing.push({ what: `prompt ${clip(atom.text)}`, excuse: excuseOf(atom.text, 'user') });
        break;
      }
      case 'answer': {
        const next = findFrom(at, ({ atom: other, text }) => other.kind === 'answer' && text.includes(plain(atom.text)));
        if (next >= 0) at = next;
        else missing.push({ what: `answer ${clip(atom.text)}`, excuse: excuseOf(atom.text, 'answer') });
        break;
      }
      case 'call': {
        const native = findFrom(
          at,
          ({ atom: other }, index) => other.kind === 'call' && !taken.has(index) && same(other.meaning, atom.meaning),
        );
        const told =
          native >= 0 ? -1 : findFrom(at, ({ atom: other, text }) => other.kind === 'answer' && tells(text, atom.meaning));
        if (native >= 0) {
          taken.add(native);
          const other = found[native]?.atom;
          if (other?.kind === 'call') places.set(atom.id, { id: other.id, at: native });
          at = native;
        } else {
          places.set(atom.id, { id: null, at: Math.max(told, 0) });
          if (told >= 0) at = told;
          const excuse = excuseOf(atom.meaning.texts.join('\n'), 'call');
          if (told < 0) missing.push({ what: `call ${clip(atom.meaning.texts.join(' '))}`, excuse });
          else missing.push({ what: `native form of ${clip(atom.meaning.texts.join(' '))}`, excuse: 'foreignCalls' });
        }
        break;
      }
      case 'result': {
        // A result that no call waits for says nothing that was asked: a writer may keep it or not.
        const call = places.get(atom.id);
        if (call === undefined) break;
        places.delete(atom.id);
        const excuse = excuseOf(atom.text, 'result');
        if (call.id === null) {
          if (findFrom(call.at, ({ atom: other, text }) => other.kind === 'answer' && holds(text, atom.text)) < 0)
            missing.push({ what: `result ${clip(atom.text)}`, excuse });
          break;
        }
        const next = findFrom(call.at, ({ atom: other }) => other.kind === 'result' && other.id === call.id);
        const answer = found[next];
        if (answer?.atom.kind !== 'result' || !holds(answer.text, atom.text))
          missing.push({ what: `result ${clip(atom.text)}`, excuse });
        else if (answer.atom.isError !== atom.isError)
          missing.push({ what: `error mark of ${clip(atom.text)}`, excuse: 'errorMark' });
        break;
      }
      case 'image': {
        const there = found.some(({ atom: other }) => other.kind === 'image' && other.image === atom.image);
        if (!there)
          missing.push({
            what: `picture of ${atom.image.length} characters`,
            excuse: atom.of === 'result' ? 'resultImages' : 'images',
          });
      }
    }
  }
  return [...missing, ...added(wanted, found)];

  function findFrom(from: number, fits: (one: (typeof found)[number], index: number) => boolean): number {
    for (let index = from; index < found.length; index++) {
      const one = found[index];
      if (one !== undefined && fits(one, index)) return index;
    }
    return -1;
  }
}

/** What stands in the person's role and is not the person's; a call that nobody made; a text more often than it was given. */
function added(wanted: readonly Atom[], found: readonly { readonly atom: Atom; readonly text: string }[]): readonly Missing[] {
  const out: Missing[] = [];
  const prompts = wanted.flatMap((atom) => (atom.kind === 'user' ? [plain(atom.text)] : []));
  for (const { atom, text } of found)
    if (
      atom.kind === 'user' &&
      !prompts.some((prompt) => text.includes(prompt) || (prompt.length > longText && sharesEnds(text, prompt))) &&
      !/\[(?:Picture|Image|image)/u.test(text)
    )
      out.push({ what: `in the person's role, not the person's: ${clip(text)}`, excuse: null });
  const calls = found.filter(({ atom }) => atom.kind === 'call').length;
  const made = wanted.filter((atom) => atom.kind === 'call').length;
  if (calls > made) out.push({ what: `${calls - made} calls that nobody made`, excuse: null });
  for (const prompt of new Set(prompts.filter((one) => one.length >= 40))) {
    const times = (list: readonly string[]): number => list.reduce((sum, text) => sum + text.split(prompt).length - 1, 0);
    const back = times(found.flatMap(({ atom, text }) => (atom.kind === 'user' ? [text] : [])));
    if (back > times(prompts)) out.push({ what: `prompt ${back} times: ${clip(prompt)}`, excuse: null });
  }
  return out;
}

function sharesEnds(text: string, prompt: string): boolean {
  return text.includes(prompt.slice(0, 200)) || text.includes(prompt.slice(-200));
}

function textsOf(atom: Atom): readonly string[] {
  switch (atom.kind) {
    case 'user':
    case 'answer':
    case 'result':
      return [atom.text];
    case 'call':
      return atom.meaning.texts;
    case 'image':
      return [];
  }
}

function same(a: Meaning, b: Meaning): boolean {
  return (
    a.does === b.does &&
    a.texts.length === b.texts.length &&
    a.texts.every((text, index) => plain(text) === plain(b.texts[index] ?? ''))
  );
}

/** A passage that tells of a call holds each of its texts, as it is, quoted or as JSON. */
function tells(text: string, meaning: Meaning): boolean {
  return meaning.texts.every((one) => holds(text, one));
}

function holds(text: string, wanted: string): boolean {
  const needle = plain(wanted);
  if (needle === '' || text.includes(needle)) return true;
  const bare = unescaped(text);
  return needle.split('\n').every((line) => bare.includes(unescaped(line)));
}

/** Signs that a server or a database refuses, and quotation marks of lines, are not what is compared. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0\uFFFD]/gu, '')
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/^> ?/gmu, '')
    .trim();
}

/** Without signs that JSON writes in another way, and without those ways. */
function unescaped(text: string): string {
  return text.replaceAll(/\\u[0-9a-f]{4}|\\[bfnrt]|[\\"\s\p{Cc}\p{Cs}]/gu, '');
}

function excuseOf(text: string, of: 'user' | 'answer' | 'call' | 'result'): LossKind | null {
  if (plain(text) === '') return 'emptyTexts';
  if (text.length > longText) return 'longTexts';
  return of === 'result' && text === '' ? 'emptyTexts' : null;
}

function clip(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-30)}` : text);
}
