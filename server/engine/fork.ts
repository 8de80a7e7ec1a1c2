/** Forking (engine specification 2.4, 4.3): the history through an entry by reference, rewindable state with it, sticky state where selected. */
import { setInitialValues } from './initial-values.ts';
import type { InitialValues } from './initial-values.ts';
import type { Id } from './records.ts';
import type { Tx } from './tx.ts';

export interface ForkOptions {
  /** Cancels the foreground of the source in the same commit: to go back to that point. */
  readonly abort?: boolean;
  readonly values?: InitialValues;
}

/** Values come before the entries of its commit. */
export function forkIn(tx: Tx, conversationId: Id, at: Id | 'start', values: InitialValues = {}): Id {
  const fork = tx.createConversation({ parent: { conversationId, at: at === 'start' ? 0 : at } });
  setInitialValues(tx, conversationId, fork, values);
  return fork;
}
