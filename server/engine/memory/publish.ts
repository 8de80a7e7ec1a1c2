/** A prepared batch becomes what readers see. Cannot fail, and runs without giving up the thread: nobody sees half of a batch. */
import type { Id } from '../records.ts';
import type { PreparedBatch, PreparedState, PreparedWrite } from './prepare.ts';
import type { MemoryRecords } from './records.ts';

export function publish(records: MemoryRecords, batch: PreparedBatch): void {
  if (batch.kind === 'main') batch.writes.forEach((write, i) => publishMain(records, write, batch.first + i));
  else batch.writes.forEach((write, i) => publishScratch(records, write, batch.first + i));
  if (batch.last > records.lastSeq) records.lastSeq = batch.last;
}

function publishMain(records: MemoryRecords, write: PreparedWrite, seq: Id): void {
  const { conversations, entries, tasks } = records;
  switch (write.type) {
    case 'createConversation': {
      const { owner } = write.conversation;
      return conversations.add(write.conversation, owner === undefined ? undefined : tasks.conversationOf(owner));
    }
    case 'deleteConversation':
      return conversations.markDeleted(write.id, seq);
    case 'entry':
      return entries.add(write.header, write.text);
    case 'task':
      tasks.add(write.task);
      return conversations.addOwner(write.task.id, write.task.conversationId);
    case 'change':
      tasks.change(write.id, write.change);
      if (write.change.role === 'terminal') records.retire(write.id);
      return;
    case 'value.set':
    case 'value.delete':
    case 'list.append':
    case 'list.remove':
    case 'list.clear':
      return write.rewind ? publishRewindable(records, write, seq) : publishCurrent(records, write, seq);
  }
}

function publishRewindable({ values, lists }: MemoryRecords, write: PreparedState, seq: Id): void {
  switch (write.type) {
    case 'value.set':
      return values.addVersion(write.place, seq, write.text);
    case 'value.delete':
      return values.addVersion(write.place, seq, null);
    case 'list.append':
      return lists.appendRewindable(write.place, seq, write.text);
    case 'list.remove':
      return lists.markRemoved(write.place, write.element, seq);
    case 'list.clear':
      return lists.markCleared(write.place, seq);
  }
}

function publishCurrent({ values, lists }: Pick<MemoryRecords, 'values' | 'lists'>, write: PreparedState, seq: Id): void {
  switch (write.type) {
    case 'value.set':
      return values.set(write.place, seq, write.text);
    case 'value.delete':
      return values.delete(write.place);
    case 'list.append':
      return lists.append(write.place, seq, write.text);
    case 'list.remove':
      return lists.remove(write.place, write.element);
    case 'list.clear':
      return lists.clear(write.place);
  }
}

function publishScratch({ scratchValues, scratchLists }: MemoryRecords, write: PreparedState, seq: Id): void {
  publishCurrent({ values: scratchValues, lists: scratchLists }, write, seq);
}
