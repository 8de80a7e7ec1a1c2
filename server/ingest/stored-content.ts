/**
 * What is stored of an entry: its content, its time and where it comes from. It travels and is kept as JSON, which is only taken apart when
 * somebody looks into it: of most entries of an import nobody does.
 */
import type { Provenance } from '../../shuttles/contract/entry.ts';
import type { Draft } from '../../shuttles/contract/read.ts';

export interface StoredContent {
  readonly text: string;
  readonly content: object;
}

export interface StoredBy {
  readonly harness: Provenance['harness'];
  readonly source: number;
  readonly translator: number;
  readonly generation: number;
}

/** The stored form of a draft that refers to no other entry. */
export function storedContent(draft: Draft, { harness, source, translator, generation }: StoredBy): StoredContent {
  const { offset, length, trust, nativeId } = draft;
  const provenance: { -readonly [K in keyof Provenance]: Provenance[K] } = { harness, source, offset, length, translator, trust };
  if (nativeId !== undefined) provenance.nativeId = nativeId;
  if (draft.inherited === true) provenance.inherited = true;
  if (generation !== 0) provenance.generation = generation;
  const content = { ...draft.content, at: draft.at, provenance };
  return { text: JSON.stringify(content), content };
}

const newline = 10;

/** Several of them, one a line (JSON has no newline of its own), as they are compressed and as they go from thread to thread. */
export class StoredLines {
  readonly bytes: Uint8Array;
  /** For each line the position behind its last byte. */
  readonly ends: Uint32Array;

  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.bytes = bytes;
    this.ends = ends;
  }

  /** Each is written by itself: in one long text, a single sign beyond Latin would make all of them twice as long. */
  static of(contents: readonly { readonly text: string }[]): StoredLines {
    const ends = new Uint32Array(contents.length);
    let size = 0;
    for (const [i, { text }] of contents.entries()) {
      size += Buffer.byteLength(text);
      ends[i] = size + i;
    }
    const bytes = Buffer.allocUnsafeSlow(size + Math.max(0, ends.length - 1));
    for (const [i, { text }] of contents.entries()) {
      bytes.write(text, i === 0 ? 0 : (ends[i - 1] ?? 0) + 1);
      bytes[ends[i] ?? 0] = newline;
    }
    return new StoredLines(bytes, ends);
  }

  /** The bytes of `count` lines from that one on. */
  between(first: number, count: number): Uint8Array {
    return this.bytes.subarray(this.#start(first), this.ends[first + count - 1]);
  }

  /** Bytes of that line. */
  length(number: number): number {
    return (this.ends[number] ?? 0) - this.#start(number);
  }

  /** What each of them is, taken apart when it is looked at. */
  contents(): readonly StoredContent[] {
    return Array.from(this.ends, (_, number) => new LineContent(this, number));
  }

  line(number: number): string {
    const { buffer, byteOffset, byteLength } = this.bytes;
    return Buffer.from(buffer, byteOffset, byteLength).toString('utf8', this.#start(number), this.ends[number]);
  }

  #start(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] ?? 0) + 1;
  }
}

class LineContent implements StoredContent {
  readonly #lines: StoredLines;
  readonly #number: number;
  #content: object | undefined;

  constructor(lines: StoredLines, number: number) {
    this.#lines = lines;
    this.#number = number;
  }

  get text(): string {
    return this.#lines.line(this.#number);
  }

  get content(): object {
    return (this.#content ??= JSON.parse(this.text) as object);
  }
}
