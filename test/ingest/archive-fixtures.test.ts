/** Real homes of every harness: read, deleted by their harness, written back byte for byte. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { absentWords } from '../../server/ledger/archive-absent.ts';
import { entriesAfter } from '../../server/ledger/transcript.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { Restored, sessionFiles } from './archive-home.ts';

const homes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ['claude', 'codex', 'pi', 'openclaw', 'gemini', 'antigravity', 'claude-desktop'].map((harness) => [
    harness,
    fs
      .readdirSync(path.join(fixtures, harness))
      .map((name) => `${harness}/${name}`)
      .filter((name) => fs.statSync(path.join(fixtures, name)).isDirectory()),
  ]),
);

for (const [harness, names] of Object.entries(homes))
  test(`every session file of ${harness} that is deleted comes back byte for byte, and its threads stay whole`, async () => {
    let files = 0;
    for (const name of names) {
      const home = copyHome(path.join(fixtures, name));
      await using read = new HomeLedger(home);
      await read.catchUp();
      const before = sessionFiles(read.ledger);
      files += before.size;
      const entries = await entriesOf(read);
      fs.rmSync(home, { recursive: true, force: true });
      await read.catchUp();
      expect(await entriesOf(read), name).toEqual(entries);
      for (const row of read.ledger.threads.newest(1000)) if (row.child === 0) expect(row.source_gone, name).toBe(1);
      if (before.size === 0) continue;
      using restored = new Restored(read.ledger, home);
      // What its program seals is never opened, and declared.
      const [sealed, others] = [true, false].map((is) => [...before].filter(([file]) => file.endsWith('.pb') === is));
      expect(Object.fromEntries(restored.files), name).toEqual(Object.fromEntries(others ?? []));
      expect(restored.missing, name).toEqual((sealed ?? []).map(([file]) => ({ path: file, reason: absentWords.sealed })));
      expect(read.ledger.archive.damaged(1).sources).toEqual([]);
    }
    expect(files).toBeGreaterThan(0);
  }, 240_000);

async function entriesOf({ ledger }: HomeLedger): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const thread of ledger.threads.newest(1000))
    if (thread.current_conversation !== 0)
      all.push(
        (await entriesAfter(ledger, thread.session, thread.current_conversation, 0, Number.MAX_SAFE_INTEGER)).entries.map(
          ({ id }) => id,
        ),
      );
  return all;
}
