/** A process that drives tasks is killed in the middle of them; the next one goes on from what is on disk (engine specification 5.3, 6.1). */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Id, Task } from './records.ts';
import { TempSession } from './testing/session.ts';

const driver = path.join(import.meta.dirname, 'testing', 'crash-driver.ts');

/** Runs to the end, or kills it once it has settled that many tasks and a little later. */
async function run(
  file: string,
  log: string,
  number: number,
  kill?: { readonly after: number; readonly delay: number },
): Promise<number | null> {
  const child = spawn(process.execPath, [driver, file, log, String(number)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    lines += bytes.toString().split('\n').length - 1;
    if (kill !== undefined && lines >= kill.after) setTimeout(() => child.kill('SIGKILL'), kill.delay);
  });
  return new Promise((resolve) => child.once('close', resolve));
}

function live(session: TempSession): readonly Task[] {
  session.reopenFile();
  const storage = session.store.session('session');
  return storage.scanTasks({ live: true, limit: 1000 }).items;
}

test(
  'fifteen kills at any moment: everything is settled, what was inflight is recovered and nothing else, and nothing runs twice at once [5.3-1] [5.3-3] [6.4-5]',
  { timeout: 180_000 },
  async () => {
    const session = new TempSession(onTestFinished);
    const log = path.join(path.dirname(session.file), 'log');
    const kills = fc.sample(fc.record({ after: fc.integer({ min: 1, max: 8 }), delay: fc.nat(6) }), { seed: 15, numRuns: 15 });
    const inflight: (readonly Id[])[] = [];
    for (const [number, kill] of [...kills, undefined].entries()) {
      inflight.push(
        live(session)
          .filter(({ status }) => status === 'running')
          .map(({ id }) => id),
      );
      const code = await run(session.file, log, number, kill);
      if (kill === undefined) expect(code).toBe(0);
    }
    expect(live(session)).toEqual([]);
    const tasks = session.store.session('session').scanTasks({ limit: 1000 }).items;
    expect(tasks).toHaveLength(24 * 6);

    const calls = fs
      .readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
    const of = (number: number, what: string) =>
      calls.filter(([run_, call]) => run_ === String(number) && call === what).map((call) => Number(call[2]));
    let recovered = 0;
    inflight.forEach((ids, number) => {
      const [executed, recovers] = [of(number, 'execute'), of(number, 'recover')];
      // A process that is killed early may not have come to all of them; none is called twice by one process, or by both calls.
      expect(ids).toEqual(expect.arrayContaining(recovers));
      expect(new Set([...executed, ...recovers]).size).toBe(executed.length + recovers.length);
      expect(executed.filter((id) => ids.includes(id))).toEqual([]);
      recovered += recovers.length;
    });
    expect(of(kills.length, 'recover').toSorted((a, b) => a - b)).toEqual(inflight.at(-1));
    expect(recovered).toBeGreaterThan(0);
    // An effect begins once: after it has begun its task is recovered, never executed again.
    const begun = calls.filter(([, what]) => what === 'begin').map((call) => call[2]);
    expect(new Set(begun).size).toBe(begun.length);
    const ended = new Set(calls.filter(([, what]) => what === 'end').map((call) => Number(call[2])));
    for (const { id, status } of tasks) if (status === 'done') expect(ended).toContain(id);
  },
);
