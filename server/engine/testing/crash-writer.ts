/**
 * A process that commits until it is killed. Round n: a main commit of some entries, a value, the task `n` and the settlement of task `n - 3`
 * (in SQLite with a row of another table beside it), then some scratch commits of task `n`, each a frame and a checkpoint. A line on standard
 * output behind each commit: what was acknowledged. Arguments: the backend, the file.
 */
import fs from 'node:fs';
import { scratchList, scratchValue, sessionValue } from '../address.ts';
import { Engine } from '../engine.ts';
import { JsonlStorage } from '../jsonl/storage.ts';
import type { Id } from '../records.ts';
import { SqliteStore } from '../sqlite/store.ts';
import type { Storage } from '../storage.ts';
import { entryKinds, note, taskKinds, work } from './kinds.ts';
import { openFile } from './session.ts';

export interface Acknowledged {
  readonly round: number;
  readonly task: Id;
  /** Scratch commits of the task. */
  readonly frames: number;
  readonly lastSeq: Id;
}
export const rounds = sessionValue<number>('rounds');
export const frames = scratchList<number>('frames');
export const checkpoint = scratchValue<{ readonly frame: number; readonly text: string }>('checkpoint');
export const liveRounds = 3;
export const entriesOf = (round: number): number => 1 + ((round * 7) % 40);
export const framesOf = (round: number): number => 1 + (round % 4);
export const textOf = (frame: number): string => 'streamed text '.repeat(100 + frame);

if (import.meta.main) await write(process.argv[2] === 'jsonl', process.argv[3] ?? '');

async function write(isJsonl: boolean, file: string): Promise<void> {
  const { storage, within } = isJsonl ? { storage: JsonlStorage.open(file), within: () => undefined } : sqlite(file);
  const engine = await Engine.open(storage, { entryKinds, taskKinds });
  const root = (await engine.root()).id;
  const report = (said: Omit<Acknowledged, 'lastSeq'>): void =>
    void fs.writeSync(1, `${JSON.stringify({ ...said, lastSeq: engine.lastSeq })}\n`);
  for (;;) {
    const round = (storage.getValue(rounds)?.value ?? 0) + 1;
    const task = await engine.commit(
      (tx) => {
        tx.value(rounds).set(round);
        for (const old of engine.liveTasks())
          if ((old.state as { readonly step: number }).step <= round - liveRounds) tx.settle(old.id, 'done');
        for (let i = 0; i < entriesOf(round); i++)
          tx.entry(note, root, { text: `${round}:${i} ${'x'.repeat((round * i) % 500)}` });
        return tx.task(work, { conversationId: root, state: { step: round } });
      },
      { within: () => within(round) },
    );
    report({ round, task, frames: 0 });
    for (let frame = 1; frame <= framesOf(round); frame++) {
      await engine.scratch(task, (scratch) => {
        scratch.list(frames).append(frame);
        scratch.value(checkpoint).set({ frame, text: textOf(frame) });
      });
      report({ round, task, frames: frame });
    }
  }
}

function sqlite(file: string): { readonly storage: Storage; readonly within: (round: number) => void } {
  const db = openFile(file);
  db.exec('CREATE TABLE IF NOT EXISTS beside (round INTEGER PRIMARY KEY) STRICT');
  const insert = db.prepare<[number]>('INSERT INTO beside (round) VALUES (?)');
  return { storage: new SqliteStore(db).session('session'), within: (round) => void insert.run(round) };
}
