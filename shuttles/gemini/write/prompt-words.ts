/**
 * A person's words in a form that the program gives to its model. 0.39 to 0.61 leave out prompts that begin with a slash, a question mark
 * or an element of its own, and Loom's reader takes such elements for the program's: a short mark in front keeps them what they are.
 */
import type { UserBlock } from '../../contract/message.ts';

const mark = '[Prompt] ';
/** Left out of the model's history when the whole message begins so. */
const leftOut = /^\s*(?:[/?]|<session_context>|<hook_context>)/;
/** What a part of the program's own begins with; and Loom's own packet, which a person may have pasted. */
const programs =
  /^\s*(?:<(?:session_context|hook_context|system-reminder|background_output|state_snapshot)>|--- Content from referenced files ---|This is the Gemini CLI\.|# Hand-over from )/;
const hookEnd = '</hook_context>';

export function promptWords(blocks: readonly UserBlock[]): readonly UserBlock[] {
  const first = blocks.findIndex((block) => block.type !== 'text' || block.text.trim() !== '');
  return blocks.map((block, index) => {
    if (block.type !== 'text') return block;
    const marked = (index === first && leftOut.test(block.text)) || programs.test(block.text) ? mark + block.text : block.text;
    return { type: 'text', text: marked.endsWith(hookEnd) ? `${marked}\n` : marked };
  });
}
