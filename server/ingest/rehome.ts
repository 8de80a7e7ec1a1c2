/**
 * A native session that turns out to belong to another one's thread after it was read: Codex writes an imported thread first and tells
 * where it is from in a file beside it later. Its conversations are withdrawn, and it is read again in its new place. Its former thread's
 * row stays for those who hold its id, and is listed no more.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import { withdraw } from './withdrawal.ts';

/** One transaction. The row of the former thread; undefined: the session cannot move, since others stand in its thread. */
export function rehome(ledger: Ledger, native: NativeRow, origin: NativeRow): number | undefined {
  const former = ledger.threads.byNumber(native.thread);
  const alone = ledger.natives.byThread(native.thread).length === 1 && ledger.natives.children(native.number).length === 0;
  const forked = ledger.threads.bySession(native.session).length > 1;
  if (former === undefined || !alone || forked || native.written_by_loom === 1 || native.session === origin.session)
    return undefined;
  ledger.transact(() => {
    // No source is the better one here: all of the session's are read again.
    withdraw(ledger, native, 0, []);
    ledger.natives.move(native.number, origin.thread, origin.session);
    const emptied = { entries: 0, turns: 0, usage_input: 0, usage_output: 0, usage_cache_read: 0, usage_cache_write: 0 };
    ledger.threads.update({
      ...former,
      ...emptied,
      child: 1,
      current_native: null,
      current_conversation: 0,
      current_entry: null,
    });
  });
  return former.number;
}
