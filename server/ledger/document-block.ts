/**
 * Documents that were indexed together, as the bytes of one row: a row for each would cost as much as half of the index. Numbers are
 * written in steps of seven bits, most as the difference from the document before. Any bytes can be read: what is cut off gives the
 * documents before the cut.
 */
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
    write(bytes, kind * 2 + (document.at === null ? 0 : 1));
    writeStep(bytes, document.entry - entry);
    entry = document.entry;
    write(bytes, document.length);
    if (document.at === null) continue;
    writeStep(bytes, document.at - at);
    at = document.at;
  }
  return Uint8Array.from(bytes);
}

export function unpackDocuments(bytes: Uint8Array, origin: number): readonly BlockDocument[] {
  const documents: BlockDocument[] = [];
  const reading = new Reading(bytes);
  let entry = 0;
  let at = origin;
  while (!reading.isEnd) {
    const facts = reading.number();
    entry += reading.step();
    const length = reading.number();
    const timed = facts % 2 === 1;
    if (timed) at += reading.step();
    if (reading.isCut) break;
    documents.push({ entry, kind: kinds[(facts - (facts % 2)) / 2] ?? 'opaque', at: timed ? at : null, length });
  }
  return documents;
}

export function write(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Small ones of both signs are short. */
function writeStep(bytes: number[], step: number): void {
  write(bytes, step < 0 ? -2 * step - 1 : 2 * step);
}

export class Reading {
  readonly #bytes: Uint8Array;
  #at = 0;
  isCut = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) {
        this.isCut = true;
        return 0;
      }
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }

  step(): number {
    const value = this.number();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}
