/** The log is brought to the disk beside the commits: how often, when it is checkpointed, and that nothing depends on it. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { sessionList } from '../address.ts';
import { Gate } from '../testing/gate.ts';
import { openFile, tempFolder } from '../testing/session.ts';
import { LogSync, syncToDisk } from './log-sync.ts';
import { SqliteStore } from './store.ts';

const bound = 8192;

class Log {
  readonly db: Database;
  readonly file: string;
  readonly sync: LogSync;
  /** The files that were to be synced. */
  readonly asked: string[] = [];
  /** What a sync waits for, or fails with. */
  hold: Gate | Error | undefined;

  constructor(checkpointAt = bound) {
    this.file = path.join(tempFolder(onTestFinished), 'log.db');
    this.db = openFile(this.file);
    onTestFinished(() => void this.db.close());
    this.db.pragma(`wal_autocheckpoint = ${checkpointAt}`);
    this.db.exec('CREATE TABLE text (value BLOB)');
    this.db.pragma('wal_checkpoint(TRUNCATE)');
    this.sync = new LogSync(this.db, async (file) => {
      this.asked.push(file);
      if (this.hold instanceof Error) throw this.hold;
      await this.hold?.pass();
    });
  }

  /** So many pages more, and what a commit of many writes tells then. */
  grow(pages: number): void {
    this.db.prepare('INSERT INTO text VALUES (zeroblob(?))').run(4080 * pages);
    this.sync.committed(1000);
  }

  get pages(): number {
    return (fs.statSync(`${this.file}-wal`).size - 32) / 4120;
  }

  /** Whether everything in the log is in the file too: the next commit begins the log anew. */
  get isCheckpointed(): boolean {
    const [{ log, checkpointed } = { log: -1, checkpointed: 0 }] = this.db.pragma('wal_checkpoint(NOOP)') as {
      readonly log: number;
      readonly checkpointed: number;
    }[];
    return log > 0 && log === checkpointed;
  }
}

test('the log is synced each time it has grown by an eighth of what it may, and not again while that is under way', async () => {
  const log = new Log();
  log.grow(500);
  expect(log.sync.pending).toBeUndefined();
  const gate = new Gate();
  log.hold = gate;
  log.grow(600);
  expect(log.asked).toEqual([`${log.file}-wal`]);
  await gate.reached;
  log.grow(1100);
  expect(log.asked).toHaveLength(1);
  gate.open();
  await log.sync.pending;
  log.hold = undefined;
  // What was written meanwhile was not part of it.
  log.grow(1);
  await log.sync.pending;
  expect(log.asked).toHaveLength(2);
  log.grow(1000);
  expect(log.sync.pending).toBeUndefined();
  log.grow(1000);
  expect(log.sync.pending).toBeDefined();
  await log.sync.pending;
});

test('few writes do not ask how long the log is', async () => {
  const log = new Log();
  log.db.prepare('INSERT INTO text VALUES (zeroblob(?))').run(4080 * 2000);
  for (let i = 0; i < 20; i++) log.sync.committed(1);
  expect(log.sync.pending).toBeUndefined();
  for (let i = 0; i < 60; i++) log.sync.committed(1);
  expect(log.sync.pending).toBeDefined();
  await log.sync.pending;
});

test('a log that is three quarters full is checkpointed when its sync is over, and begins anew', async () => {
  const log = new Log();
  log.grow((3 / 4) * bound - 200);
  await log.sync.pending;
  expect(log.isCheckpointed).toBe(false);
  log.grow(1100);
  await log.sync.pending;
  expect(log.isCheckpointed).toBe(true);
  const size = log.pages;
  log.grow(1100);
  // The log is written from its beginning, and what grows there is synced again.
  expect([log.pages, log.asked]).toHaveLength(2);
  expect(log.pages).toBe(size);
  expect(log.asked).toHaveLength(3);
  await log.sync.pending;
  expect(log.isCheckpointed).toBe(false);
});

test('no checkpoint is made inside somebody’s transaction, nor on a connection that is closed', async () => {
  const log = new Log();
  const gate = new Gate();
  log.hold = gate;
  log.grow(bound - 500);
  log.db.exec('BEGIN');
  gate.open();
  await log.sync.pending;
  log.db.exec('COMMIT');
  expect(log.isCheckpointed).toBe(false);

  const closed = new Log();
  const held = new Gate();
  closed.hold = held;
  closed.grow(bound - 500);
  closed.db.close();
  held.open();
  await expect(closed.sync.pending).resolves.toBeUndefined();
});

test('a sync that fails is nobody’s failure, and the next one is tried', async () => {
  const log = new Log();
  log.hold = new Error('EIO');
  log.grow(bound - 500);
  await expect(log.sync.pending).resolves.toBeUndefined();
  expect(log.isCheckpointed).toBe(false);
  log.hold = undefined;
  log.grow(1100);
  await log.sync.pending;
  expect(log.asked).toHaveLength(2);
  expect(log.isCheckpointed).toBe(true);
});

test('small logs, readers and databases in memory have nothing to sync', () => {
  const small = new Log(1000);
  small.grow(900);
  expect(small.asked).toEqual([]);
  const memory = new LogSync(new Sqlite(':memory:'), async () => expect.fail('there is no log'));
  memory.committed(1_000_000);
  const log = new Log();
  log.grow(600);
  const reader = new Sqlite(log.file, { readonly: true });
  onTestFinished(() => void reader.close());
  new LogSync(reader, async () => expect.fail('a reader writes no log')).committed(1_000_000);
});

test('a store syncs its file’s log, by the real file system, while its commits go on, and loses nothing', async () => {
  const file = path.join(tempFolder(onTestFinished), 'engine.db');
  const db = openFile(file);
  db.pragma(`wal_autocheckpoint = ${bound}`);
  const synced: string[] = [];
  const syncFile = async (log: string) => {
    await syncToDisk(log);
    synced.push(log);
  };
  const storage = new SqliteStore(db, { syncFile }).session('session');
  const list = sessionList<string>('l');
  const value = 'x'.repeat(40_000);
  for (; synced.length < 12; await new Promise(setImmediate))
    for (let i = 0; i < 10; i++) await storage.commit({ kind: 'main', writes: [{ type: 'list.append', addr: list, value }] });
  const { lastSeq } = storage;
  db.close();
  const again = openFile(file);
  onTestFinished(() => void again.close());
  expect(again.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(new SqliteStore(again).session('session').lastSeq).toBe(lastSeq);
}, 60_000);
