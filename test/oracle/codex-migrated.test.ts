/**
 * `codex migrate-rollouts --apply` rewrites legacy rollouts in place as paginated ones. The ledger must not take that for new
 * work: what was said stays once, in one conversation, and forks stay forks.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contentKinds } from '../../server/ledger/kinds.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

const migrated = path.join(fixtures, 'codex-migrated');

async function conversations(home: HomeLedger): Promise<Readonly<Record<string, unknown>>> {
  const told: Record<string, unknown> = {};
  for (const thread of home.ledger.threads.newest(100)) {
    const native = home.ledger.natives.byThread(thread.number)[0];
    const entries = await allEntries(home.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
    told[native?.native_id ?? ''] = {
      title: thread.title,
      parent: thread.parent_thread,
      usage: [thread.usage_input, thread.usage_output, thread.usage_cache_read],
      branches: home.ledger.branches.byNative(native?.number ?? 0).length,
      said: entries.filter((entry) => contentKinds.has(entry.kind)).map((entry) => [entry.kind, entry.id]),
    };
  }
  return told;
}

test.each(fs.readdirSync(migrated))('%s: a home that Codex migrates keeps its threads as they were', async (name) => {
  const copy = copyHome(path.join(fixtures, 'codex', name));
  await using home = new HomeLedger(copy);
  await home.catchUp();
  const before = await conversations(home);
  fs.cpSync(path.join(migrated, name), copy, { recursive: true });
  const report = await home.catchUp();
  expect(report.records).toBeGreaterThan(0);
  expect(home.faults).toEqual([]);
  expect(await conversations(home)).toEqual(before);
  fs.rmSync(copy, { recursive: true });
});
