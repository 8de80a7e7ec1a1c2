/** Where a thread stands: what was carried is of one position, and a thread that has left it is carried anew. */
import type { Engine } from '../engine/engine.ts';
import { end } from '../engine/storage.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';

/** The entry that the thread goes on from; undefined: it has none. */
export function tipOf(engine: Engine, thread: ThreadRow): number | undefined {
  if (thread.current_entry !== null) return thread.current_entry;
  return engine.entryHeaders(thread.current_conversation, { before: end, limit: 1 }).items[0]?.id;
}

/** How the thread has moved since it stood at `tip` as in `before`, in a sentence; undefined: it has not. */
export function movedSince(
  engine: Engine,
  before: ThreadRow,
  tip: number,
  now: ThreadRow | undefined,
  epoch: number,
): string | undefined {
  if (now === undefined) return 'It is not in the ledger any more.';
  if (epoch !== before.lease_epoch) return `It was carried to ${harnessNames[now.harness]} meanwhile.`;
  if (now.current_conversation !== before.current_conversation) return 'It is on another branch now.';
  if (tipOf(engine, now) !== tip) return 'There are new records of it.';
  return undefined;
}
