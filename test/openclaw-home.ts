/** For tests: a home with a database of OpenClaw's own schema (taken from a real one, emptied), written like its gateway does, through the log. */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { Tables } from '../shuttles/contract/container.ts';
import { fixtures } from './home-ledger.ts';

const real = path.join(fixtures, 'openclaw/oc-01-2026.9.6-local/.openclaw/agents/main/agent/openclaw-agent.sqlite');

/** What the schema asks of a compressed row. */
const navigation = JSON.stringify({
  version: 1,
  report: { kind: 'canonical' },
  navigation: {},
  reset: {},
  model: {},
  modelBytes: 0,
  modelWithoutCheckpointBytes: 0,
  withoutCustomDataBytes: 0,
});

export class OpenclawHome implements Disposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-openclaw-'));
  readonly folder = path.join(this.home, '.openclaw/agents/main/agent');
  readonly sessions = path.join(this.home, '.openclaw/agents/main/sessions');
  readonly file = path.join(this.folder, 'openclaw-agent.sqlite');
  readonly db: Sqlite.Database;

  constructor() {
    fs.mkdirSync(this.folder, { recursive: true });
    fs.mkdirSync(this.sessions, { recursive: true });
    fs.copyFileSync(real, this.file);
    fs.chmodSync(this.file, 0o600);
    this.db = new Sqlite(this.file);
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('wal_autocheckpoint = 0');
    this.db.pragma('foreign_keys = ON');
    this.db.exec('DELETE FROM session_nodes; DELETE FROM session_windows');
  }

  /** A session key and its current window; `columns` are those of the window, `node` those of the key. */
  session(id: string, key = `agent:main:${id}`, columns: object = {}, node: object = {}): void {
    const nodeRow = { session_key: key, current_session_id: id, entry_json: '{}', updated_at: 1, ...node };
    this.#put(
      'session_nodes',
      nodeRow,
      'ON CONFLICT (session_key) DO UPDATE SET current_session_id = excluded.current_session_id',
    );
    this.#put('session_windows', { session_id: id, session_key: key, created_at: 1, updated_at: 1, ...columns });
    this.event(id, 0, { type: 'session', version: 4, id, timestamp: at(0), cwd: '/home/user/shop' });
  }

  event(session: string, seq: number, event: object, compressed = false): void {
    const text = JSON.stringify(event);
    this.#put('transcript_events', {
      session_id: session,
      seq,
      created_at: 1000 + seq,
      ...(compressed
        ? {
            event_zstd: zstdCompressSync(text),
            event_utf8_bytes: Buffer.byteLength(text),
            navigation_json: navigation,
          }
        : { event_json: text }),
    });
    this.db.prepare('UPDATE session_windows SET updated_at = updated_at + 1 WHERE session_id = ?').run(session);
  }

  [Symbol.dispose](): void {
    this.db.close();
    fs.rmSync(this.home, { recursive: true, force: true });
  }

  #put(table: string, row: object, rest = ''): void {
    const names = Object.keys(row);
    this.db
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')}) ${rest}`)
      .run(row);
  }
}

export function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 30, 10, 0, second)).toISOString();
}

/** An event of the tree: ids are `<session>-<n>`, so that each names one event for good. */
export function eventOf(session: string, n: number, parent: number | null, rest: object): object {
  const id = (value: number): string => `${session}-${value}`;
  return { id: id(n), parentId: parent === null ? null : id(parent), timestamp: at(n), ...rest };
}

export function user(
  session: string,
  n: number,
  parent: number | null,
  text: string,
  rest: object = { __openclaw: { senderIsOwner: true } },
): object {
  return eventOf(session, n, parent, { type: 'message', message: { role: 'user', content: text, ...rest } });
}

export function answer(session: string, n: number, parent: number | null, text: string): object {
  const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: { total: 0 } };
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'mock',
    model: 'mock-1',
    usage,
    stopReason: 'stop',
  };
  return eventOf(session, n, parent, { type: 'message', message });
}

/** A copy of a database, which opening may change, with the port that a container is read through. */
export function copiedDatabase(file: string): Disposable & { readonly db: Sqlite.Database; readonly tables: Tables } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-openclaw-copy-'));
  const copy = path.join(folder, 'copy.sqlite');
  fs.copyFileSync(file, copy);
  const db = new Sqlite(copy, { readonly: true });
  return {
    db,
    tables: { all: (sql, ...parameters) => db.prepare(sql).all(...parameters) as Record<string, unknown>[] },
    [Symbol.dispose]: () => {
      db.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
