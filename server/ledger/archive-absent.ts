/** Sources whose native bytes are not archived, and why: said to the person instead of an empty file. `waiting` ones are archived in the background. */
import type { Database, Statement } from 'better-sqlite3';

export type AbsentReason = 'waiting' | 'gone' | 'sealed' | 'large' | 'unreadable';

/** As the end of a sentence about the file. */
export const absentWords: Readonly<Record<AbsentReason, string>> = {
  waiting: 'is not archived yet: this happens in the background while Loom runs',
  gone: 'was gone, or no longer as it was read, before Loom archived it',
  sealed: 'is sealed by its program: Loom only knows that it is there and never opens it',
  large: 'is longer than what Loom archives of one file that is no list of records (1 GB)',
  unreadable: 'could not be read when it was to be archived',
};

export class ArchiveAbsent {
  readonly #put: Statement;
  readonly #clear: Statement;
  readonly #again: Statement;
  readonly #of: Statement;
  readonly #waiting: Statement;
  readonly #counts: Statement;

  constructor(db: Database) {
    this.#put = db.prepare(
      'INSERT INTO archive_absent (source, reason) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET reason = excluded.reason',
    );
    this.#clear = db.prepare('DELETE FROM archive_absent WHERE source = ?');
    this.#again = db.prepare(
      "UPDATE archive_absent SET reason = 'waiting' WHERE source = ? AND reason IN ('gone', 'unreadable')",
    );
    this.#of = db.prepare('SELECT reason FROM archive_absent WHERE source = ?').pluck();
    this.#waiting = db
      .prepare("SELECT source FROM archive_absent WHERE reason = 'waiting' AND source > ? ORDER BY source LIMIT 1")
      .pluck();
    this.#counts = db.prepare('SELECT reason, count(*) AS count FROM archive_absent GROUP BY reason ORDER BY reason');
  }

  put(source: number, reason: AbsentReason): void {
    this.#put.run(source, reason);
  }
  clear(source: number): void {
    this.#clear.run(source);
  }
  /** The file is read again: what could not be had may be had now. */
  again(source: number): void {
    this.#again.run(source);
  }
  of(source: number): AbsentReason | undefined {
    return this.#of.get(source) as AbsentReason | undefined;
  }
  /** The first one behind `after`. */
  waiting(after = 0): number | undefined {
    return this.#waiting.get(after) as number | undefined;
  }
  counts(): readonly { readonly reason: AbsentReason; readonly count: number }[] {
    return this.#counts.all() as { reason: AbsentReason; count: number }[];
  }
}
