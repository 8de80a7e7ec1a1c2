/**
 * What of a thread's context goes to another harness: what was said, done and answered. Not: thinking and signatures (they are
 * the model's own), what the harness put in by itself, system prompts. Pure.
 */
import type { ContextMessage } from '../ledger/context.ts';
import type { Message } from '../../shuttles/contract/message.ts';

export function portableMessages(context: readonly ContextMessage[]): readonly Message[] {
  const out: Message[] = [];
  for (const { message, harnessMade } of context) {
    if (harnessMade || message.role === 'system') continue;
    if (message.role !== 'assistant') {
      out.push(message);
      continue;
    }
    const content = message.content.filter((block) => block.type !== 'thinking');
    if (content.length > 0) out.push({ ...message, content });
  }
  return out;
}
