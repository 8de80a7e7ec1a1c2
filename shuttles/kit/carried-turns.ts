/**
 * The messages of a derived context as turns for a writer. Calls that the target knows stay calls, each with its one result; every other
 * call is *told*: a passage with its result as quoted data. Nothing is dropped but thinking, system prompts and blank texts: a result
 * without its call is told too, and so is a second one. Pure.
 */
import type { JsonObject } from '../contract/json.ts';
import type { AssistantMessage, ImageBlock, Message, ToolResultMessage, UserBlock } from '../contract/message.ts';

export interface CarriedResult {
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
}
export interface NativeCall {
  readonly name: string;
  readonly input: JsonObject;
}
export type CarriedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly image: ImageBlock }
  | ({ readonly kind: 'call'; readonly id: string; readonly result: CarriedResult } & NativeCall)
  /** `input` absent: only the result is there. `result` absent: none was recorded. */
  | {
      readonly kind: 'told';
      readonly name: string;
      readonly input: JsonObject | undefined;
      readonly result: CarriedResult | undefined;
    };
export type CarriedTurn =
  | { readonly role: 'user'; readonly blocks: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly parts: readonly CarriedPart[] };

/** Stands for a result that was never recorded; it says so, so that nobody takes it for the tool's own words. */
export const missingResult: CarriedResult = {
  content: [{ type: 'text', text: '[Interrupted: no result of this call was recorded, so whether it took effect is unknown.]' }],
  isError: true,
};

/** `native`: the target's own form of a call; undefined: it has none. */
export function carriedTurns(
  messages: readonly Message[],
  native: (name: string, input: JsonObject) => NativeCall | undefined,
): readonly CarriedTurn[] {
  const { answers, answering } = paired(messages);
  const turns: CarriedTurn[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        // Every harness brings its own system prompt.
        break;
      case 'user': {
        const blocks = message.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
        if (blocks.length > 0) turns.push({ role: 'user', blocks });
        break;
      }
      case 'assistant':
        addParts(
          turns,
          partsOf(message, (block) => answers.get(place(index, block)), native),
        );
        break;
      case 'toolResult':
        if (!answering.has(index)) addParts(turns, [{ kind: 'told', name: message.toolName, input: undefined, result: message }]);
        break;
    }
  }
  return turns;
}

/** A result answers the newest call of its id, once, wherever it stands: ids are used again, and results come late. */
function paired(messages: readonly Message[]): {
  readonly answers: ReadonlyMap<string, ToolResultMessage>;
  readonly answering: ReadonlySet<number>;
} {
  const open = new Map<string, string>();
  const answers = new Map<string, ToolResultMessage>();
  const answering = new Set<number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant')
      for (const [at, block] of message.content.entries()) if (block.type === 'toolCall') open.set(block.id, place(index, at));
    if (message.role !== 'toolResult') continue;
    const call = open.get(message.toolCallId);
    if (call === undefined) continue;
    open.delete(message.toolCallId);
    answers.set(call, message);
    answering.add(index);
  }
  return { answers, answering };
}

/** By place, since one block may be given twice. */
function place(message: number, block: number): string {
  return `${message}:${block}`;
}

function partsOf(
  message: AssistantMessage,
  answer: (block: number) => ToolResultMessage | undefined,
  native: (name: string, input: JsonObject) => NativeCall | undefined,
): readonly CarriedPart[] {
  return message.content.flatMap((block, at): readonly CarriedPart[] => {
    switch (block.type) {
      case 'text':
        return block.text.trim() === '' ? [] : [{ kind: 'text', text: block.text }];
      case 'image':
        return [{ kind: 'picture', image: block }];
      case 'thinking':
        return [];
      case 'toolCall': {
        const result = answer(at);
        const call = native(block.name, block.arguments);
        return call === undefined
          ? [{ kind: 'told', name: block.name, input: block.arguments, result }]
          : [{ kind: 'call', id: block.id, ...call, result: result ?? missingResult }];
      }
    }
  });
}

/** Two answers in a row are one message, as long as the first one asked for nothing. */
function addParts(turns: CarriedTurn[], added: readonly CarriedPart[]): void {
  if (added.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === 'assistant' && !last.parts.some((part) => part.kind === 'call')) {
    turns[turns.length - 1] = { role: 'assistant', parts: [...last.parts, ...added] };
  } else turns.push({ role: 'assistant', parts: added });
}
