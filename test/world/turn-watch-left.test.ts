/** A program that goes away after its turn had ended: what happened since is nobody's of that turn. On a real worktree. */
import { expect, test } from 'vitest';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { TurnWatch } from '../../server/world/turn-watch.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { LedgerWorktrees } from './ledger-worktrees.ts';
import { write } from './worktrees.ts';

const now = 1_800_000_000_000;
const thread = { number: 1, current_conversation: 1, updated_at: now } as ThreadRow;

function entry(kind: LedgerEntry['kind'], id: number, content: object): LedgerEntry {
  const provenance = { harness: 'claude', source: 1, offset: 0, length: 0, translator: 1, trust: 'user' };
  return { id, conversationId: 1, kind, content: { at: now, provenance, ...content } } as unknown as LedgerEntry;
}

test('a turn that had ended keeps its end when its program goes away, and one that went on does not', async () => {
  await using at = new LedgerWorktrees();
  const root = at.worktrees.repository();
  const watch = new TurnWatch({
    snapshots: at.snapshots,
    folderOf: () => root,
    isChild: () => false,
    promptOf: () => Promise.resolve(undefined),
    isNew: (one) => at.table.knownWorktree(one) === undefined,
    onTaken: () => undefined,
    onFailed: (_root, fault) => expect.fail(fault.message),
    onHealed: () => undefined,
    onError: (error) => expect.fail(String(error)),
    log: () => undefined,
    now: () => now,
  });
  const causes = (): readonly string[] =>
    at.table
      .newest(100)
      .map(({ cause, entry: prompt }) => `${cause} ${prompt}`)
      .toReversed();
  watch.committed(thread, [entry('user', 5, { origin: 'typed', content: [] })]);
  await watch.flush();
  watch.committed(thread, [entry('turn', 6, { phase: 'completed' }), entry('setting', 7, {})]);
  await watch.flush();
  write(root, { 'mine.txt': 'by the person\n' });
  watch.left(thread);
  await watch.flush();
  expect(causes()).toEqual(['turnStart 5', 'turnEnd 5']);
  watch.committed(thread, [entry('step', 8, { details: {} })]);
  watch.left(thread);
  await watch.flush();
  expect(causes()).toEqual(['turnStart 5', 'turnEnd 5', 'turnEnd 5']);
  await watch.stop();
});
