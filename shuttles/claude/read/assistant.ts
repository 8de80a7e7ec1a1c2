/**
 * Records of type `assistant`: one content block of an API message each (several in transcripts made by hand). Rows of one
 * message share its id and repeat its usage, which is counted once. An error of the API is a notice, never an answer.
 */
import type { StopReason } from '../../contract/message.ts';
import { bool, count, field, filled, obj, str } from '../../kit/fields.ts';
import { troubleOf } from '../../kit/trouble.ts';
import { assistantBlocks, textOf } from './content.ts';
import { openCall } from './call.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import type { Row } from './row.ts';
import { noteFacts } from './session-facts.ts';
import { cut, usageIncrement, type UsageCount } from './state.ts';

/** Stands where no model answered: written by the program itself. */
const synthetic = '<synthetic>';

export function readAssistant(page: Page, row: Row): void {
  const message = obj(row.value, 'message');
  const content = assistantBlocks(field(message, 'content'), row.key);
  if (bool(row.value, 'isApiErrorMessage') === true) return write(page, row, apiError(row, textOf(content)));

  const id = filled(message, 'id');
  const model = filled(message, 'model');
  const named = model === undefined || model === synthetic ? undefined : cut(model, 120);
  const messageId = id === undefined ? undefined : cut(id, 200);
  const usage = usageIncrement(page.state, usageCount(row, messageId ?? row.key));
  const stopReason = stopReasonOf(row, str(message, 'stop_reason'));
  const calls = content.filter((block) => block.type === 'toolCall');
  for (const call of calls) openCall(page.state, call);

  write(page, row, [
    ...(row.sidechain ? [] : modelChange(page, named)),
    piece(
      'assistant',
      {
        content,
        ...(messageId === undefined ? {} : { messageId }),
        ...(named === undefined ? {} : { model: named, provider: 'anthropic' }),
        ...(usage === undefined ? {} : { usage }),
        ...(stopReason === undefined ? {} : { stopReason }),
      },
      'model',
      {
        aliases: [...(messageId === undefined ? [] : [`msg:${messageId}`]), ...calls.map((call) => `call:${call.id}`)],
        ...(messageId === undefined ? {} : { with: [`msg:${messageId}`] }),
      },
    ),
  ]);
}

function apiError(row: Row, text: string): readonly Piece[] {
  const trouble = troubleOf(text, row.at, str(row.value, 'error') === 'rate_limit');
  return [
    piece('notice', { level: 'error', ...trouble, text }, 'harness', { name: 'error' }),
    piece('turn', { phase: 'failed', error: cut(text, 500) }, 'harness'),
  ];
}

function modelChange(page: Page, model: string | undefined): readonly Piece[] {
  const before = page.state.model;
  if (model === undefined || model === before) return [];
  page.state.model = model;
  noteFacts(page, { model });
  return before === null ? [] : [piece('setting', { name: 'model', value: model }, 'harness', { name: 'model' })];
}

function usageCount(row: Row, id: string): UsageCount {
  const usage = obj(obj(row.value, 'message'), 'usage');
  return {
    id,
    input: count(usage, 'input_tokens') ?? 0,
    output: count(usage, 'output_tokens') ?? 0,
    cacheRead: count(usage, 'cache_read_input_tokens') ?? 0,
    cacheWrite: count(usage, 'cache_creation_input_tokens') ?? 0,
    reasoning: count(obj(usage, 'output_tokens_details'), 'thinking_tokens') ?? 0,
  };
}

function stopReasonOf(row: Row, reason: string | undefined): StopReason | undefined {
  if (bool(row.value, 'isAbortedMidStream') === true) return 'aborted';
  switch (reason ?? '') {
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'toolUse';
    case 'refusal':
      return 'error';
    default:
      return undefined;
  }
}
