/** What a person, or a task for one, says to a conversation (engine specification 8.1, 9.1), and the entry that it becomes. */
import type { ConversationTx } from './conversation-tx.ts';
import type { Id, Json } from './records.ts';

/** The names under which the engine finds the entry kinds of what is said and what is answered. */
export const userEntry = 'user';
export const assistantEntry = 'assistant';

/** Content of a user entry, or its text. */
export type UserInput = string | { readonly [key: string]: Json | undefined };

export function userContent(input: UserInput): Json {
  return typeof input === 'string' ? { content: [{ type: 'text', text: input }] } : input;
}

/** Throws Rejected `unknownKind` when no user entries are registered. */
export function appendUser(tx: ConversationTx, content: Json, key?: string): Id {
  return tx.entry(tx.whole.kinds.entry(userEntry), content, key);
}
