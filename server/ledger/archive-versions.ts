/**
 * Files that are rewritten in place (databases with their write-ahead logs, documents, compressed rollouts): each version is a list of
 * blocks that are stored once by their hash within the source, so that a new version costs what changed. The newest version is kept, and
 * of earlier ones those in which a session stood that is no longer in the file (`depart`): at most `mostHeldVersions`, the newest of them.
 */
import type { Database, Statement } from 'better-sqlite3';
import { sampled } from './archive-sample.ts';
import type { Sample } from './archive-sample.ts';
import { compress, DamagedBytes } from '../engine/sqlite/pack-codec.ts';
import { nativeBytes, sha256 } from './archive-chunk.ts';
import type { ArchivedPiece } from './archive-chunks.ts';

/** Several pages of a database, so that they compress together, and few enough that one changed row costs little. */
export const blockBytes = 32 * 1024;
export const mostHeldVersions = 16;

/** One file of a version. `suffix`: what follows the source's path ('' or '-wal'). */
export interface VersionPart {
  readonly suffix: string;
  readonly size: number;
  readonly mtime: number;
  /** Of the whole file. */
  readonly sha256: Uint8Array;
  /** Numbers of its blocks, in order. */
  readonly blocks: readonly number[];
}
export type StoredPart = Pick<VersionPart, 'suffix' | 'size' | 'mtime' | 'sha256'>;

type StoredBlock = Parameters<typeof nativeBytes>[0];

export class ArchiveVersions {
  readonly #findBlock: Statement;
  readonly #putBlock: Statement;
  readonly #block: Statement;
  readonly #blocksOf: Statement;
  readonly #deleteBlock: Statement;
  readonly #putPart: Statement;
  readonly #parts: Statement;
  readonly #blockList: Statement;
  readonly #newest: Statement;
  readonly #versions: Statement;
  readonly #deleteVersion: Statement;
  readonly #depart: Statement;
  readonly #return: Statement;
  readonly #heldVersions: Statement;
  readonly #held: Statement;
  readonly #unhold: Statement;
  readonly #dropVersions: Statement;
  readonly #dropBlocks: Statement;
  readonly #dropHeld: Statement;
  readonly #totals: Statement;
  readonly #numbers: Statement;
  readonly #byNumber: Statement;

  constructor(db: Database) {
    this.#findBlock = db.prepare('SELECT number FROM archive_blocks WHERE source = ? AND sha256 = ?').pluck();
    this.#putBlock = db.prepare('INSERT INTO archive_blocks (source, length, codec, sha256, bytes) VALUES (?, ?, ?, ?, ?)');
    this.#block = db.prepare('SELECT length, codec, sha256, bytes FROM archive_blocks WHERE number = ?');
    this.#blocksOf = db.prepare('SELECT number FROM archive_blocks WHERE source = ?').pluck();
    this.#deleteBlock = db.prepare('DELETE FROM archive_blocks WHERE number = ?');
    this.#putPart = db.prepare(
      'INSERT INTO archive_versions (source, version, suffix, size, mtime, sha256, blocks) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#parts = db.prepare(
      'SELECT suffix, size, mtime, sha256 FROM archive_versions WHERE source = ? AND version = ? ORDER BY suffix',
    );
    this.#blockList = db.prepare('SELECT blocks FROM archive_versions WHERE source = ? AND version = ? AND suffix = ?').pluck();
    this.#newest = db.prepare('SELECT max(version) FROM archive_versions WHERE source = ?').pluck();
    this.#versions = db.prepare('SELECT DISTINCT version FROM archive_versions WHERE source = ? ORDER BY version').pluck();
    this.#deleteVersion = db.prepare('DELETE FROM archive_versions WHERE source = ? AND version = ?');
    // A session that is gone was last in the version before; so was what stood there before the session was written anew.
    this.#depart = db.prepare(
      `INSERT OR IGNORE INTO archive_held (source, generation, container, version)
       SELECT number, generation, @container, @version FROM sources WHERE path >= @from AND path < @to AND status = 'gone'
       UNION ALL
       SELECT number, generation - 1, @container, @version FROM sources WHERE path >= @from AND path < @to AND generation > 0`,
    );
    this.#return = db.prepare(
      `DELETE FROM archive_held WHERE container = @container AND EXISTS (
         SELECT 1 FROM sources s WHERE s.number = archive_held.source AND s.generation = archive_held.generation AND s.status <> 'gone')`,
    );
    this.#heldVersions = db
      .prepare('SELECT DISTINCT version FROM archive_held WHERE container = ? AND version > 0 ORDER BY version DESC')
      .pluck();
    this.#held = db.prepare('SELECT container, version FROM archive_held WHERE source = ? AND generation = ?');
    this.#unhold = db.prepare('UPDATE archive_held SET version = 0 WHERE container = ? AND version = ?');
    this.#dropVersions = db.prepare('DELETE FROM archive_versions WHERE source = ?');
    this.#dropBlocks = db.prepare('DELETE FROM archive_blocks WHERE source = ?');
    this.#dropHeld = db.prepare('DELETE FROM archive_held WHERE source = ? OR container = ?');
    this.#totals = db.prepare(
      'SELECT count(*) AS pieces, coalesce(sum(length), 0) AS native, coalesce(sum(length(bytes)), 0) AS stored FROM archive_blocks',
    );
    this.#numbers = db.prepare('SELECT number FROM archive_blocks').pluck();
    this.#byNumber = db.prepare('SELECT length, codec, sha256, bytes, source FROM archive_blocks WHERE number = ?');
  }

  /** Stores the block unless the source has it; its number. Blocks that no version names go with the next `prune`. */
  putBlock(source: number, native: Uint8Array): number {
    const hash = sha256(native);
    const known = this.#findBlock.get(source, hash) as number | undefined;
    if (known !== undefined) return known;
    const { codec, bytes } = compress(native);
    return Number(this.#putBlock.run(source, native.byteLength, codec, hash, bytes).lastInsertRowid);
  }

  /** The files as one version; a version that is as the newest one is that one. Its number: they count from 1. */
  put(source: number, parts: readonly VersionPart[]): number {
    const newest = this.newest(source);
    if (newest !== undefined && isSame(this.parts(source, newest), parts)) return newest;
    const version = (newest ?? 0) + 1;
    for (const { suffix, size, mtime, sha256: hash, blocks } of parts)
      this.#putPart.run(source, version, suffix, size, mtime, hash, packed(blocks));
    return version;
  }

  newest(source: number): number | undefined {
    return (this.#newest.get(source) as number | null) ?? undefined;
  }

  parts(source: number, version: number): readonly StoredPart[] {
    return this.#parts.all(source, version) as StoredPart[];
  }

  /** The file of a version, block by block. */
  *pieces(source: number, version: number, suffix: string): Generator<ArchivedPiece, void> {
    const list = this.#blockList.get(source, version, suffix) as Uint8Array | undefined;
    let start = 0;
    for (const number of unpacked(list ?? new Uint8Array(0))) {
      const block = this.#block.get(number) as StoredBlock | undefined;
      const length = block?.length ?? blockBytes;
      const native = block === undefined ? undefined : verified(block);
      if (native === undefined) yield { ok: false, start, length, reason: block === undefined ? 'missing' : 'damaged' };
      else yield { ok: true, start, bytes: native };
      start += length;
    }
  }

  /**
   * After a version newer than `version` (0: the first one) was put: sessions below `prefix`, which ends with an ASCII character, that are
   * gone from the container since, or were written anew in it, are remembered as standing in that one.
   */
  depart(container: number, version: number, prefix: string): void {
    const to = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    this.#depart.run({ container, version, from: prefix, to });
    this.#return.run({ container });
  }

  /**
   * The version of its container in which that generation of a session was last; 0: no version that is kept has it. Undefined: it is in the
   * newest one.
   */
  held(source: number, generation: number): { readonly container: number; readonly version: number } | undefined {
    return this.#held.get(source, generation) as { container: number; version: number } | undefined;
  }

  drop(source: number): void {
    this.#dropVersions.run(source);
    this.#dropBlocks.run(source);
    this.#dropHeld.run(source, source);
  }

  /** Drops versions that nothing needs, and blocks that no version names. */
  prune(source: number): void {
    const held = this.#heldVersions.all(source) as number[];
    for (const version of held.slice(mostHeldVersions)) this.#unhold.run(source, version);
    const kept = new Set([...held.slice(0, mostHeldVersions), this.newest(source)]);
    const named = new Set<number>();
    for (const version of this.#versions.all(source) as number[]) {
      if (!kept.has(version)) this.#deleteVersion.run(source, version);
      else
        for (const { suffix } of this.parts(source, version))
          for (const number of unpacked(this.#blockList.get(source, version, suffix) as Uint8Array)) named.add(number);
    }
    for (const number of this.#blocksOf.all(source) as number[]) if (!named.has(number)) this.#deleteBlock.run(number);
  }

  totals(): { readonly pieces: number; readonly native: number; readonly stored: number } {
    return this.#totals.get() as { pieces: number; native: number; stored: number };
  }

  /** As `ArchiveChunks.damaged`. */
  damaged(step: number): Sample {
    return sampled(this.#numbers.all() as number[], step, (number) => {
      const block = this.#byNumber.get(number) as (StoredBlock & { source: number }) | undefined;
      return block !== undefined && verified(block) === undefined ? block.source : undefined;
    });
  }
}

function isSame(stored: readonly StoredPart[], parts: readonly VersionPart[]): boolean {
  const same = (a: StoredPart, b: VersionPart): boolean =>
    a.suffix === b.suffix && a.size === b.size && Buffer.compare(a.sha256, b.sha256) === 0;
  return stored.length === parts.length && stored.every((a) => parts.some((b) => same(a, b)));
}

function verified(block: StoredBlock): Uint8Array | undefined {
  try {
    return nativeBytes(block);
  } catch (error) {
    if (error instanceof DamagedBytes) return undefined;
    throw error;
  }
}

/** Six bytes each: rowids of any ledger fit. */
const width = 6;

function packed(numbers: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(numbers.length * width);
  for (const [i, number] of numbers.entries()) bytes.writeUIntLE(number, i * width, width);
  return bytes;
}

function unpacked(bytes: Uint8Array): readonly number[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(buffer.length / width) }, (_, i) => buffer.readUIntLE(i * width, width));
}
