/**
 * The raw archive: the native bytes of every session file that the ledger has read, compressed, so that what a harness deletes stays
 * readable and can be written out again byte for byte. Files of lines are chunks that grow with the cursor, in its transaction; files that
 * are rewritten in place are versions of blocks. What is not archived has a reason (archive-absent.ts).
 */
import type { Database } from 'better-sqlite3';
import { ArchiveAbsent } from './archive-absent.ts';
import type { AbsentReason } from './archive-absent.ts';
import type { ArchiveChunk } from './archive-chunk.ts';
import { ArchiveChunks } from './archive-chunks.ts';
import type { Sample } from './archive-sample.ts';
import { ArchiveVersions } from './archive-versions.ts';

export interface ArchiveTotals {
  /** Bytes of session files that can be given back; what several versions share counts once. */
  readonly native: number;
  /** Bytes in the ledger's file. */
  readonly stored: number;
  readonly pieces: number;
  readonly absent: readonly { readonly reason: AbsentReason; readonly count: number }[];
}

export class Archive {
  readonly chunks: ArchiveChunks;
  readonly versions: ArchiveVersions;
  readonly absent: ArchiveAbsent;

  constructor(db: Database) {
    this.chunks = new ArchiveChunks(db);
    this.versions = new ArchiveVersions(db);
    this.absent = new ArchiveAbsent(db);
  }

  /**
   * In the caller's transaction, with the cursor. What is archived at or behind its start in that generation goes first: so the torn tail of
   * a file, which stands behind the cursor, is replaced by the batch that has its whole record.
   */
  append(chunk: ArchiveChunk): void {
    if (chunk.start === 0) this.absent.clear(chunk.source);
    else this.absent.again(chunk.source);
    this.chunks.append(chunk);
  }

  /** As `append` of no bytes: the file ends there. */
  truncate(source: number, generation: number, at: number): void {
    this.absent.again(source);
    this.chunks.truncate(source, generation, at);
  }

  /** The file is to be archived as a whole, soon: its stored bytes are not those that its records were cut from. */
  wait(source: number): void {
    this.absent.put(source, 'waiting');
  }

  /** Everything that is archived of the source, and what is said of it. */
  drop(source: number): void {
    this.chunks.drop(source);
    this.versions.drop(source);
    this.absent.clear(source);
  }

  totals(): ArchiveTotals {
    const chunks = this.chunks.totals();
    const blocks = this.versions.totals();
    return {
      native: chunks.native + blocks.native,
      stored: chunks.stored + blocks.stored,
      pieces: chunks.pieces + blocks.pieces,
      absent: this.absent.counts(),
    };
  }

  /** Looks at every `step`th piece. */
  damaged(step: number): Sample {
    const chunks = this.chunks.damaged(step);
    const blocks = this.versions.damaged(step);
    return { looked: chunks.looked + blocks.looked, sources: [...new Set([...chunks.sources, ...blocks.sources])] };
  }
}
