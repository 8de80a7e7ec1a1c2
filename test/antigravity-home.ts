/** For tests: a home with conversations of Antigravity, written field by field as its programs do (agy 1.0.16 to 1.2.11). */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Step {
  readonly idx: number;
  readonly type: number;
  readonly status?: number;
  /** Seconds since 1970. */
  readonly at?: number;
  readonly call?: Uint8Array;
  readonly usage?: readonly [input: number, output: number, cacheWrite: number, cacheRead: number];
  /** Field and body of the payload. */
  readonly field: number;
  readonly body: Uint8Array;
  readonly error?: string;
}

export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
export const int = (field: number, value: number): Uint8Array => Buffer.concat([varint(field * 8), varint(value)]);
export const bytes = (field: number, value: Uint8Array): Uint8Array =>
  Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
export const text = (field: number, value: string): Uint8Array => bytes(field, Buffer.from(value));
export const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);

export function callOf(id: string, name: string, args: object): Uint8Array {
  return message(text(1, id), text(2, name), text(3, JSON.stringify(args)), text(9, name));
}

export const base = 1_796_000_000;
export function prompt(idx: number, words: string, over: Partial<Step> = {}): Step {
  return { idx, type: 14, at: base + idx, field: 19, body: message(text(2, words), bytes(3, text(1, words))), ...over };
}
export function answer(idx: number, words: string, over: Partial<Step> & { readonly calls?: readonly Uint8Array[] } = {}): Step {
  const { calls = [], ...rest } = over;
  const body = message(
    text(1, words),
    text(6, `bot-${idx}`),
    ...calls.map((call) => bytes(7, call)),
    int(12, calls.length > 0 ? 10 : 2),
  );
  return { idx, type: 15, at: base + idx, field: 20, body, usage: [100, 10, 0, 40], ...rest };
}

const ddl = `
CREATE TABLE trajectory_meta (trajectory_id text, cascade_id text, trajectory_type integer, source integer, PRIMARY KEY (trajectory_id));
CREATE TABLE steps (idx integer, step_type integer NOT NULL DEFAULT 0, status integer NOT NULL DEFAULT 0, has_subtrajectory numeric NOT NULL DEFAULT false,
 metadata blob, error_details blob, permissions blob, task_details blob, render_info blob, step_payload blob, step_format integer NOT NULL DEFAULT 0, PRIMARY KEY (idx));
CREATE TABLE gen_metadata (idx integer, data blob, size integer NOT NULL DEFAULT 0, PRIMARY KEY (idx));
CREATE TABLE trajectory_metadata_blob (id text DEFAULT "main", data blob, PRIMARY KEY (id));
PRAGMA user_version = 1;`;
const index = `CREATE TABLE IF NOT EXISTS conversation_summaries (conversation_id TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT "",
 last_modified_time DATETIME NOT NULL, workspace_uris TEXT NOT NULL, parent_conversation_id TEXT NOT NULL DEFAULT "")`;

export class AntigravityHome implements Disposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-antigravity-'));
  readonly root: string;

  constructor(folder = 'antigravity-cli') {
    this.root = path.join(this.home, '.gemini', folder);
    fs.mkdirSync(path.join(this.root, 'conversations'), { recursive: true });
  }

  /** Writes or rewrites these steps of the conversation; creates its store. */
  store(
    id: string,
    steps: readonly Step[],
    over: { readonly root?: string; readonly models?: ReadonlyMap<number, string>; readonly folder?: string } = {},
  ): void {
    const file = path.join(this.root, 'conversations', `${id}.db`);
    const isNew = !fs.existsSync(file);
    const db = new Sqlite(file);
    try {
      if (isNew) {
        db.exec(ddl);
        db.prepare('INSERT INTO trajectory_meta VALUES (?, ?, 4, 17)').run(`t-${id}`, id);
        const place = message(text(1, `file://${over.folder ?? '/home/user/shop'}`), text(4, 'main'));
        const blob = message(bytes(1, place), bytes(2, int(1, base)), text(6, over.root ?? id), text(18, 'default-cli-project'));
        db.prepare("INSERT INTO trajectory_metadata_blob VALUES ('main', ?)").run(blob);
      }
      const put = db.prepare(
        'INSERT OR REPLACE INTO steps (idx, step_type, status, metadata, error_details, step_payload) VALUES (?, ?, ?, ?, ?, ?)',
      );
      for (const step of steps) {
        const meta = metadata(step);
        const payload = message(int(1, step.type), int(4, step.status ?? 3), bytes(5, meta), bytes(step.field, step.body));
        put.run(step.idx, step.type, step.status ?? 3, meta, step.error === undefined ? null : text(9, step.error), payload);
      }
      for (const [step, name] of over.models ?? [])
        db.prepare('INSERT OR REPLACE INTO gen_metadata VALUES (?, ?, 0)').run(
          step,
          message(bytes(1, text(21, name)), bytes(2, varint(step))),
        );
    } finally {
      db.close();
    }
  }

  /** Takes the steps from that number on away, as an undo does. */
  undo(id: string, from: number): void {
    const db = new Sqlite(path.join(this.root, 'conversations', `${id}.db`));
    db.prepare('DELETE FROM steps WHERE idx >= ?').run(from);
    db.close();
  }

  summary(id: string, title: string, parent = '', folder = '/home/user/shop'): void {
    const db = new Sqlite(path.join(this.root, 'conversation_summaries.db'));
    db.exec(index);
    db.prepare('INSERT OR REPLACE INTO conversation_summaries VALUES (?, ?, ?, ?, ?)').run(
      id,
      title,
      '2026-11-30 00:53:32+00:00',
      JSON.stringify([`file://${folder}`]),
      parent,
    );
    db.close();
  }

  file(name: string, content: string): string {
    const file = path.join(this.root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return file;
  }

  transcript(id: string, kind: 'full' | 'cut', lines: readonly object[]): string {
    const name = kind === 'full' ? 'transcript_full.jsonl' : 'transcript.jsonl';
    return this.file(`brain/${id}/.system_generated/logs/${name}`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}

export function metadata(step: Step): Uint8Array {
  const [input, output, cacheWrite, cacheRead] = step.usage ?? [0, 0, 0, 0];
  return message(
    bytes(1, int(1, step.at ?? base)),
    int(3, step.type === 14 ? 4 : 2),
    ...(step.call === undefined ? [] : [bytes(4, step.call)]),
    ...(step.usage === undefined
      ? []
      : [bytes(9, message(int(2, input), int(3, output), int(4, cacheWrite), int(5, cacheRead)))]),
  );
}
