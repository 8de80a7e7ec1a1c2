/**
 * What is stored of an entry: its content, its time and where it comes from. It travels and is kept as JSON, which is only taken apart when
 * somebody looks into it: of most entries of an import nobody does.
 */
import type { Provenance } from '../../shuttles/contract/entry.ts';
import type { Draft } from '../../shuttles/contract/read.ts';
import type { SpareMemory } from './spare-memory.ts';
import { TextBytes, textBetween } from './text-bytes.ts';

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

const newline = 10;
const comma = 44;

/**
 * Several of them, one a line (JSON has no newline of its own), as they are compressed and as they go from thread to thread. Bytes: in one
 * long text, a single sign beyond Latin would make all of them twice as long.
 */
export class StoredLines {
  readonly bytes: Uint8Array;
  /** For each line the position behind its last byte. */
  readonly ends: Uint32Array;

  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.bytes = bytes;
    this.ends = ends;
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
    return textBetween(this.bytes, this.#start(number), this.ends[number] ?? 0);
  }

  #start(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] ?? 0) + 1;
  }
}

/** Writes the stored form of drafts that refer to no other entry. */
export class StoredLinesWriter {
  readonly #by: StoredBy;
  readonly #provenance: string;
  readonly #bytes: TextBytes;
  #ends: number[] = [];

  constructor(by: StoredBy, memory?: SpareMemory) {
    this.#by = by;
    this.#bytes = new TextBytes(memory);
    this.#provenance = `"provenance":{"harness":${JSON.stringify(by.harness)},"source":${by.source},"offset":`;
  }

  /** Bytes that were written. */
  get size(): number {
    return this.#bytes.size;
  }

  add(draft: Draft): void {
    if (this.#ends.length > 0) this.#bytes.writeByte(newline);
    const content = JSON.stringify(draft.content);
    this.#bytes.write(content);
    // The time and the origin stand behind the content's own members.
    this.#bytes.back(1);
    if (content.length > 2) this.#bytes.writeByte(comma);
    this.#bytes.write(this.#behind(draft));
    this.#ends.push(this.#bytes.size);
  }

  /** Those since the last time. */
  take(): StoredLines {
    const ends = Uint32Array.from(this.#ends);
    this.#ends = [];
    return new StoredLines(this.#bytes.take(), ends);
  }

  /** `"at":…,"provenance":{…}}` */
  #behind({ at, trust, offset, length, nativeId, inherited }: Draft): string {
    const { translator, generation } = this.#by;
    const id = nativeId === undefined ? '' : `,"nativeId":${JSON.stringify(nativeId)}`;
    const copied = inherited === true ? ',"inherited":true' : '';
    const rewritten = generation === 0 ? '' : `,"generation":${generation}`;
    const place = `${offset},"length":${length},"translator":${translator},"trust":"${trust}"`;
    return `"at":${JSON.stringify(at)},${this.#provenance}${place}${id}${copied}${rewritten}}}`;
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
