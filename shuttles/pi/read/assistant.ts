/**
 * Answers. A record is one whole message with its usage, counted once. pi has no records of turns: the way an answer stopped says how
 * its turn ended. Answers that failed or were aborted are never given to the model again (0.73, 1.6), and say why in a notice.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { StopReason, Usage } from '../../contract/message.ts';
import { count, field, filled, num, obj, str } from '../../kit/fields.ts';
import { troubleOf } from '../../kit/trouble.ts';
import { openCall } from './call.ts';
import { assistantBlocks } from './content.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import type { Row } from './row.ts';
import { noteFacts } from './session-facts.ts';
import { cut } from './state.ts';

export function readAssistant(page: Page, row: Row): void {
  const message = obj(row.value, 'message');
  const content = assistantBlocks(field(message, 'content'), row.key);
  const from = filled(message, 'provider');
  // What Loom carried in names no model of pi's.
  const [provider, model] = from === 'loom' ? [] : [from, filled(message, 'model')];
  const usage = usageOf(obj(message, 'usage'));
  const stopReason = stopReasonOf(str(message, 'stopReason'));
  if (model !== undefined) {
    page.state.model = cut(model, 120);
    noteFacts(page, { model: cut(model, 120) });
  }
  for (const block of content) if (block.type === 'toolCall') openCall(page.state, block);

  const answered = content.length > 0 || usage !== undefined;
  const answer = piece(
    'assistant',
    {
      content,
      ...(model === undefined ? {} : { model: cut(model, 120) }),
      ...(provider === undefined ? {} : { provider: cut(provider, 120) }),
      ...(usage === undefined ? {} : { usage }),
      ...(stopReason === undefined ? {} : { stopReason }),
    },
    'model',
  );
  write(page, row, [...(answered ? [answer] : []), ...ending(row, stopReason, str(message, 'errorMessage'), content.length > 0)]);
}

function ending(row: Row, reason: StopReason | undefined, said: string | undefined, partial: boolean): readonly Piece[] {
  const edit = partial ? { edit: { keys: [row.key], content: null } } : {};
  switch (reason) {
    case 'stop':
    case 'length':
      return [piece('turn', { phase: 'completed' }, 'harness')];
    case 'error': {
      const text = cut(said ?? 'The model could not be reached.', 4000);
      return [
        piece('notice', { level: 'error', ...troubleOf(text, row.at), text }, 'harness', edit),
        piece('turn', { phase: 'failed', error: cut(text, 500) }, 'harness'),
      ];
    }
    case 'aborted':
      return [
        ...(partial
          ? [piece('notice', { level: 'info', code: 'interrupted', text: cut(said ?? 'Aborted', 500) }, 'harness', edit)]
          : []),
        piece('turn', { phase: 'interrupted' }, 'harness'),
      ];
    case 'toolUse':
    case undefined:
      return [];
  }
}

/** `deferred` and `pending` answers go on elsewhere: they did not stop. */
function stopReasonOf(reason: string | undefined): StopReason | undefined {
  return reason === 'stop' || reason === 'length' || reason === 'toolUse' || reason === 'error' || reason === 'aborted'
    ? reason
    : undefined;
}

/** `input` has no cached tokens in it, `reasoning` is part of `output`. undefined: nothing was used. */
export function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const tokens = (name: string): number => count(usage, name) ?? 0;
  const [input, output, cacheRead, cacheWrite] = [tokens('input'), tokens('output'), tokens('cacheRead'), tokens('cacheWrite')];
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  const reasoning = tokens('reasoning');
  const cost = num(obj(usage, 'cost'), 'total') ?? 0;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(reasoning === 0 ? {} : { reasoning }),
    ...(cost > 0 ? { cost } : {}),
  };
}
