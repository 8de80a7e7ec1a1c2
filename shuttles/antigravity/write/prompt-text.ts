/**
 * The words of a prompt: all of its texts as one, and a line for each picture that cannot go. Words that begin with the wrapper that the
 * program puts around its requests would be taken for one.
 */
import type { UserBlock } from '../../contract/message.ts';
import { oneLine } from '../../kit/fields.ts';
import { sendableText } from '../../kit/sendable.ts';

export function promptText(blocks: readonly UserBlock[]): string {
  const words = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.data === undefined ? [`[image: ${oneLine(block.url ?? block.mimeType, 300)}]`] : [];
  });
  const text = sendableText(words.join('\n\n'));
  return text.trimStart().startsWith('<USER_REQUEST>') ? `[Prompt]\n${text}` : text;
}
