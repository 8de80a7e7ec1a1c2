/** State that a new conversation begins with, whatever transcript it has (engine specification 4.3). Lists are never copied. */
import { bound } from './address.ts';
import type { ConversationValue } from './address.ts';
import type { Address, Id } from './records.ts';
import type { Tx } from './tx.ts';

/** An address that names a conversation stands for the same one of the new conversation. */
type Selected = Address | ConversationValue<unknown>;
export interface InitialValues {
  /** Copied as they are now in the conversation that it comes from; what is absent there stays absent. */
  readonly inherit?: readonly Selected[];
  /** Overrides what is copied. */
  readonly set?: readonly (readonly [Selected, unknown])[];
}

export function setInitialValues(tx: Tx, from: Id, to: Id, { inherit = [], set = [] }: InitialValues): void {
  const of = (selected: Selected, conversation: Id) => ({ ...bound(selected, conversation), scope: { conversation } });
  for (const selected of inherit) {
    const value = tx.soFar.value(of(selected, from));
    if (value !== undefined) tx.value(of(selected, to)).set(value);
  }
  for (const [selected, value] of set) tx.value(of(selected, to)).set(value);
}
