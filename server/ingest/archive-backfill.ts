/**
 * Archives what waits for it: compressed rollouts, whose stored bytes are not those that their records are cut from, and everything that an
 * older Loom read without keeping its bytes. Bounded work a call, between readings. Only a file that still is as it was read is taken; for
 * any other the reason is put on record. Reads below a harness's folder, never writes there.
 */
import path from 'node:path';
import type { Environment, SessionRoot, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import { isCompressed, openSource } from '../../shuttles/kit/source.ts';
import type { Source } from '../../shuttles/kit/source.ts';
import { archiveChunk, mostChunkBytes } from '../ledger/archive-chunk.ts';
import type { Extent } from '../ledger/archive-chunks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import { archiveWhole } from './archive-whole.ts';

export interface BackfillOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
}

/** Native bytes a call, about. */
const bytesAtOnce = 8 * 1024 * 1024;

export class ArchiveBackfill {
  readonly #options: BackfillOptions;
  /** The source that was looked at last: one that has to wait for something else keeps nobody waiting. */
  #after = 0;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** Archives a part of what waits. false: nothing is left that could be archived now. */
  async some(): Promise<boolean> {
    for (let done = 0; done < bytesAtOnce;) {
      const number = this.#options.ledger.archive.absent.waiting(this.#after);
      if (number === undefined) {
        this.#after = 0;
        return false;
      }
      const { bytes, more } = await this.#one(number);
      done += bytes + 1;
      if (!more) this.#after = number;
    }
    return true;
  }

  /** Only what is compressed, all of it: for the end of a pass that read it. */
  async compressed(): Promise<void> {
    const { ledger } = this.#options;
    for (let number = ledger.archive.absent.waiting(); number !== undefined; number = ledger.archive.absent.waiting(number)) {
      const row = ledger.sources.byNumber(number);
      if (row !== undefined && isCompressed(row.path)) await this.#one(number);
    }
  }

  async #one(number: number): Promise<{ readonly bytes: number; readonly more: boolean }> {
    const { ledger } = this.#options;
    const { absent } = ledger.archive;
    const row = ledger.sources.byNumber(number);
    const nothing = { bytes: 0, more: false };
    if (row === undefined || row.status === 'ignored' || this.#isHeld(row)) {
      absent.clear(number);
      return nothing;
    }
    const place = this.#placeOf(row.path);
    if (row.status === 'gone' || (row.status === 'current' && place === undefined)) {
      absent.put(number, 'gone');
      return nothing;
    }
    if (row.status !== 'current' || place === undefined) return nothing;
    if (place.isContainer) {
      // The next pass opens it, and archives what it reads.
      ledger.sources.update({ ...row, status: 'reading' });
      return nothing;
    }
    const opened = openSource(row.path, place.root.path);
    if (!opened.ok) {
      absent.put(number, opened.refusal.kind === 'unreadable' ? 'unreadable' : 'gone');
      return nothing;
    }
    using source = opened.source;
    return isCompressed(row.path) ? this.#compressed(row, source) : this.#lines(row, source);
  }

  async #compressed(row: SourceRow, source: Source): Promise<{ readonly bytes: number; readonly more: boolean }> {
    const { ledger } = this.#options;
    const { size, mtimeMs } = source.facts;
    // It is read anew by the next pass, and waits again then.
    if (!isAsRead(row, source)) return { bytes: 0, more: false };
    const file = { suffix: '', size, mtime: mtimeMs, pieces: () => source.stored() };
    const archived = await archiveWhole(ledger, row.number, [file], () => undefined);
    if (!archived) ledger.archive.absent.put(row.number, 'unreadable');
    return { bytes: size, more: false };
  }

  /** The first hole, a part at a time. What follows the cursor is archived too when the file ends where it ended. */
  #lines(row: SourceRow, source: Source): { readonly bytes: number; readonly more: boolean } {
    const { ledger } = this.#options;
    const { absent, chunks } = ledger.archive;
    const end = isAsRead(row, source) ? row.size : row.offset;
    const hole = firstHole(chunks.extents(row.number, row.generation), end);
    if (hole === undefined) {
      absent.clear(row.number);
      return { bytes: 0, more: false };
    }
    if (source.facts.size < row.offset || !source.beginsAs(row.fingerprint)) {
      absent.put(row.number, 'gone');
      return { bytes: 0, more: false };
    }
    let at = hole.start;
    const until = Math.min(hole.end, hole.start + bytesAtOnce);
    ledger.transact(() => {
      for (const read of source.stored(hole.start)) {
        for (let done = 0; done < read.length && at < until;) {
          // A border at the cursor: what follows it will be replaced.
          const border = at < row.offset ? row.offset : until;
          const native = read.subarray(done, done + Math.min(until, border, at + mostChunkBytes) - at);
          chunks.fill(archiveChunk({ source: row.number, generation: row.generation, start: at }, native));
          at += native.length;
          done += native.length;
        }
        if (at >= until) break;
      }
      if (at < until) absent.put(row.number, 'unreadable');
    });
    return { bytes: at - hole.start, more: at >= until };
  }

  #placeOf(file: string): { readonly root: SessionRoot; readonly isContainer: boolean } | undefined {
    const { shuttles, environment } = this.#options;
    for (const { find, container } of shuttles)
      for (const root of find.roots(environment)) {
        if (!isBelow(file, root.path)) continue;
        const relative = path.relative(root.path, file).replaceAll(path.sep, '/');
        if (root.matches(relative)) return { root, isContainer: container?.holds(relative) === true };
      }
    return undefined;
  }

  /** A session in a container has no bytes of its own. */
  #isHeld(row: SourceRow): boolean {
    const parts = partsOfHeld(row.path);
    return parts !== undefined && this.#options.ledger.sources.byPath(parts.file) !== undefined;
  }
}

function isAsRead(row: SourceRow, { facts }: Source): boolean {
  return facts.size === row.size && facts.mtimeMs === row.mtime && facts.ino === row.identity;
}

function firstHole(extents: readonly Extent[], end: number): Extent | undefined {
  let at = 0;
  for (const extent of extents) {
    if (extent.start > at) return at < end ? { start: at, end: Math.min(extent.start, end) } : undefined;
    at = extent.end;
  }
  return at < end ? { start: at, end } : undefined;
}
