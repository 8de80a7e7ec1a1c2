/**
 * Cancellation (engine specification 6.3): a durable mark, then cleanup. A mark is the intent; the driver brings it to a running call and
 * then has the task's kind settle it. Everything here is part of its caller's one commit, so that of a mark and a settlement one is
 * first on the line: a successor exists either marked or not at all.
 */
import { bound } from './address.ts';
import { Rejected } from './errors.ts';
import { foregroundTasks } from './foreground.ts';
import { inbox } from './inbox.ts';
import type { InboxMode } from './inbox.ts';
import type { Id } from './records.ts';
import { end } from './storage.ts';
import type { Tx } from './tx.ts';

/** A second mark changes nothing. Throws Rejected `unknownTask`, or `taskIsTerminal`. */
export function markTask(tx: Tx, id: Id): void {
  const task = tx.committed.getTaskHeaders([id]).get(id);
  if (task === undefined) throw new Rejected('unknownTask', `there is no task ${id}`);
  if (task.role === 'terminal') throw new Rejected('taskIsTerminal', `task ${id} is ${task.status}, which is final`);
  if (task.abort !== true) tx.patch(id, { abort: true });
}

/** Background work and detached children are left alone. */
function markForeground(tx: Tx, conversation: Id): void {
  for (const { id, abort } of foregroundTasks(tx.committed, conversation)) if (abort !== true) tx.patch(id, { abort: true });
}

/** Marks the foreground and cancels queued steer and followUp input; what was to be written, or is for the next run, stays. */
export function abortForeground(tx: Tx, conversation: Id): void {
  if (tx.getConversation(conversation) === undefined)
    throw new Rejected('unknownConversation', `there is no conversation ${conversation}`);
  markForeground(tx, conversation);
  drain(tx, conversation, (mode) => mode === 'steer' || mode === 'followUp');
}

/** Marks all live work of the session, background work too, and cancels all queued input. */
export function abortEverything(tx: Tx): void {
  for (const { id } of tx.committed.scanTaskHeaders({ live: true, abort: false, limit: end }).items)
    tx.patch(id, { abort: true });
  for (const { id } of tx.committed.scanConversations({ limit: end }).items) drain(tx, id, () => true);
}

function drain(tx: Tx, conversation: Id, isCancelled: (mode: InboxMode) => boolean): void {
  const list = tx.list(bound(inbox, conversation));
  for (const { id, value } of list.read().items) if (isCancelled(value.mode)) list.remove(id);
}
