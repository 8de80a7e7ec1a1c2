/**
 * Addresses of state (engine specification 4.1). Each binds scope, namespace, key and rewind policy, and carries the type of
 * what is stored there. Session and scratch addresses are never rewindable; for a conversation it is chosen per address.
 * State of a conversation or of a task's scratch is declared without saying whose: a handle, a commit or `bound` says that.
 */
import type { Address, Id, List, Value } from './records.ts';

interface ConversationState {
  /** Rewindable: a fork reads it as it was at the fork's entry. Otherwise sticky: one current value, not inherited. */
  readonly rewind: boolean;
  readonly key?: string;
}
interface Unbound<Of extends 'conversation' | 'scratch'> {
  readonly of: Of;
  readonly namespace: string;
  readonly key?: string;
  readonly rewind: boolean;
}
export interface ConversationValue<T> extends Unbound<'conversation'> {
  readonly __value?: T;
}
export interface ConversationList<T> extends Unbound<'conversation'> {
  readonly __list?: T;
}
export interface ScratchValue<T> extends Unbound<'scratch'> {
  readonly __value?: T;
}
export interface ScratchList<T> extends Unbound<'scratch'> {
  readonly __list?: T;
}

export function sessionValue<T>(namespace: string, key?: string): Value<T> {
  return { scope: { session: true }, namespace, ...(key === undefined ? {} : { key }), rewind: false };
}
export function sessionList<T>(namespace: string, key?: string): List<T> {
  return sessionValue(namespace, key);
}
export function conversationValue<T>(namespace: string, state: ConversationState): ConversationValue<T> {
  return { of: 'conversation', namespace, ...(state.key === undefined ? {} : { key: state.key }), rewind: state.rewind };
}
export function conversationList<T>(namespace: string, state: ConversationState): ConversationList<T> {
  return conversationValue(namespace, state);
}
/** State of one live task, gone when the task settles (4.6). */
export function scratchValue<T>(namespace: string, key?: string): ScratchValue<T> {
  return { of: 'scratch', namespace, ...(key === undefined ? {} : { key }), rewind: false };
}
export function scratchList<T>(namespace: string, key?: string): ScratchList<T> {
  return scratchValue(namespace, key);
}

/** That conversation's, or that task's, state; an address that says whose it is already stays as it is. */
export function bound<T>(addr: Value<T> | ConversationValue<T> | ScratchValue<T>, id: Id): Value<T>;
export function bound<T>(addr: List<T> | ConversationList<T> | ScratchList<T>, id: Id): List<T>;
export function bound(addr: Address | Unbound<'conversation' | 'scratch'>, id: Id): Address {
  if ('scope' in addr) return addr;
  const { of, namespace, key, rewind } = addr;
  const scope = of === 'conversation' ? { conversation: id } : { scratch: id };
  return key === undefined ? { scope, namespace, rewind } : { scope, namespace, key, rewind };
}
