/**
 * From derived context entries to the messages a model is given: pieces of one native message joined, tool results right
 * behind their calls in call order, a missing result supplied, a result without its call left out (engine specification 2.2).
 * Pure. Nothing here changes what is stored.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolCallBlock,
  ToolResultMessage,
} from '../../shuttles/contract/message.ts';

/** A context entry as the engine derives it: its id, kind, content and projected messages. */
export interface ContextPiece {
  readonly id: number;
  readonly kind: string;
  readonly messageId: string | undefined;
  /** The harness put it there by itself (reminders, environment): it means nothing to another harness. */
  readonly harnessMade: boolean;
  /** A text in the user role that no person of this machine wrote: people of a chat, a mail or page, an extension. */
  readonly relayed?: 'chat' | 'web' | 'tool' | undefined;
  /** Of a hand-over: its first message is the baton. */
  readonly baton?: 'compiled' | 'edited' | undefined;
  readonly messages: readonly Message[];
}

export interface ContextMessage {
  readonly message: Message;
  /** Entries that it was made from. */
  readonly entries: readonly number[];
  readonly harnessMade: boolean;
  /** Nobody's word here: data for whoever it is carried to. */
  readonly relayed?: 'chat' | 'web' | 'tool';
  /** It is the newest head's: a summary, or a baton. */
  readonly head: boolean;
  /** The text of a hand-over. The next one is compiled anew from the whole history, so only what a person wrote into it goes on. */
  readonly baton?: 'compiled' | 'edited';
}

export const interruptedResult = 'The call was interrupted: no result was recorded, so whether it took effect is unknown.';

export function normalizeContext(pieces: readonly ContextPiece[]): readonly ContextMessage[] {
  const results = new Map<string, { message: ToolResultMessage; entry: number }[]>();
  for (const piece of pieces)
    for (const message of piece.messages)
      if (message.role === 'toolResult') push(results, message.toolCallId, { message, entry: piece.id });

  const joined = joinMessages(pieces);
  const out: ContextMessage[] = [];
  for (const { message, entries, harnessMade, relayed, head, baton } of joined) {
    if (message.role === 'toolResult') continue;
    if (message.role !== 'assistant') {
      if (message.content.length > 0)
        out.push({ message, entries, harnessMade, ...relayedOf(relayed), head, ...(baton === undefined ? {} : { baton }) });
      continue;
    }
    const content = message.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
    if (content.length === 0) continue;
    out.push({ message: { ...message, content }, entries, harnessMade, head });
    for (const call of content) {
      if (call.type !== 'toolCall') continue;
      const found = results.get(call.id)?.shift();
      const result = found === undefined ? missing(call) : { ...found.message, toolName: found.message.toolName || call.name };
      out.push({ message: result, entries: found === undefined ? entries : [found.entry], harnessMade: false, head: false });
    }
  }
  return out;
}

function relayedOf(relayed: ContextPiece['relayed']): Pick<ContextMessage, 'relayed'> {
  return relayed === undefined ? {} : { relayed };
}

/** Pieces with one message id become one assistant message at the place of the first, wherever the others stand. */
function joinMessages(pieces: readonly ContextPiece[]): readonly ContextMessage[] {
  const open = new Map<string, { content: AssistantBlock[]; message: AssistantMessage; entries: number[] }>();
  const out: {
    message: Message;
    entries: number[];
    harnessMade: boolean;
    relayed?: 'chat' | 'web' | 'tool';
    head: boolean;
    baton?: 'compiled' | 'edited';
  }[] = [];
  for (const piece of pieces) {
    const { harnessMade } = piece;
    const head = piece.kind === 'summary' || piece.kind === 'handoff' || piece.kind === 'reset';
    for (const [index, message] of piece.messages.entries()) {
      if (message.role !== 'assistant' || piece.messageId === undefined) {
        const baton = index === 0 ? piece.baton : undefined;
        const marks = { ...relayedOf(piece.relayed), ...(baton === undefined ? {} : { baton }) };
        out.push({ message, entries: [piece.id], harnessMade, head, ...marks });
        continue;
      }
      const known = open.get(piece.messageId);
      if (known === undefined) {
        const content = [...message.content];
        const joined = { ...message, content };
        const entries = [piece.id];
        open.set(piece.messageId, { content, message: joined, entries });
        out.push({ message: joined, entries, harnessMade, head });
      } else {
        known.content.push(...message.content);
        known.entries.push(piece.id);
      }
    }
  }
  return out;
}

function missing(call: ToolCallBlock): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: interruptedResult }],
    isError: true,
  };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
