/** A conversation of the built-in entry kinds, said in few words, and kinds of a host beside them. */
import { assistantKind, summaryKind, systemKind, toolResultKind, userKind } from '../built-in/entry-kinds.ts';
import type { AssistantContent, ToolResultContent, UserContent } from '../built-in/entry-kinds.ts';
import { textBlock } from '../built-in/messages.ts';
import type { AssistantBlock, Message, StopReason } from '../built-in/messages.ts';
import type { SystemContent } from '../built-in/system.ts';
import type { ConversationHandle } from '../conversation.ts';
import { Engine } from '../engine.ts';
import { entryKind } from '../kinds.ts';
import type { EntryKind, Exchange } from '../kinds.ts';
import type { Id } from '../records.ts';
import type { Storage } from '../storage.ts';

/** Omits its target, or puts a user's text in its place. */
export const prune = entryKind<{ readonly target: Id; readonly text?: string }, Message>('prune', {
  edit: ({ content: { target, text } }) => [
    text === undefined
      ? { target, action: 'omit' }
      : { target, action: 'replace', messages: [{ role: 'user', content: [textBlock(text)] }] },
  ],
});
/** A part in exchanges that is just what its content says. */
export const part = entryKind<Exchange, Message>('part', { exchange: ({ content }) => content });
/** A head of a host that keeps a window of what was said last. */
export const windowHead = entryKind<{ readonly from: Id }, Message>('window', {
  head: ({ content }) => content.from,
  exchange: () => ({}),
});
/** A head that takes no part in exchanges. */
export const bareHead = entryKind<{ readonly from: Id }, Message>('bare_head', { head: ({ content }) => content.from });

export const hostKinds: readonly EntryKind<unknown, Message>[] = [prune, part, windowHead, bareHead];

export async function openTalk(storage: Storage): Promise<Engine<Message>> {
  return Engine.open<Message>(storage, { entryKinds: hostKinds, taskKinds: [] });
}

export function said(text: string): UserContent {
  return { content: [textBlock(text)] };
}

/** `ends`: how the message ended; with calls, 'toolUse' by default. */
export function answered(text: string, calls: readonly string[] = [], ends?: StopReason): AssistantContent {
  const blocks: readonly AssistantBlock[] = calls.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { id } }));
  return { content: [textBlock(text), ...blocks], stopReason: ends ?? (calls.length > 0 ? 'toolUse' : 'stop') };
}

export function resultOf(call: string, text = `result of ${call}`): ToolResultContent {
  return { toolCallId: call, toolName: 'read', content: [textBlock(text)], isError: false };
}

/** Says things one commit each; every method resolves with the id of its entry. */
export class Talk {
  readonly handle: ConversationHandle<Message>;

  constructor(handle: ConversationHandle<Message>) {
    this.handle = handle;
  }

  async user(text: string): Promise<Id> {
    return this.handle.commit((tx) => tx.entry(userKind, said(text)));
  }

  async assistant(text: string, calls?: readonly string[], ends?: StopReason): Promise<Id> {
    return this.handle.commit((tx) => tx.entry(assistantKind, answered(text, calls, ends)));
  }

  async result(call: string): Promise<Id> {
    return this.handle.commit((tx) => tx.entry(toolResultKind, resultOf(call), call));
  }

  async system(content: SystemContent): Promise<Id> {
    return this.handle.commit((tx) => tx.entry(systemKind, content));
  }

  async summary(retainFrom?: Id): Promise<Id> {
    return this.handle.commit((tx) =>
      tx.entry(summaryKind, { text: 'so far', ...(retainFrom === undefined ? {} : { retainFrom }) }),
    );
  }

  async fork(at: Id): Promise<Talk> {
    return new Talk(await this.handle.fork(at));
  }
}

/** Who speaks and what, in short: `user: hello`, `assistant: ok [a b]`, `a: result of a`. */
export function inShort(message: Message): string {
  const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' | ');
  switch (message.role) {
    case 'toolResult':
      return `${message.toolCallId}: ${text}`;
    case 'assistant': {
      const calls = message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
      return `assistant: ${text}${calls.length === 0 ? '' : ` [${calls.join(' ')}]`}`;
    }
    case 'system':
    case 'user':
      return `${message.role}: ${text}`;
  }
}
