/**
 * What of a thread's context goes to another harness: what was said, done and answered. Not: thinking and signatures (they are
 * the model's own), what the harness put in by itself, system prompts, batons of earlier hand-overs (the new one is compiled from
 * the whole history; twelve stale ones before it would only mislead). Pure.
 */
import type { ContextMessage } from '../ledger/context.ts';
import type { Message, ToolResultMessage } from '../../shuttles/contract/message.ts';

export function portableMessages(context: readonly ContextMessage[]): readonly Message[] {
  const out: Message[] = [];
  for (const { message, harnessMade, baton } of context) {
    if (harnessMade || baton === 'compiled' || message.role === 'system') continue;
    if (message.role === 'toolResult') {
      out.push(withExitCode(message));
      continue;
    }
    if (message.role === 'user') {
      out.push(message);
      continue;
    }
    const content = message.content.filter((block) => block.type !== 'thinking');
    if (content.length > 0) out.push({ ...message, content });
  }
  return out;
}

/** A failure whose text does not name its exit code names it: one harness writes it into the text, another beside it. */
function withExitCode({ details, ...message }: ToolResultMessage): ToolResultMessage {
  const code = typeof details === 'object' && details !== null && 'exitCode' in details ? details.exitCode : undefined;
  if (typeof code !== 'number' || code === 0) return message;
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (new RegExp(`\\bcode:? ${code}\\b`, 'iu').test(text)) return message;
  return { ...message, isError: true, content: [{ type: 'text', text: `Exit code ${code}` }, ...message.content] };
}
