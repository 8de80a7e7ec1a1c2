/**
 * The foreground set (engine specification 5.6): a conversation's live foreground tasks and, through any of them that owns a
 * conversation, that conversation's foreground set. Busy and abort are defined on it. One query a level of ownership.
 */
import type { Id, TaskHeader } from './records.ts';
import { end } from './storage.ts';
import type { StorageReads } from './storage.ts';

export function foregroundTasks(storage: StorageReads, conversation: Id): readonly TaskHeader[] {
  const found: TaskHeader[] = [];
  for (let level: readonly Id[] = [conversation]; level.length > 0;) {
    const live = storage.scanTaskHeaders({ conversationIds: level, live: true, background: false, limit: end }).items;
    for (const task of live) found.push(task);
    level = live.flatMap(({ owns = [] }) => owns);
  }
  return found;
}

/** Its foreground set is not empty. That reaches further only through live foreground tasks of the conversation itself. */
export function isBusy(storage: StorageReads, conversation: Id): boolean {
  return storage.scanTaskHeaders({ conversationIds: [conversation], live: true, background: false, limit: 1 }).items.length > 0;
}
