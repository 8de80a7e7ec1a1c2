/**
 * The last step of a hand-over, one transaction: a fork conversation that begins with the `handoff` entry, the native session that goes on
 * with it (register-session.ts), the lease raised by one, what the person agreed to, and the task done. It holds the thread only as it was
 * composed: one that moved meanwhile is refused, so that nobody is ever given a thread that somebody else drives.
 */
import type { TaskContext } from '../engine/task-context.ts';
import type { Task } from '../engine/records.ts';
import type { ContinueState } from '../ledger/continue-task.ts';
import { entryKinds } from '../ledger/kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import { leaseOf } from './handoff.ts';
import type { Handoff, Lease } from './handoff.ts';
import { acquireLease } from './lease.ts';
import { movedSince } from './position.ts';
import { registerSession } from './register-session.ts';

/** Throws `Fault` C009; then, and after any other error, nothing was written. `settling` is called inside the transaction. */
export async function registerHandoff(
  ledger: Ledger,
  handoff: Handoff,
  task: Task<ContinueState>,
  context: TaskContext,
  settling: () => void,
): Promise<void> {
  const { thread, tip } = handoff;
  const lease: Lease = { epoch: task.state.epoch + 1, holder: handoff.shuttle.harness };
  await context.commit(
    (tx) => {
      const current = tx.value(leaseOf(thread.id));
      const row = ledger.threads.byNumber(thread.number);
      const moved = movedSince(context.engine, thread, tip, row, current.get()?.epoch ?? 0);
      if (moved !== undefined || row === undefined) throw new Fault('C009', moved ?? '');
      current.set(lease);
      const conversation = tx.createConversation({ parent: { conversationId: thread.current_conversation, at: tip } });
      const entry = tx.in(conversation).entry(entryKinds.handoff, handoff.content);
      tx.settle(task, 'done', { entry });
      return { row, conversation, entry };
    },
    {
      within: (made) => {
        record(ledger, handoff, lease, made);
        settling();
      },
    },
  );
}

interface Made {
  readonly row: ThreadRow;
  readonly conversation: number;
  readonly entry: number;
}

/** The ledger's own rows of it. */
function record(ledger: Ledger, handoff: Handoff, lease: Lease, { row, conversation, entry }: Made): void {
  const { id, carrier, tip, disclosure, agreement, folder, thread, at } = handoff;
  const { harness } = handoff.shuttle;
  const native = registerSession(ledger, handoff, row, { conversation, entry }, (number) =>
    ledger.branches.put({
      session: row.session,
      conversation,
      native: number,
      parent_conversation: row.current_conversation,
      parent_entry: tip,
      last_content: entry,
      last_entry: entry,
      entries: 1,
      title: '',
    }),
  );
  ledger.threads.update({
    ...row,
    current_native: native,
    current_conversation: conversation,
    current_entry: null,
    harness,
    surface: 'cli',
    updated_at: Math.max(row.updated_at, at),
    entries: row.entries + 1,
    ...acquireLease(ledger, row, { epoch: lease.epoch, harness, native, at }),
    last_turn: null,
  });
  ledger.handoffs.end(harness, id, 'done');
  if (agreement === 'always') ledger.consents.remember({ folder, from: thread.harness, to: harness }, at);
  ledger.audit(at, 'handoff', row.id, JSON.stringify({ ...disclosure, mode: carrier.mode, consent: agreement }));
}
