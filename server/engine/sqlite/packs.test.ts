/** A session whose entries are packed reads as one whose entries are not (engine specification 7.2, 7.5), whatever is packed when. */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryStorage } from '../memory/storage.ts';
import { answers, batchOf, packHistories, packStep } from '../testing/pack-history.ts';
import type { PackStep } from '../testing/pack-history.ts';
import { packLimits } from './pack-limits.ts';
import { openFile, TempSession } from '../testing/session.ts';
import { SqliteStore } from './store.ts';

/** What the packs of one history were, so that a test of none is noticed. */
interface Seen {
  packs: number;
  overlapping: number;
  entries: number;
  spanned: number;
}

async function play(steps: readonly PackStep[], probe: number): Promise<Seen> {
  const session = new TempSession(onTestFinished);
  const memory = new MemoryStorage();
  let storage = session.store.session('session');
  const db = openFile(session.file);
  onTestFinished(() => void db.close());
  const other = new SqliteStore(db).session('session');
  for (const [i, step] of [{ does: 'create', a: 0, b: 0 } as const, ...steps].entries()) {
    const batch = batchOf(memory, step);
    if (batch !== undefined) {
      await memory.commit(batch[0]);
      await storage.commit(batch[0], undefined, batch[1]);
    }
    packStep(session.store, 'session', step);
    if (step.b % 7 === 0) {
      await storage.close();
      session.reopenFile();
      storage = session.store.session('session');
    }
    if (i % 4 !== 0 && i < steps.length) continue;
    const expected = answers(memory, memory, probe + i);
    for (const found of [storage, other]) {
      const answer = answers(found, memory, probe + i);
      if (!isDeepStrictEqual(answer, expected)) expect(answer).toEqual(expected);
    }
  }
  const count = (sql: string): number => Number(session.db.prepare(sql).pluck().get());
  expect(count('SELECT count(*) FROM engine_packs')).toBe(count('SELECT count(*) FROM engine_pack_contents'));
  return {
    packs: count('SELECT count(*) FROM engine_packs'),
    overlapping: count(`SELECT count(*) FROM engine_packs AS a JOIN engine_packs AS b
      ON a.conversation <> b.conversation AND a.first BETWEEN b.first AND b.last`),
    entries: count(`SELECT count(*) FROM engine_packs WHERE count = ${packLimits.entries}`),
    spanned: count(`SELECT count(*) FROM engine_entries AS e JOIN engine_packs AS p
      ON p.conversation = e.conversation AND e.id BETWEEN p.first AND p.last`),
  };
}

test('any history reads the same packed, from the handle that wrote it, from one opened again and from another connection [7.5-8]', async () => {
  const seen: Seen = { packs: 0, overlapping: 0, entries: 0, spanned: 0 };
  await fc.assert(
    fc.asyncProperty(packHistories, fc.nat(), async (steps, probe) => {
      const found = await play(steps, probe);
      for (const key of Object.keys(seen) as (keyof Seen)[]) seen[key] += found[key];
    }),
    { seed: 41, numRuns: 12, endOnFailure: true },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
}, 300_000);
