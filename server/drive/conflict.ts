/**
 * Ends a conflict of a thread as the person says: a session that had lost the lease was gone on with. `keep`: it stays as it is, on a
 * branch of its own, and what it writes from now on is a new conflict. `follow`: it gets the lease, and its branch becomes the current
 * one. Each is one transaction: a kill leaves the conflict open or ended.
 */
import type { ConflictChoice, ConflictRow } from '../ledger/conflicts-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import type { SessionFacts } from '../../shuttles/contract/read.ts';
import { leaseOf } from './handoff.ts';
import type { Lease } from './handoff.ts';
import { acquireLease } from './lease.ts';
import { liveHandovers } from './live-handovers.ts';
import { turnIn } from './turn-state.ts';

/**
 * The oldest open conflict is ended: the one that is shown. Returns the lease then; undefined: it had ended already, or is kept. Throws
 * `Fault` C008 when a hand-over of the thread is under way. `settling` is called inside the transaction.
 */
export async function endConflict(
  ledger: Ledger,
  thread: ThreadRow,
  choice: ConflictChoice,
  at: number,
  settling: () => void = () => undefined,
): Promise<Lease | undefined> {
  const conflict = ledger.conflicts?.openOf(thread.number)[0];
  if (conflict === undefined) return undefined;
  if (choice === 'follow') return follow(ledger, thread, conflict, at, settling);
  ledger.transact(() => {
    ledger.conflicts?.end(conflict.number, at, 'keep');
    audit(ledger, thread, conflict, choice, at);
    settling();
  });
  return undefined;
}

async function follow(
  ledger: Ledger,
  thread: ThreadRow,
  { number }: ConflictRow,
  at: number,
  settling: () => void,
): Promise<Lease | undefined> {
  using held = await ledger.hold(thread.session);
  const { engine } = held;
  return engine
    .commit(
      (tx) => {
        const row = ledger.threads.byNumber(thread.number);
        const conflict = ledger.conflicts?.openOf(thread.number).find((open) => open.number === number);
        const native = conflict === undefined ? undefined : ledger.natives.byNumber(conflict.native);
        if (row === undefined || conflict === undefined || native === undefined) return undefined;
        if (liveHandovers(engine).some(({ state }) => state.thread === thread.id)) throw new Fault('C008', thread.id);
        const current = tx.value(leaseOf(thread.id));
        const lease: Lease = { epoch: (current.get()?.epoch ?? row.lease_epoch) + 1, holder: native.harness };
        current.set(lease);
        return { ...lease, moved: { row, conflict, native, turn: turnIn(engine, conflict.conversation, native.harness) } };
      },
      {
        within: (made) => {
          if (made === undefined) return;
          const { row, conflict, native, turn } = made.moved;
          ledger.conflicts?.end(conflict.number, at, 'follow');
          const { surface, branch, model } = factsOf(native);
          ledger.threads.update({
            ...row,
            ...acquireLease(ledger, row, { epoch: made.epoch, harness: native.harness, native: native.number, at }),
            current_native: native.number,
            current_conversation: conflict.conversation,
            current_entry: null,
            harness: native.harness,
            surface: surface ?? row.surface,
            branch: branch ?? row.branch,
            model: model ?? row.model,
            last_turn: turn,
          });
          audit(ledger, row, conflict, 'follow', at);
          settling();
        },
      },
    )
    .then((made) => (made === undefined ? undefined : { epoch: made.epoch, holder: made.holder }));
}

function factsOf(native: NativeRow): SessionFacts {
  return JSON.parse(native.facts) as SessionFacts;
}

function audit(ledger: Ledger, thread: ThreadRow, conflict: ConflictRow, choice: ConflictChoice, at: number): void {
  const { native, conversation, entries, began_at } = conflict;
  const session = ledger.natives.byNumber(native);
  const detail = { choice, harness: session?.harness, nativeId: session?.native_id, conversation, entries, since: began_at };
  ledger.audit(at, 'conflict', thread.id, JSON.stringify(detail));
}
