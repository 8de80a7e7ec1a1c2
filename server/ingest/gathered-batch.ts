/**
 * What readers put out, gathered until it makes a batch. Each output is brought into the form in which it travels as soon as it is there,
 * so that the many objects that a record becomes on its way are not held until the batch ends.
 */
import type { Draft, ReadOutput } from '../../shuttles/contract/read.ts';
import type { Compress } from '../engine/sqlite/pack-codec.ts';
import { isHead } from '../ledger/kinds.ts';
import { innerWords } from '../ledger/search-forms.ts';
import { indexedText, innerForm } from '../ledger/search-text.ts';
import { textFound } from '../ledger/searchable.ts';
import { entryPacks } from './entry-packs.ts';
import { OutlineWriter } from './outlines.ts';
import type { PackedBatch } from './reading-messages.ts';
import type { SpareMemory } from './spare-memory.ts';
import { StoredLinesWriter } from './stored-content.ts';
import type { StoredBy } from './stored-content.ts';
import { TextBytes } from './text-bytes.ts';
import { refers } from './translated-batch.ts';

type GatheredParts = Pick<PackedBatch, 'records' | 'outlines' | 'stored' | 'ends' | 'bodies' | 'bodyEnds' | 'lengths' | 'packs'>;

export class GatheredBatch {
  readonly #lines: StoredLinesWriter;
  #records = 0;
  readonly #outlines = new OutlineWriter();
  readonly #bodies: TextBytes;
  #bodyEnds: number[] = [];
  #lengths: number[] = [];
  /** Entries that no pack may hold. */
  #alone = new Set<number>();

  constructor(by: StoredBy, memory?: SpareMemory) {
    this.#lines = new StoredLinesWriter(by, memory);
    this.#bodies = new TextBytes(memory);
  }

  get records(): number {
    return this.#records;
  }

  /** Bytes of what is stored. */
  get size(): number {
    return this.#lines.size;
  }

  /** `records`: how many made these outputs. */
  add(outputs: readonly ReadOutput[], records: number): void {
    this.#records += records;
    for (const output of outputs) if (output.type === 'entry') this.#addEntry(output);
    this.#outlines.add(outputs);
  }

  /** All of it; then it is empty. `compress`: contents are, for packs. */
  take(compress: Compress | undefined): GatheredParts {
    const lines = this.#lines.take();
    const taken = {
      records: this.#records,
      outlines: this.#outlines.take(),
      stored: lines.bytes,
      ends: lines.ends,
      bodies: this.#bodies.take(),
      bodyEnds: Uint32Array.from(this.#bodyEnds),
      lengths: Uint32Array.from(this.#lengths),
      packs: compress === undefined ? [] : entryPacks(lines, this.#alone, compress),
    };
    this.#records = 0;
    this.#bodyEnds = [];
    this.#lengths = [];
    this.#alone = new Set();
    return taken;
  }

  #addEntry(draft: Draft): void {
    if (isHead(draft.kind) || refers(draft)) this.#alone.add(this.#lengths.length);
    this.#lines.add(draft);
    const found = textFound(draft.kind, draft.content);
    if (found !== undefined) this.#addBody(found);
    this.#bodyEnds.push(this.#bodies.size);
    this.#lengths.push(found?.length ?? 0);
  }

  /** As `indexedText` has it. ASCII, which most text is, stands there as it is: the bytes that were written tell the words inside others. */
  #addBody(text: string): void {
    const written = this.#bodies.write(text);
    if (written === text.length) {
      const inner = innerForm(innerWords(text, this.#bodies.newest(written)));
      if (inner !== '') this.#bodies.write(inner);
      return;
    }
    this.#bodies.back(written);
    this.#bodies.write(indexedText(text));
  }
}
