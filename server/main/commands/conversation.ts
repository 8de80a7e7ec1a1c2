/** Which conversation of a thread a command means: the current one, a subagent's that was named by its native id, or one by number. */
import { Fault } from '../../protocol/faults.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { conversationOf } from '../../ledger/lookup.ts';
import type { ThreadRow } from '../../ledger/threads-table.ts';

export function conversationArgument(
  ledger: Ledger,
  thread: ThreadRow,
  name: string,
  given?: number,
): { readonly conversation: number; readonly through: number | null } {
  const conversation = given ?? conversationOf(ledger, thread, name);
  if (given !== undefined && ledger.branches.get(thread.session, given) === undefined)
    throw new Fault('T003', `${thread.id} has no conversation ${given}.`);
  return { conversation, through: conversation === thread.current_conversation ? thread.current_entry : null };
}
