/**
 * The native record that an entry was made from: out of the harness's file while that is there and as it was read, else out of the archive;
 * it is said which. Text of records is data. Several records in a row cost little more than one.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { factsOf } from '../../shuttles/kit/file-facts.ts';
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';
import { isCompressed, openSource } from '../../shuttles/kit/source.ts';
import type { Source } from '../../shuttles/kit/source.ts';
import { absentWords } from '../ledger/archive-absent.ts';
import type { ArchivedPiece } from '../ledger/archive-chunks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import { decompressed, wholeOnes } from './archived-feed.ts';
import { databaseFacts } from './container-copy.ts';
import { ForwardBytes } from './forward-bytes.ts';
import { HeldRecords } from './held-records.ts';

export type RawRecord =
  | { readonly ok: true; readonly text: string; readonly from: 'file' | 'archive'; readonly path: string }
  /** `reason`: a sentence for a person. */
  | { readonly ok: false; readonly reason: string };

export interface RawRecordsOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
}

interface OpenFile {
  readonly number: number;
  /** Undefined: it is not there, or not as it was read. */
  readonly source: Source | undefined;
  readonly stream: ForwardBytes | undefined;
}

export class RawRecords implements Disposable {
  readonly #ledger: Ledger;
  readonly #held: HeldRecords;
  #file: OpenFile | undefined;
  #archived: { readonly key: string; readonly piece: Extract<ArchivedPiece, { ok: true }> } | undefined;
  #stream: { readonly number: number; readonly bytes: ForwardBytes } | undefined;

  constructor(options: RawRecordsOptions) {
    this.#ledger = options.ledger;
    this.#held = new HeldRecords({ ...options, ledgerFolder: options.ledger.folder });
  }

  of(entry: LedgerEntry): RawRecord {
    const { source: number, offset, length, generation = 0 } = entry.content.provenance;
    const row = number === 0 ? undefined : this.#ledger.sources.byNumber(number);
    if (row === undefined) return { ok: false, reason: 'Loom made this entry itself.' };
    if (length === 0) return { ok: false, reason: 'The entry stands for no record of its own.' };
    const parts = partsOfHeld(row.path);
    const container = parts === undefined ? undefined : this.#ledger.sources.byPath(parts.file);
    if (container !== undefined) return this.#inContainer(row, container, offset, generation);
    const inFile = generation === row.generation ? this.#inFile(row, offset, length) : undefined;
    if (inFile !== undefined) return { ok: true, text: textOf(inFile), from: 'file', path: row.path };
    return this.#inArchive(row, offset, length, generation);
  }

  [Symbol.dispose](): void {
    this.#file?.source?.close();
    this.#file = undefined;
    this.#held[Symbol.dispose]();
  }

  #inFile(row: SourceRow, offset: number, length: number): Uint8Array | undefined {
    if (this.#file?.number !== row.number) {
      this.#file?.source?.close();
      this.#file = openAsRead(row);
    }
    const { source, stream } = this.#file;
    if (source === undefined || (!source.compressed && offset + length > source.facts.size)) return undefined;
    if (stream !== undefined) return stream.read(offset, length);
    const found: Uint8Array[] = [];
    let rest = length;
    for (const piece of source.stored(offset)) {
      // A `Buffer`'s own `slice` would not copy.
      found.push(new Uint8Array(piece.subarray(0, rest)));
      rest -= Math.min(rest, piece.length);
      if (rest === 0) break;
    }
    return rest === 0 ? Buffer.concat(found) : undefined;
  }

  #inArchive(row: SourceRow, offset: number, length: number, generation: number): RawRecord {
    const bytes = isCompressed(row.path)
      ? this.#compressed(row, offset, length)
      : this.#chunks(row.number, generation, offset, length);
    if (bytes === 'damaged')
      return { ok: false, reason: `The archived bytes of ${row.path} are damaged at this place. The entry itself is whole.` };
    if (bytes !== undefined) return { ok: true, text: textOf(bytes), from: 'archive', path: row.path };
    return { ok: false, reason: missing(this.#ledger, row, row.number) };
  }

  #chunks(number: number, generation: number, offset: number, length: number): Uint8Array | 'damaged' | undefined {
    const key = `${number} ${generation}`;
    const known = this.#archived?.key === key ? this.#archived.piece : undefined;
    if (known !== undefined && known.start <= offset && offset + length <= known.start + known.bytes.length)
      return known.bytes.subarray(offset - known.start, offset - known.start + length);
    const found: Uint8Array[] = [];
    let at = offset;
    for (const piece of this.#ledger.archive.chunks.pieces(number, generation, offset)) {
      if (!piece.ok) return piece.reason === 'damaged' ? 'damaged' : undefined;
      this.#archived = { key, piece };
      found.push(piece.bytes.subarray(0, offset + length - at));
      at += found.at(-1)?.length ?? 0;
      if (at >= offset + length) return Buffer.concat(found);
    }
    return undefined;
  }

  #compressed(row: SourceRow, offset: number, length: number): Uint8Array | undefined {
    const version = this.#ledger.archive.versions.newest(row.number);
    if (version === undefined) return undefined;
    if (this.#stream?.number !== row.number) {
      const { versions } = this.#ledger.archive;
      this.#stream = {
        number: row.number,
        bytes: new ForwardBytes(() => decompressed(wholeOnes(versions.pieces(row.number, version, '')))),
      };
    }
    return this.#stream.bytes.read(offset, length);
  }

  #inContainer(row: SourceRow, container: SourceRow, position: number, generation: number): RawRecord {
    const isThere = row.status !== 'gone' && row.generation === generation;
    const fromFile = (): RawRecord | undefined => {
      const text = isThere ? this.#held.text(row.path, row.harness, position) : undefined;
      return text === undefined ? undefined : { ok: true, text, from: 'file', path: container.path };
    };
    const unchanged = isThere && isUnchanged(container) ? fromFile() : undefined;
    if (unchanged !== undefined) return unchanged;
    const { versions } = this.#ledger.archive;
    const version = versions.held(row.number, generation)?.version ?? versions.newest(container.number) ?? 0;
    const text =
      version === 0
        ? undefined
        : this.#held.archivedText(this.#ledger, row.path, row.harness, position, { container: container.number, version });
    if (text !== undefined) return { ok: true, text, from: 'archive', path: container.path };
    return fromFile() ?? { ok: false, reason: missing(this.#ledger, container, row.number) };
  }
}

function missing(ledger: Ledger, file: SourceRow, source: number): string {
  const reason = ledger.archive.absent.of(file.number) ?? ledger.archive.absent.of(source);
  return `The record is not archived: ${file.path} ${reason === undefined ? 'was rewritten so often since that only later states of it are kept' : absentWords[reason]}.`;
}

/** The harness's file, when it still begins as it did and ends a record where the cursor stands. */
function openAsRead(row: SourceRow): OpenFile {
  const opened = row.status === 'gone' ? undefined : openSource(row.path, path.dirname(row.path));
  if (opened?.ok !== true) return { number: row.number, source: undefined, stream: undefined };
  const { source } = opened;
  if (!source.beginsAs(row.fingerprint) || source.facts.size < (source.compressed ? row.size : row.offset)) {
    source.close();
    return { number: row.number, source: undefined, stream: undefined };
  }
  const stream = source.compressed ? new ForwardBytes(() => source.chunks()[Symbol.iterator]()) : undefined;
  return { number: row.number, source, stream };
}

function isUnchanged(container: SourceRow): boolean {
  try {
    const facts = factsOf(fs.lstatSync(container.path, { bigint: true }));
    const all = [facts, databaseFacts(container.path, facts)];
    return all.some(
      ({ size, mtimeMs, ino }) => size === container.size && mtimeMs === container.mtime && ino === container.identity,
    );
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
