/** A process that is killed while it packs leaves every entry once, a row or in a pack (engine specification 3.3, 7.5). */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { end } from '../storage.ts';
import { entryAt } from '../testing/crash-packer.ts';
import { openFile, tempFolder } from '../testing/session.ts';
import { SqliteStore } from './store.ts';

const packer = path.join(import.meta.dirname, '..', 'testing', 'crash-packer.ts');

/** Returns the newest entry that was acknowledged. */
async function packAndKill(file: string, steps: number): Promise<number> {
  const child = spawn(process.execPath, [packer, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    if (output.split('\n').length > steps) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return Number(output.split('\n').at(-2) ?? 0);
}

test(
  'kills at any moment of packing leave every entry once, and the next process goes on [3.3-3] [7.5-13]',
  { timeout: 180_000 },
  async () => {
    const file = path.join(tempFolder(onTestFinished), 'engine.db');
    for (const steps of fc.sample(fc.integer({ min: 1, max: 30 }), { seed: 3, numRuns: 12 })) {
      const acknowledged = await packAndKill(file, steps);
      const db = openFile(file);
      const storage = new SqliteStore(db).session('session');
      const { lastSeq } = storage;
      expect(lastSeq).toBeGreaterThanOrEqual(acknowledged);
      const expected = Array.from({ length: lastSeq - 2 }, (_, i) => entryAt(i + 3));
      const found = [1, 2].flatMap((conversationId) => storage.readEntries({ conversationId, limit: end }).items);
      expect(
        isDeepStrictEqual(
          found.toSorted((a, b) => a.id - b.id),
          expected,
        ),
      ).toBe(true);
      expect(isDeepStrictEqual([...storage.getEntries(expected.map(({ id }) => id)).values()], expected)).toBe(true);
      const stored = db
        .prepare('SELECT (SELECT count(*) FROM engine_entries) + (SELECT total(count) FROM engine_packs)')
        .pluck()
        .get();
      expect(stored).toBe(expected.length);
      expect(db.prepare('SELECT count(*) FROM engine_packs').pluck().get()).toBe(
        db.prepare('SELECT count(*) FROM engine_pack_contents').pluck().get(),
      );
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      db.close();
    }
  },
);
