/**
 * A raw watch (engine specification 9.4): the commits themselves, for a receiver with a storage of its own. Of a conversation: every
 * commit that touches it, whole, so that nothing of it is missing, and what else such a commit wrote is there too. Of the session: every
 * commit. The view only says where the receiver is.
 */
import type { CommitBatch, Id, MainWrite } from './records.ts';
import type { EndEvent } from './view.ts';

export interface CommitView {
  /** Commits through this one are not told. Of a fresh capture: what a receiver must have already. */
  readonly readAt: Id;
  readonly faulted: boolean;
  readonly closed: boolean;
}
export type CommitEvent = { readonly seq: Id } & (
  { readonly type: 'commit'; readonly first: Id; readonly last: Id; readonly batch: CommitBatch } | EndEvent
);

/** Pure, as the other views' reducers. */
export function applyCommitEvents(view: CommitView, events: readonly CommitEvent[]): CommitView {
  return events.reduce<CommitView>((before, event) => {
    const readAt = Math.max(before.readAt, event.seq);
    switch (event.type) {
      case 'commit':
        return { ...before, readAt };
      case 'fault':
        return { ...before, readAt, faulted: true };
      case 'closed':
        return { ...before, readAt, closed: true };
    }
  }, view);
}

/** The conversations that a batch touches: their records, entries, tasks and state. `of`: whose a task is that was there before. */
export function touched(writes: readonly MainWrite[], of: (task: Id) => Id | undefined): ReadonlySet<Id> {
  const found = new Set<Id>();
  const tasks = new Map<Id, Id>();
  const ofTask = (task: Id): void => {
    const conversation = tasks.get(task) ?? of(task);
    if (conversation !== undefined) found.add(conversation);
  };
  for (const write of writes) {
    switch (write.type) {
      case 'entry':
        found.add(write.entry.conversationId);
        break;
      case 'task':
        tasks.set(write.task.id, write.task.conversationId);
        found.add(write.task.conversationId);
        break;
      case 'patch':
      case 'settle':
        ofTask(write.id);
        break;
      case 'createConversation':
        found.add(write.conversation.id);
        if (write.conversation.owner !== undefined) ofTask(write.conversation.owner);
        break;
      case 'deleteConversation':
        found.add(write.id);
        break;
      case 'value.set':
      case 'value.delete':
      case 'list.append':
      case 'list.remove':
      case 'list.clear':
        if ('conversation' in write.addr.scope) found.add(write.addr.scope.conversation);
        break;
    }
  }
  return found;
}
