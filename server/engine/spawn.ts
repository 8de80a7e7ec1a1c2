/**
 * Spawning a conversation to do something (engine specification 4.3, 5.7, 8.5): in one commit the child, the values that were chosen for
 * it, its prompt and its first generation. It is owned by the task whose execution spawns it; a host's own one is independent.
 */
import { bound } from './address.ts';
import { configOf, startGeneration } from './built-in-tasks.ts';
import { inheritableThrough } from './complete-exchange.ts';
import type { ConversationTx } from './conversation-tx.ts';
import { setInitialValues } from './initial-values.ts';
import type { InitialValues } from './initial-values.ts';
import type { Id } from './records.ts';
import { appendUser, userContent } from './user-input.ts';
import type { UserInput } from './user-input.ts';

export interface SpawnOptions {
  readonly prompt: UserInput;
  /** 'inherit': the context as it was at the last complete exchange before the one that is open. */
  readonly context: 'fresh' | 'inherit';
  /** Whatever is not selected is absent in the child. */
  readonly values?: InitialValues;
}
export interface Spawned {
  readonly conversation: Id;
  /** The prompt. */
  readonly entry: Id;
  readonly generation: Id;
}

/** Before the entries of its commit, when a selected value is rewindable. Throws Rejected `unknownKind` without user entries or generation. */
export function spawnIn(tx: ConversationTx, { prompt, context, values = {} }: SpawnOptions): Spawned {
  const { whole, conversationId } = tx;
  const at = context === 'inherit' ? inheritableThrough(whole.committed, whole.kinds, conversationId) : 0;
  const parent = { conversationId, at };
  const conversation = tx.createConversation({
    ...(at === 0 ? {} : { parent }),
    ...(tx.by === undefined ? {} : { owner: tx.by }),
  });
  const child = tx.in(conversation);
  if (at !== 0 && tx.by === undefined) withoutConfig(child, parent);
  setInitialValues(whole, conversationId, conversation, values);
  const entry = appendUser(child, userContent(prompt));
  return { conversation, entry, generation: startGeneration(child, entry) };
}

/**
 * State of an owned conversation is its own. One without an owner reads on in what it was forked from, as every fork does: there the
 * absence of declared configuration is recorded.
 */
function withoutConfig(child: ConversationTx, parent: { readonly conversationId: Id; readonly at: Id }): void {
  const { committed, kinds } = child.whole;
  for (const addr of kinds.behaviours.flatMap((kind) => Object.values(configOf(kind) ?? {})))
    if (addr.rewind && committed.getValue(bound(addr, parent.conversationId), parent.at) !== undefined)
      child.value(addr).delete();
}
