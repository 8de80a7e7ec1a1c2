/** Counts what goes through the storage port, and for SQLite the statements and rows beneath it; keeps the batches for the plain way. */
import type { Database, Statement } from 'better-sqlite3';
import type { CommitBatch } from '../../../server/engine/records.ts';
import type { Storage } from '../../../server/engine/storage.ts';

export interface Counts {
  commits: number;
  scratchCommits: number;
  writes: number;
  /** Reads through the port. */
  reads: number;
  /** Records that these reads returned. */
  records: number;
  /** Statements that SQLite ran, BEGIN and COMMIT among them, and the rows that they returned. */
  statements: number;
  rows: number;
  readonly byRead: Record<string, number>;
}

export class Counter {
  readonly counts: Counts = {
    commits: 0,
    scratchCommits: 0,
    writes: 0,
    reads: 0,
    records: 0,
    statements: 0,
    rows: 0,
    byRead: {},
  };
  readonly batches: CommitBatch[] = [];
  counting = false;

  /** The same storage; every call of it is counted while `counting`. */
  storage(inner: Storage): Storage {
    return new Proxy(inner, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') {
          if (this.counting && typeof name === 'string') this.#read(name, 0);
          return member;
        }
        return (...args: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, target, args);
          if (!this.counting || typeof name !== 'string') return result;
          if (name === 'commit') this.#commit(args[0] as CommitBatch);
          else if (name !== 'close') this.#read(name, sizeOf(result));
          return result;
        };
      },
    });
  }

  /** The statements that the connection prepares from now on are counted. */
  connection(db: Database): void {
    const prepare = db.prepare.bind(db);
    const counted = (sql: string): Statement => {
      const statement = prepare(sql);
      for (const call of ['run', 'get', 'all'] as const) {
        const original: (...args: unknown[]) => unknown = statement[call].bind(statement);
        Object.assign(statement, {
          [call]: (...args: unknown[]): unknown => {
            const result = original(...args);
            if (this.counting) {
              this.counts.statements++;
              this.counts.rows += call === 'all' ? (result as unknown[]).length : call === 'get' && result !== undefined ? 1 : 0;
            }
            return result;
          },
        });
      }
      return statement;
    };
    Object.assign(db, { prepare: counted });
  }

  #commit(batch: CommitBatch): void {
    if (batch.writes.length === 0) return;
    this.counts[batch.kind === 'main' ? 'commits' : 'scratchCommits']++;
    this.counts.writes += batch.writes.length;
    this.batches.push(batch);
  }

  #read(name: string, records: number): void {
    this.counts.reads++;
    this.counts.records += records;
    this.counts.byRead[name] = (this.counts.byRead[name] ?? 0) + 1;
  }
}

function sizeOf(result: unknown): number {
  if (result instanceof Map) return result.size;
  if (typeof result !== 'object' || result === null) return result === undefined ? 0 : 1;
  if ('items' in result && Array.isArray(result.items)) return result.items.length;
  return 1;
}
