/** The session that Loom writes for another harness is a session file like any other: deleted, it comes back. */
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { Restored, sha256Of } from '../ingest/archive-home.ts';
import { handOver } from './hand-over.ts';
import { codexFiles, ledgerOf } from './read-home.ts';

test('what Loom wrote is archived with the hand-over itself, also when it is deleted before anybody read it', async () => {
  await using home = await ledgerOf();
  const { path: file } = await handOver(home, {});
  expect(codexFiles(home)).toHaveLength(1);
  const written = sha256Of(file);
  fs.rmSync(file);
  using back = new Restored(home.ledger, home.home);
  expect(back.files.get(file)).toBe(written);
  expect(back.missing).toEqual([]);
});
