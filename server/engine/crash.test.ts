/** A process that is killed in the middle of its commits leaves whole batches only, and all that it acknowledged (engine specification 3.3). */
import { spawn } from 'node:child_process';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound } from './address.ts';
import { Engine } from './engine.ts';
import { JsonlStorage } from './jsonl/storage.ts';
import type { Task } from './records.ts';
import { SqliteStore } from './sqlite/store.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import { checkpoint, entriesOf, frames, framesOf, liveRounds, rounds, textOf } from './testing/crash-writer.ts';
import type { Acknowledged } from './testing/crash-writer.ts';
import { entryKinds, note, taskKinds } from './testing/kinds.ts';
import { openFile, tempFolder } from './testing/session.ts';

const writer = path.join(import.meta.dirname, 'testing', 'crash-writer.ts');

/** Runs the writer on the file and kills it once it has acknowledged that many commits; it is somewhere in a later one by then. */
async function writeAndKill(backend: string, file: string, commits: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [writer, backend, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    if (output.split('\n').length > commits) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** Returns how many rounds there are. */
function checkWhole(storage: Storage, acknowledged: readonly Acknowledged[]): number {
  const count = storage.getValue(rounds)?.value ?? 0;
  const last = acknowledged.at(-1);
  expect(last === undefined || (count >= last.round && count <= last.round + 1)).toBe(true);
  expect(storage.lastSeq).toBeGreaterThanOrEqual(last?.lastSeq ?? 0);

  const found = new Map<number, number>();
  const root = storage.scanConversations({ limit: 1 }).items[0]?.id ?? 0;
  for (const entry of storage.readEntries({ conversationId: root, limit: end }).items) {
    const round = note.is(entry) ? Number.parseInt(entry.content.text, 10) : 0;
    found.set(round, (found.get(round) ?? 0) + 1);
  }
  expect([...found]).toEqual(Array.from({ length: count }, (_, i) => [i + 1, entriesOf(i + 1)]));

  const tasks = storage.scanTasks({ limit: end }).items;
  expect(tasks.map(roundOf)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  const live = storage.scanTaskHeaders({ live: true, limit: end }).items.map((task) => task.id);
  expect(live).toEqual(tasks.slice(-liveRounds).map((task) => task.id));
  for (const task of tasks) {
    const kept = storage.readList(bound(frames, task.id), { limit: end }).items.map((element) => element.value);
    expect(kept).toEqual(kept.map((_, i) => i + 1));
    const value = storage.getValue(bound(checkpoint, task.id))?.value;
    expect(value).toEqual(kept.length === 0 ? undefined : { frame: kept.length, text: textOf(kept.length) });
    if (!live.includes(task.id)) expect(kept).toEqual([]);
    else {
      const said = acknowledged.findLast((one) => one.task === task.id)?.frames ?? 0;
      expect(kept.length).toBeGreaterThanOrEqual(said);
      expect(kept.length).toBeLessThanOrEqual(framesOf(roundOf(task)));
    }
  }
  return count;
}

function roundOf(task: Task): number {
  return (task.state as { readonly step: number }).step;
}

const kills = fc.sample(fc.integer({ min: 1, max: 40 }), { seed: 20, numRuns: 24 });

test(
  'SQLite: kills at any moment leave whole batches with what was written beside them, and the next process goes on from the last [3.3-3] [7.5-1] [7.4-6] [4.6-1] [4.6-2]',
  { timeout: 180_000 },
  async () => {
    const file = path.join(tempFolder(onTestFinished), 'engine.db');
    for (const commits of kills) {
      const acknowledged = await writeAndKill('sqlite', file, commits);
      const db = openFile(file);
      const storage = new SqliteStore(db).session('session');
      const count = checkWhole(storage, acknowledged);
      expect(db.prepare('SELECT round FROM beside ORDER BY round').pluck().all()).toEqual(
        Array.from({ length: count }, (_, i) => i + 1),
      );
      const boundaries = db.prepare('SELECT first, last FROM engine_commit_boundaries ORDER BY first').all() as {
        readonly first: number;
        readonly last: number;
      }[];
      boundaries.forEach(({ first }, i) => expect(first).toBe((boundaries[i - 1]?.last ?? 0) + 1));
      expect(storage.lastSeq).toBe(boundaries.at(-1)?.last ?? 0);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      db.close();
    }
  },
);

test(
  'JSONL: kills at any moment leave whole batches and the scratch of live tasks, and the next process goes on from the last [3.3-3] [7.4-3] [7.4-6] [4.6-1] [4.6-2]',
  { timeout: 180_000 },
  async () => {
    const file = path.join(tempFolder(onTestFinished), 'session.jsonl');
    for (const commits of kills) {
      const acknowledged = await writeAndKill('jsonl', file, commits);
      const storage = JsonlStorage.open(file);
      checkWhole(storage, acknowledged);
      const { lastSeq } = storage;
      const engine = await Engine.open<string>(storage, { entryKinds, taskKinds });
      expect(engine.lastSeq).toBe(lastSeq);
      await engine.close();
    }
  },
);
