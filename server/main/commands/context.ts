/** `loom context`: what a model would be given, in pi-ai's message shape. */
import { findThread } from '../../ledger/lookup.ts';
import { contextOf } from '../../ledger/transcript.ts';
import { plain } from '../terminal.ts';
import { textOf } from '../entry-view.ts';
import { conversationArgument } from './conversation.ts';
import { done, flag, isUsage, numberOption, oneThread } from './command.ts';
import type { Command } from './command.ts';

export const contextCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger }) {
    const name = oneThread(parsed);
    if (isUsage(name)) return name;
    const at = numberOption(parsed, 'at', 1);
    if (isUsage(at)) return at;
    const thread = findThread(ledger, name);
    const { conversation, through } = conversationArgument(ledger, thread, name);
    const context = conversation === 0 ? [] : await contextOf(ledger, thread.session, conversation, at ?? through ?? undefined);
    const messages = context.map(({ message }) => message);
    if (flag(parsed, 'json')) terminal.json({ messages });
    else
      for (const message of messages) {
        terminal.line(terminal.bold(message.role === 'toolResult' ? `tool result of ${message.toolName}` : message.role));
        if (message.role === 'assistant')
          for (const block of message.content)
            if (block.type === 'toolCall') terminal.line(terminal.dim(plain(`${block.name} ${JSON.stringify(block.arguments)}`)));
        terminal.line(plain(textOf(message.content)));
        terminal.line();
      }
    return done;
  },
};
