/** A prompt as entries: what the program put around it, then the words. */
import type { UserBlock } from '../../contract/message.ts';
import { noteFacts, notePrompt, piece, type Page, type Piece } from './page.ts';
import { promptOf } from './prompt.ts';

export function promptPieces(page: Page, text: string, images: readonly UserBlock[] = []): readonly Piece[] {
  const prompt = promptOf(text);
  if (!prompt.isLooms) notePrompt(page, prompt.words);
  if (prompt.cwd !== undefined && page.state.facts.startCwd === undefined)
    noteFacts(page, { startCwd: prompt.cwd, cwd: prompt.cwd });
  const words: readonly UserBlock[] = [
    ...(prompt.words === '' ? [] : [{ type: 'text' as const, text: prompt.words }]),
    ...images,
  ];
  return [
    ...(prompt.context === ''
      ? []
      : [piece('user', { content: [{ type: 'text', text: prompt.context }], origin: 'harness' }, 'harness')]),
    ...(words.length === 0
      ? []
      : [
          prompt.isLooms
            ? piece('user', { content: words, origin: 'loom' }, 'loom')
            : piece('user', { content: words, origin: 'typed' }, 'user'),
        ]),
  ];
}
