/**
 * Documents that were indexed together, as the bytes of one row: a row for each would cost as much as half of the index. Numbers are
 * written in steps of seven bits, most as the difference from the document before. Any bytes can be read: what is cut off, or holds
 * numbers that nobody wrote, gives the documents before that place.
 */
import { NumberReader, writeNumber, writeStep } from '../engine/sqlite/short-numbers.ts';
import type { EntryKindName } from '../../shuttles/contract/entry.ts';

export interface BlockDocument {
  readonly entry: number;
  readonly kind: EntryKindName;
  /** Milliseconds, at most 60,000 years from 1970; null: of no known time. */
  readonly at: number | null;
  /** Of its text, in characters. */
  readonly length: number;
}

/** Their places stand in files: new kinds come last. */
const kinds: readonly EntryKindName[] = [
  'user',
  'assistant',
  'tool_result',
  'step',
  'notice',
  'summary',
  'handoff',
  'plan',
  'system',
  'reset',
  'turn',
  'setting',
  'snapshot',
  'opaque',
];
const kindNumbers: ReadonlyMap<EntryKindName, number> = new Map(kinds.map((kind, number) => [kind, number]));

/** `origin`: a time that theirs are near to, in milliseconds. */
export function packDocuments(documents: readonly BlockDocument[], origin: number): Uint8Array {
  const bytes: number[] = [];
  let entry = 0;
  let at = origin;
  for (const document of documents) {
    const kind = kindNumbers.get(document.kind) ?? kinds.length;
    writeNumber(bytes, kind * 2 + (document.at === null ? 0 : 1));
    writeStep(bytes, document.entry - entry);
    entry = document.entry;
    writeNumber(bytes, document.length);
    if (document.at === null) continue;
    writeStep(bytes, document.at - at);
    at = document.at;
  }
  return new Uint8Array(bytes);
}

export function unpackDocuments(bytes: Uint8Array, origin: number): readonly BlockDocument[] {
  const documents: BlockDocument[] = [];
  const reading = new Reading(bytes, origin);
  while (reading.next()) documents.push(reading.document);
  return documents;
}

/** The one behind the first `index`; undefined: the bytes end, or are damaged, before it. */
export function documentIn(bytes: Uint8Array, origin: number, index: number): BlockDocument | undefined {
  const reading = new Reading(bytes, origin);
  for (let passed = 0; reading.next(); passed++) if (passed === index) return reading.document;
  return undefined;
}

class Reading {
  readonly #numbers: NumberReader;
  #facts = 0;
  #entry = 0;
  #length = 0;
  #at: number;

  constructor(bytes: Uint8Array, origin: number) {
    this.#numbers = new NumberReader(bytes);
    this.#at = origin;
  }

  /** Goes on to the next document; false: there is none, or none that is whole. */
  next(): boolean {
    const numbers = this.#numbers;
    if (numbers.isEnd) return false;
    this.#facts = numbers.number();
    this.#entry += numbers.step();
    this.#length = numbers.number();
    if (this.#facts % 2 === 1) this.#at += numbers.step();
    return !numbers.isCut;
  }

  get document(): BlockDocument {
    const isTimed = this.#facts % 2;
    return {
      entry: this.#entry,
      kind: kinds[(this.#facts - isTimed) / 2] ?? 'opaque',
      at: isTimed === 1 ? this.#at : null,
      length: this.#length,
    };
  }
}
