/**
 * The plain way, as a measure for this machine at this moment: the same records in the same number of transactions, with nothing that makes
 * a session of them. SQLite: one table a sort of record, rows of text, found by their number. JSONL: a line a batch. Memory: a map.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { CommitBatch, MainWrite, StateWrite } from '../../../server/engine/records.ts';
import { openDatabase } from './backends.ts';
import type { BackendName } from './backends.ts';

/** What is done with a record's number and text. */
type Op = 'insert' | 'update' | 'put' | 'delete' | 'scratch' | 'retire';
export interface PlainWrite {
  readonly op: Op;
  readonly id: number;
  readonly text: string;
}
export type PlainBatch = readonly PlainWrite[];

export function plainBatches(batches: readonly CommitBatch[]): readonly PlainBatch[] {
  let seq = 0;
  return batches.map((batch) =>
    batch.kind === 'scratch'
      ? batch.writes.map((write) => ({
          op: write.type === 'list.clear' ? ('retire' as const) : ('scratch' as const),
          id: write.type === 'list.clear' ? batch.task : ++seq,
          text: textOf(write),
        }))
      : batch.writes.flatMap((write) => plainWrites(write, ++seq)),
  );
}

function plainWrites(write: MainWrite, seq: number): PlainWrite[] {
  switch (write.type) {
    case 'entry':
      return [{ op: 'insert', id: write.entry.id, text: JSON.stringify(write.entry) }];
    case 'task':
      return [{ op: 'insert', id: write.task.id, text: JSON.stringify(write.task) }];
    case 'createConversation':
      return [{ op: 'insert', id: write.conversation.id, text: JSON.stringify(write.conversation) }];
    case 'deleteConversation':
      return [{ op: 'update', id: write.id, text: '' }];
    case 'patch':
      return [{ op: 'update', id: write.id, text: JSON.stringify(write) }];
    case 'settle':
      return [
        { op: 'update', id: write.id, text: JSON.stringify(write) },
        { op: 'retire', id: write.id, text: '' },
      ];
    case 'value.set':
      return [{ op: 'put', id: seq, text: textOf(write) }];
    case 'list.append':
      return [{ op: 'insert', id: seq, text: textOf(write) }];
    case 'value.delete':
    case 'list.remove':
    case 'list.clear':
      return [{ op: 'delete', id: seq, text: '' }];
  }
}

function textOf(write: StateWrite): string {
  return 'value' in write ? JSON.stringify(write.value) : '';
}

const plainWays: Readonly<Record<BackendName, (folder: string) => { write(batch: PlainBatch): void; close(): void }>> = {
  sqlite(folder) {
    const db = openDatabase(path.join(folder, 'plain.db'));
    db.exec(`CREATE TABLE record (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE TABLE scratch (task INTEGER NOT NULL, seq INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (task, seq)) STRICT, WITHOUT ROWID;`);
    const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
    const put = db.prepare<[number, string]>('INSERT OR REPLACE INTO record (id, text) VALUES (?, ?)');
    const update = db.prepare<[string, number]>('UPDATE record SET text = ? WHERE id = ?');
    const remove = db.prepare<[number]>('DELETE FROM record WHERE id = ?');
    const scratch = db.prepare<[number, string]>('INSERT INTO scratch (task, seq, text) VALUES (0, ?, ?)');
    const retire = db.prepare<[number]>('DELETE FROM scratch WHERE task = ?');
    return {
      write(batch) {
        begin.run();
        for (const { op, id, text } of batch) {
          if (op === 'update') update.run(text, id);
          else if (op === 'delete') remove.run(id);
          else if (op === 'scratch') scratch.run(id, text);
          else if (op === 'retire') retire.run(0);
          else put.run(id, text);
        }
        commit.run();
      },
      close: () => void db.close(),
    };
  },
  jsonl(folder) {
    const file = fs.openSync(path.join(folder, 'plain.jsonl'), 'a');
    return {
      write: (batch) => void fs.writeSync(file, `${JSON.stringify(batch)}\n`),
      close: () => fs.closeSync(file),
    };
  },
  memory() {
    const records = new Map<number, string>();
    const scratch = new Map<number, string>();
    return {
      write(batch) {
        for (const { op, id, text } of batch) {
          if (op === 'delete') records.delete(id);
          else if (op === 'scratch') scratch.set(id, text);
          else if (op === 'retire') scratch.clear();
          else records.set(id, text);
        }
      },
      close: () => records.clear(),
    };
  },
};

export interface PlainTold {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export function runPlainWay(backend: BackendName, folder: string, batches: readonly PlainBatch[]): PlainTold {
  const way = plainWays[backend](folder);
  const started = performance.now();
  const before = process.cpuUsage();
  for (const batch of batches) way.write(batch);
  const used = process.cpuUsage(before);
  const wallMs = performance.now() - started;
  way.close();
  return { wallMs, cpuMs: (used.user + used.system) / 1000 };
}
