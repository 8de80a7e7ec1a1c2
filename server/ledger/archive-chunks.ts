/**
 * Session files of lines as consecutive chunks. Live appends make many small ones, which become long ones when nobody writes the file
 * (`compactSome`). A chunk that overlaps the next one ends where that begins: whoever appends need not rewrite what stands before.
 * Every byte that is given out has been compared with the hash that it was archived with; damage costs its own chunk and no other.
 */
import type { Database, Statement } from 'better-sqlite3';
import { integer } from '../engine/sqlite/parameter.ts';
import { sampled } from './archive-sample.ts';
import type { Sample } from './archive-sample.ts';
import { DamagedBytes } from '../engine/sqlite/pack-codec.ts';
import { archiveChunk, mostChunkBytes, nativeBytes } from './archive-chunk.ts';
import type { ArchiveChunk } from './archive-chunk.ts';
import { runsOf } from './archive-runs.ts';
import type { Place } from './archive-runs.ts';

/** `start`: where it stands in the file. Not `ok`: these bytes cannot be had. */
export type ArchivedPiece =
  | { readonly ok: true; readonly start: number; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly start: number; readonly length: number; readonly reason: 'damaged' | 'missing' };

/** Bytes [start, end) of the file that are archived. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

type StoredChunk = Pick<ArchiveChunk, 'start' | 'length' | 'codec' | 'bytes' | 'sha256'>;
/** Longer chunks are left as they are. */
const small = mostChunkBytes / 2;
/** So few small ones of a file are left as they are, too: making one of them costs more than it saves. */
const fewSmall = 8;
/**
 * A file that is rewritten again and again would fill the disk: of its earlier generations so many are kept. The shortest goes first: a
 * rewritten file mostly repeats what it said before, so that a longer one tells what a shorter one told, and a file that was cut and begun
 * anew must not push out the long one that holds what was deleted.
 */
export const mostEarlierGenerations = 4;

export class ArchiveChunks {
  readonly #insert: Statement;
  readonly #deleteFrom: Statement;
  readonly #delete: Statement;
  readonly #deleteGeneration: Statement;
  readonly #deleteSource: Statement;
  readonly #small: Statement;
  readonly #at: Statement;
  readonly #startAfter: Statement;
  readonly #places: Statement;
  readonly #generations: Statement;
  readonly #loosen: Statement;
  readonly #tighten: Statement;
  readonly #tightenSource: Statement;
  readonly #loose: Statement;
  readonly #cursor: Statement;
  readonly #totals: Statement;
  readonly #numbers: Statement;
  readonly #byNumber: Statement;

  constructor(db: Database) {
    const of = `WHERE source = ${integer} AND generation = ${integer}`;
    this.#insert = db.prepare(
      'INSERT INTO archive_chunks (source, generation, start, length, codec, sha256, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#deleteFrom = db.prepare(`DELETE FROM archive_chunks ${of} AND start >= ?`);
    this.#delete = db.prepare('DELETE FROM archive_chunks WHERE number = ?');
    this.#deleteGeneration = db.prepare(`DELETE FROM archive_chunks ${of}`);
    this.#deleteSource = db.prepare('DELETE FROM archive_chunks WHERE source = ?');
    this.#small = db
      .prepare(`SELECT count(*) FROM (SELECT 1 FROM archive_chunks ${of} AND length < ${small} LIMIT ${fewSmall + 1})`)
      .pluck();
    this.#at = db.prepare(
      `SELECT start, length, codec, bytes, sha256 FROM archive_chunks ${of} AND start <= ? ORDER BY start DESC LIMIT 1`,
    );
    this.#startAfter = db.prepare(`SELECT start FROM archive_chunks ${of} AND start > ? ORDER BY start LIMIT 1`).pluck();
    this.#places = db.prepare(`SELECT number, start, length FROM archive_chunks ${of} ORDER BY start`);
    this.#generations = db.prepare(
      `SELECT generation, max(start + length) AS bytes FROM archive_chunks WHERE source = ${integer} GROUP BY generation ORDER BY generation`,
    );
    this.#loosen = db.prepare('INSERT OR IGNORE INTO archive_loose (source, generation) VALUES (?, ?)');
    this.#tighten = db.prepare(`DELETE FROM archive_loose ${of}`);
    this.#tightenSource = db.prepare('DELETE FROM archive_loose WHERE source = ?');
    this.#loose = db.prepare(
      `SELECT l.source, l.generation FROM archive_loose l LEFT JOIN sources s ON s.number = l.source
       WHERE s.mtime IS NULL OR s.mtime < ? ORDER BY l.source, l.generation LIMIT 1`,
    );
    this.#cursor = db.prepare('SELECT offset FROM sources WHERE number = ? AND generation = ?').pluck();
    this.#totals = db.prepare(
      'SELECT count(*) AS pieces, coalesce(sum(length), 0) AS native, coalesce(sum(length(bytes)), 0) AS stored FROM archive_chunks',
    );
    this.#numbers = db.prepare('SELECT number FROM archive_chunks').pluck();
    this.#byNumber = db.prepare('SELECT length, codec, bytes, sha256, source FROM archive_chunks WHERE number = ?');
  }

  /** What stands at or behind its start in that generation goes. The first one of a new generation may push an old one out. */
  append(chunk: ArchiveChunk): void {
    const { source, generation, start } = chunk;
    this.#deleteFrom.run(source, generation, start);
    this.#put(chunk);
    if (start === 0) {
      if (generation > 0) this.#prune(source, generation);
      return;
    }
    if (chunk.length < small && (this.#small.get(source, generation) as number) > fewSmall) this.#loosen.run(source, generation);
  }

  /** What stands at or behind that place goes: nothing follows the cursor any more. */
  truncate(source: number, generation: number, at: number): void {
    this.#deleteFrom.run(source, generation, at);
  }

  /** Puts it where nothing is archived yet. */
  fill(chunk: ArchiveChunk): void {
    this.#put(chunk);
    if (chunk.length < small) this.#loosen.run(chunk.source, chunk.generation);
  }

  /** From `from` to the end of what is archived, in order; what cannot be had stands in its place. Holds one chunk at a time. */
  *pieces(source: number, generation: number, from = 0, to = Number.MAX_SAFE_INTEGER): Generator<ArchivedPiece, void> {
    let at = from;
    while (at < to) {
      const chunk = this.#at.get(source, generation, at) as StoredChunk | undefined;
      const next = this.#startAfter.get(source, generation, at) as number | undefined;
      const end = chunk === undefined ? 0 : Math.min(chunk.start + chunk.length, next ?? Number.MAX_SAFE_INTEGER, to);
      if (chunk === undefined || end <= at) {
        if (next === undefined || next >= to) return;
        yield { ok: false, start: at, length: next - at, reason: 'missing' };
        at = next;
        continue;
      }
      const native = verified(chunk);
      if (native === undefined) yield { ok: false, start: at, length: end - at, reason: 'damaged' };
      else yield { ok: true, start: at, bytes: native.subarray(at - chunk.start, end - chunk.start) };
      at = end;
    }
  }

  /** The longest runs without a hole, in order. */
  extents(source: number, generation: number): readonly Extent[] {
    const runs: Extent[] = [];
    for (const { start, length } of this.#clipped(source, generation)) {
      const last = runs.at(-1);
      if (last?.end === start) runs[runs.length - 1] = { start: last.start, end: start + length };
      else runs.push({ start, end: start + length });
    }
    return runs;
  }

  /** Numbers of the generations that are archived, with their bytes, oldest first. */
  generations(source: number): readonly { readonly generation: number; readonly bytes: number }[] {
    return this.#generations.all(source) as { generation: number; bytes: number }[];
  }

  drop(source: number): void {
    this.#deleteSource.run(source);
    this.#tightenSource.run(source);
  }

  /**
   * Makes long chunks of small ones in files that were not written since `before` (milliseconds since 1970): about `most` bytes, within
   * the caller's transaction. false: there is nothing to do.
   */
  compactSome(most: number, before: number): boolean {
    const loose = this.#loose.get(before) as { source: number; generation: number } | undefined;
    if (loose === undefined) return false;
    const { source, generation } = loose;
    let done = 0;
    // What follows the cursor will be replaced, and is never joined with what does not.
    const cursor = this.#cursor.get(source, generation) as number | undefined;
    for (const run of runsOf(this.#clipped(source, generation), cursor ?? 0)) {
      if (done >= most) return true;
      done += this.#merge(source, generation, run);
    }
    this.#tighten.run(source, generation);
    return true;
  }

  totals(): { readonly pieces: number; readonly native: number; readonly stored: number } {
    return this.#totals.get() as { pieces: number; native: number; stored: number };
  }

  /** How many of every `step`th chunk are damaged, with the sources that they are of. */
  damaged(step: number): Sample {
    return sampled(this.#numbers.all() as number[], step, (number) => {
      const chunk = this.#byNumber.get(number) as (StoredChunk & { source: number }) | undefined;
      return chunk !== undefined && verified(chunk) === undefined ? chunk.source : undefined;
    });
  }

  #put({ source, generation, start, length, codec, sha256, bytes }: ArchiveChunk): void {
    this.#insert.run(source, generation, start, length, codec, sha256, bytes);
  }

  /** Each ends where the next one begins. */
  #clipped(source: number, generation: number): readonly Place[] {
    const places = this.#places.all(source, generation) as Place[];
    return places.map((place, i) => {
      const next = places[i + 1]?.start ?? Number.MAX_SAFE_INTEGER;
      return { ...place, length: Math.min(place.length, next - place.start) };
    });
  }

  /** Native bytes that were read for it. */
  #merge(source: number, generation: number, run: readonly Place[]): number {
    const [first] = run;
    const last = run.at(-1);
    if (first === undefined || last === undefined || run.length < 2) return 0;
    const pieces: Uint8Array[] = [];
    for (const piece of this.pieces(source, generation, first.start, last.start + last.length)) {
      // Its bytes may still be read by other means, and its hash says what they were: it stays as it is.
      if (!piece.ok) return piece.length;
      pieces.push(piece.bytes);
    }
    const native = Buffer.concat(pieces);
    for (const { number } of run) this.#delete.run(number);
    this.#put(archiveChunk({ source, generation, start: first.start }, native));
    return native.length;
  }

  #prune(source: number, newest: number): void {
    const earlier = this.generations(source).filter(({ generation }) => generation !== newest);
    for (let surplus = earlier.length - mostEarlierGenerations; surplus > 0; surplus--) {
      const [shortest] = earlier.toSorted((a, b) => a.bytes - b.bytes || a.generation - b.generation);
      if (shortest === undefined) return;
      earlier.splice(earlier.indexOf(shortest), 1);
      this.#deleteGeneration.run(source, shortest.generation);
      this.#tighten.run(source, shortest.generation);
    }
  }
}

/** Undefined: damaged. */
function verified(chunk: Pick<StoredChunk, 'length' | 'codec' | 'bytes' | 'sha256'>): Uint8Array | undefined {
  try {
    return nativeBytes(chunk);
  } catch (error) {
    if (error instanceof DamagedBytes) return undefined;
    throw error;
  }
}
