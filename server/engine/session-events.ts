/** The events of one batch for those who watch the session (engine specification 9.4). */
import type { Address, Conversation, Id, Json, MainWrite } from './records.ts';
import { addressKey } from './storage.ts';
import { usage } from './usage.ts';
import type { UsageRow, UsageTotals } from './usage.ts';
import type { SessionEvent } from './view.ts';

export interface KeyedEvent {
  readonly event: SessionEvent;
  /** Of a value: only for those who asked for it. */
  readonly key?: string;
}

/** `before`: the conversations that the batch deletes. `totals`: as the batch leaves them. */
export function sessionEvents(
  writes: readonly MainWrite[],
  first: Id,
  before: ReadonlyMap<Id, Conversation>,
  totals: () => UsageTotals | undefined,
): readonly KeyedEvent[] {
  return writes.flatMap((write, i): KeyedEvent[] => {
    const seq = first + i;
    switch (write.type) {
      case 'createConversation':
        return [{ event: { type: 'conversation', conversation: write.conversation, change: 'created', seq } }];
      case 'deleteConversation': {
        const conversation = before.get(write.id) ?? { id: write.id };
        return [{ event: { type: 'conversation', conversation, change: 'deleted', seq } }];
      }
      case 'value.set':
        return [valueEvent(write.addr, write.value, seq)];
      case 'value.delete':
        return [valueEvent(write.addr, undefined, seq)];
      case 'list.append':
        return addressKey(write.addr) === usageKey ? usageEvent(write.value as unknown as UsageRow, totals(), seq) : [];
      case 'entry':
      case 'task':
      case 'patch':
      case 'settle':
      case 'list.remove':
      case 'list.clear':
        return [];
    }
  });
}

const usageKey = addressKey(usage);

/** Rows and totals are written together; one without the other tells nothing. */
function usageEvent(row: UsageRow, totals: UsageTotals | undefined, seq: Id): KeyedEvent[] {
  return totals === undefined ? [] : [{ event: { type: 'usage', row, totals, seq } }];
}

function valueEvent(addr: Address, value: Json | undefined, seq: Id): KeyedEvent {
  return { event: { type: 'value', addr, value, seq }, key: addressKey(addr) };
}
