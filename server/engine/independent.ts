/** Conversations that no task owns (engine specification 9.1), by pages of as many as were asked for, whatever stands between them. */
import type { Conversation } from './records.ts';
import type { ConversationQuery, Page, StorageReads } from './storage.ts';

const pageSize = 256;

export function independent(reads: StorageReads, { limit, ...query }: ConversationQuery): Page<Conversation> {
  const found: Conversation[] = [];
  let cursor = query;
  for (;;) {
    const page = reads.scanConversations({ ...cursor, limit: Math.max(pageSize, limit) });
    for (const conversation of page.items) if (conversation.owner === undefined) found.push(conversation);
    if (found.length > limit || page.next === undefined) {
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return found.length > limit && last !== undefined
        ? { items, next: last.id, readAt: page.readAt }
        : { items, readAt: page.readAt };
    }
    cursor = { ...query, ...(query.before === undefined ? { after: page.next } : { before: page.next }) };
  }
}
