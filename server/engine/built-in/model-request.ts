/**
 * A derived context as what a provider takes (engine specification 8.2). The newest baseline and the deltas behind it are what a
 * model is told; instructions before that baseline, which a compaction may retain, are subsumed and appear nowhere.
 */
import type { ContextEntry } from '../context.ts';
import { systemKind } from './entry-kinds.ts';
import { textBlock } from './messages.ts';
import type { Message, TextBlock, Tool } from './messages.ts';
import { normalizeExchanges } from './normalize.ts';
import { isInstructions, toldBy } from './system.ts';
import type { Instructions } from './system.ts';

export interface ModelRequest {
  /** For the provider's slot of its own. */
  readonly instructions: readonly TextBlock[];
  /** All that can be called now. */
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
}

/** What the model of this context has been told. Undefined: there is no baseline in it. An entry that an edit replaced does not count. */
export function toldIn(context: readonly ContextEntry<Message>[]): Instructions | undefined {
  return toldBy(
    context.flatMap(({ entry, messages }) => (systemKind.is(entry) && messages.some(isInstructions) ? [entry.content] : [])),
  );
}

/** For providers with system messages: the baseline in its slot, what changed since at its place. A prefix of it never changes. */
export function modelRequest(context: readonly ContextEntry<Message>[]): ModelRequest {
  const baseline = context.findLastIndex(({ messages }) => messages.some(isBaseline));
  const current = context.map(({ entry, messages }, i) => ({
    entry,
    messages: baseline !== -1 && i > baseline ? messages : messages.filter((message) => !isInstructions(message)),
  }));
  return {
    instructions: context[baseline]?.messages.findLast(isBaseline)?.content ?? [],
    tools: toldIn(context)?.tools ?? [],
    messages: normalizeExchanges(current),
  };
}

/** For providers without: everything told in one prompt as it is now, and remarks as a user's messages. */
export function modelRequestInOnePrompt(context: readonly ContextEntry<Message>[]): ModelRequest {
  const told = toldIn(context);
  const messages = normalizeExchanges(context).filter((message) => !isInstructions(message));
  return {
    instructions: (told?.sections ?? []).map(({ text }) => textBlock(text)),
    tools: told?.tools ?? [],
    messages: messages.map((message) => (message.role === 'system' ? { role: 'user', content: message.content } : message)),
  };
}

function isBaseline(message: Message): message is Message & { readonly role: 'system' } {
  return isInstructions(message) && message.instructions === 'baseline';
}
