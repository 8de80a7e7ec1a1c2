/** A process that is killed in the middle of its commits leaves whole batches only (engine specification 3.3). */
import { spawn } from 'node:child_process';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sessionValue } from './address.ts';
import type { Engine } from './engine.ts';
import type { Database } from 'better-sqlite3';
import { note } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

const writer = path.join(import.meta.dirname, 'testing', 'crash-writer.ts');

/** Runs the writer on the file and kills it once it has reported that many commits; it is somewhere in a later one by then. */
async function writeAndKill(file: string, commits: number): Promise<number> {
  const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let reported = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    reported = Number(output.trimEnd().split('\n').at(-1));
    if (output.split('\n').length > commits) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return reported;
}

function checkWhole(db: Database, engine: Engine<string>): number {
  const batches = engine.value(sessionValue<number>('batches')) ?? 0;
  const beside = db.prepare('SELECT batch, entries FROM beside ORDER BY batch').all() as {
    readonly batch: number;
    readonly entries: number;
  }[];
  expect(beside.map(({ batch }) => batch)).toEqual(Array.from({ length: batches }, (_, i) => i + 1));
  const root = engine.conversations({ limit: 1 }).items[0]?.id ?? 0;
  const found = new Map<number, number>();
  for (const entry of engine.entries(root, { limit: Infinity }).items) {
    const batch = note.is(entry) ? Number.parseInt(entry.content.text, 10) : 0;
    found.set(batch, (found.get(batch) ?? 0) + 1);
  }
  expect([...found]).toEqual(beside.map(({ batch, entries }) => [batch, entries]));
  const boundaries = db.prepare('SELECT first, last FROM engine_commit_boundaries ORDER BY first').all() as {
    readonly first: number;
    readonly last: number;
  }[];
  boundaries.forEach(({ first }, i) => expect(first).toBe((boundaries[i - 1]?.last ?? 0) + 1));
  expect(engine.lastSeq).toBe(boundaries.at(-1)?.last ?? 0);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  return batches;
}

test(
  'twenty kills at any moment leave whole batches, and the next process goes on from the last',
  { timeout: 120_000 },
  async () => {
    const session = new TempSession(onTestFinished);
    let before = 0;
    for (const commits of fc.sample(fc.integer({ min: 1, max: 30 }), { seed: 20, numRuns: 20 })) {
      const reported = await writeAndKill(session.file, commits);
      session.reopenFile();
      const batches = checkWhole(session.db, await session.engine());
      expect(batches).toBeGreaterThanOrEqual(Math.max(reported, before + commits));
      before = batches;
    }
  },
);
