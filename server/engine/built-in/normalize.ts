/**
 * From projected entries to what a model takes (engine specification 2.2): results right behind their calls, in call order; a
 * missing result supplied, for this request only; a result without its call left out; and what ended in an error or was aborted, with
 * what answers it. A result answers the newest earlier call of its id that has none yet. Pure; nothing of it is stored.
 */
import type { ContextEntry } from '../context.ts';
import type { Id } from '../records.ts';
import { callsOf, isSuccessful, textBlock } from './messages.ts';
import type { AssistantMessage, Message, ToolCallBlock, ToolResultMessage } from './messages.ts';

export interface PlacedMessage {
  readonly message: Message;
  /** The entry that it is of; undefined for a result that was supplied. */
  readonly entry: Id | undefined;
}
interface Placed extends PlacedMessage {
  readonly slots: readonly Slot[];
}
interface Slot {
  readonly call: ToolCallBlock;
  result?: PlacedMessage;
}

export const missingResultText = 'No result was recorded: the call was interrupted, and whether it took effect is unknown.';

/** A `Normalize`. */
export function normalizeExchanges(context: readonly ContextEntry<Message>[]): readonly Message[] {
  return exchangesOf(context).map(({ message }) => message);
}

/** As `normalizeExchanges`, with the entries that the messages are of. */
export function exchangesOf(context: readonly ContextEntry<Message>[]): readonly PlacedMessage[] {
  const placed: Placed[] = [];
  const open = new OpenCalls();
  for (const { entry, messages } of context)
    for (const message of messages) {
      if (message.role === 'toolResult') open.answer({ message, entry: entry.id }, message);
      else if (message.role !== 'assistant') placed.push({ message, entry: entry.id, slots: [] });
      else if (isSuccessful(message) && message.content.length > 0)
        placed.push({ message, entry: entry.id, slots: open.add(message) });
    }
  return placed.flatMap(({ message, entry, slots }) => [
    { message, entry },
    ...slots.map(({ call, result }) => result ?? { message: missingResult(call), entry: undefined }),
  ]);
}

/** Calls without a result so far, by id, the newest message's last. */
class OpenCalls {
  readonly #slots = new Map<string, Slot[][]>();

  add(message: AssistantMessage): readonly Slot[] {
    const slots = callsOf(message).map((call): Slot => ({ call }));
    for (const [id, ofId] of Map.groupBy(slots, ({ call }) => call.id)) {
      const waiting = this.#slots.get(id);
      if (waiting === undefined) this.#slots.set(id, [ofId]);
      else waiting.push(ofId);
    }
    return slots;
  }

  answer(result: PlacedMessage, { toolCallId }: ToolResultMessage): void {
    const waiting = this.#slots.get(toolCallId) ?? [];
    const newest = waiting.at(-1);
    const slot = newest?.shift();
    if (slot !== undefined) slot.result = result;
    if (newest?.length === 0) waiting.pop();
  }
}

function missingResult({ id, name }: ToolCallBlock): ToolResultMessage {
  return { role: 'toolResult', toolCallId: id, toolName: name, content: [textBlock(missingResultText)], isError: true };
}
