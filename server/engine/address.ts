/**
 * Addresses of state (engine specification 4.1). Each binds scope, namespace, key and rewind policy, and carries the type of
 * what is stored there. Session and scratch addresses are never rewindable; for a conversation it is chosen per address.
 */
import type { Id, List, Scope, Value } from './records.ts';

interface ConversationState {
  /** Rewindable: a fork reads it as it was at the fork's entry. Otherwise sticky: one current value, not inherited. */
  readonly rewind: boolean;
  readonly key?: string;
}

export function sessionValue<T>(namespace: string, key?: string): Value<T> {
  return address({ session: true }, namespace, key, false);
}
export function sessionList<T>(namespace: string, key?: string): List<T> {
  return address({ session: true }, namespace, key, false);
}
export function conversationValue<T>(conversation: Id, namespace: string, state: ConversationState): Value<T> {
  return address({ conversation }, namespace, state.key, state.rewind);
}
export function conversationList<T>(conversation: Id, namespace: string, state: ConversationState): List<T> {
  return address({ conversation }, namespace, state.key, state.rewind);
}
/** State of one live task, gone when the task settles (4.6). */
export function scratchValue<T>(task: Id, namespace: string, key?: string): Value<T> {
  return address({ scratch: task }, namespace, key, false);
}
export function scratchList<T>(task: Id, namespace: string, key?: string): List<T> {
  return address({ scratch: task }, namespace, key, false);
}

function address(scope: Scope, namespace: string, key: string | undefined, rewind: boolean) {
  return key === undefined ? { scope, namespace, rewind } : { scope, namespace, key, rewind };
}
