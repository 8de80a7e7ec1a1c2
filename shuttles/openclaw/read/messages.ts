/** Records of type `message` that are OpenClaw's own: prompts of people and programs, copies for a chat, results, calls within calls. */
import { field, obj, str } from '../../kit/fields.ts';
import { readAssistant } from '../../pi/read/assistant.ts';
import { textOf, userBlocks } from '../../pi/read/content.ts';
import { readMessage as readMessageOfPi } from '../../pi/read/messages.ts';
import { piece, write, type Piece } from '../../pi/read/page.ts';
import type { Row } from '../../pi/read/row.ts';
import { notePrompt } from '../../pi/read/session-facts.ts';
import { cut } from '../../pi/read/state.ts';
import { nestedPieces } from './nested.ts';
import { promptOf } from './prompt.ts';
import { resultPieces } from './results.ts';
import type { Page } from './state.ts';

export function readMessage(page: Page, row: Row): void {
  const message = obj(row.value, 'message');
  switch (str(message, 'role') ?? '') {
    case 'user':
      return write(page, row, userPieces(page, row));
    case 'assistant': {
      if (isMirror(row)) return write(page, row, page.state.answered ? [] : sentPieces(row));
      page.state.answered = true;
      return readAssistant(page, row);
    }
    case 'toolResult':
      return write(page, row, resultPieces(page, row));
    case 'custom': {
      const nested = nestedPieces(message);
      return nested === undefined ? readMessageOfPi(page, row) : write(page, row, nested);
    }
    default:
      return readMessageOfPi(page, row);
  }
}

function userPieces(page: Page, row: Row): readonly Piece[] {
  page.state.answered = false;
  const message = obj(row.value, 'message') ?? {};
  const blocks = userBlocks(field(message, 'content'));
  if (blocks.length === 0) return [];
  const prompt = promptOf(message, blocks, page.state.facts.automation === true);
  notePrompt(page, prompt.title);
  if (prompt.trust === 'chat' || prompt.trust === 'web') page.state.relays = true;
  return [
    ...(prompt.injected.length === 0
      ? []
      : [piece('user', { content: prompt.injected, origin: 'harness' }, prompt.injectedTrust)]),
    ...(prompt.words.length === 0
      ? []
      : [
          piece(
            'user',
            {
              content: prompt.words,
              origin: prompt.origin,
              ...(prompt.sender === undefined ? {} : { sender: prompt.sender }),
            },
            prompt.trust,
          ),
        ]),
  ];
}

/** What was sent to a chat, noted as an answer of a model that does not exist (2026.6.11). */
function isMirror(row: Row): boolean {
  const message = obj(row.value, 'message');
  return (
    obj(message, 'openclawDeliveryMirror') !== undefined ||
    (str(message, 'provider') === 'openclaw' && str(message, 'model') === 'delivery-mirror')
  );
}

/** No model said it: OpenClaw answered a command by itself. */
function sentPieces(row: Row): readonly Piece[] {
  const text = textOf(userBlocks(field(obj(row.value, 'message'), 'content')));
  return text === '' ? [] : [piece('notice', { level: 'info', code: 'commandOutput', text: cut(text, 20_000) }, 'harness')];
}
