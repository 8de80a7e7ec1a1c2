/**
 * What of a thread's context goes to another harness: what was said, done and answered. Not: thinking and signatures (they are
 * the model's own), what the harness put in by itself, system prompts, batons of earlier hand-overs (the new one is compiled from
 * the whole history; twelve stale ones before it would only mislead). Pure.
 */
import type { ContextMessage } from '../ledger/context.ts';
import type { Message } from '../../shuttles/contract/message.ts';

export function portableMessages(context: readonly ContextMessage[]): readonly Message[] {
  const out: Message[] = [];
  for (const { message, harnessMade, baton } of context) {
    if (harnessMade || baton === 'compiled' || message.role === 'system') continue;
    if (message.role !== 'assistant') {
      out.push(message);
      continue;
    }
    const content = message.content.filter((block) => block.type !== 'thinking');
    if (content.length > 0) out.push({ ...message, content });
  }
  return out;
}
