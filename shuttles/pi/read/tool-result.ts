/**
 * Tool results: one record each, behind the record that pi says. A call's result is found by its id among the calls that are open, so
 * that an id used again after a fork means the nearest call.
 */
import { bool, field, obj, str } from '../../kit/fields.ts';
import { usageOf } from './assistant.ts';
import { closeCall } from './call.ts';
import { userBlocks } from './content.ts';
import { actionDetails, isWeb } from './details.ts';
import { nestedPieces } from './nested-calls.ts';
import { piece, type Page, type Piece } from './page.ts';
import { planAfter } from './plan.ts';
import type { Row } from './row.ts';
import { cut } from './state.ts';

export function resultPieces(page: Page, row: Row): readonly Piece[] {
  const message = obj(row.value, 'message');
  const toolCallId = str(message, 'toolCallId') ?? '';
  const call = closeCall(page.state, toolCallId);
  const named = str(message, 'toolName') ?? call?.name;
  const toolName = named === undefined ? undefined : cut(named, 200);
  const content = userBlocks(field(message, 'content'));
  const isError = bool(message, 'isError') === true;
  const details = actionDetails({ call, toolName: toolName ?? '', message: message ?? {}, content, isError });
  const spent = usageOf(obj(message, 'usage'));
  const plan = isError || details.action !== 'plan' ? undefined : planAfter(call, obj(message, 'details'));
  return [
    piece(
      'tool_result',
      { toolCallId, ...(toolName === undefined ? {} : { toolName }), content, isError, details },
      isWeb(details) ? 'web' : 'tool',
      // A tool that asks models itself says what that took; the answer's own count has none of it.
      spent === undefined ? {} : { spent },
    ),
    ...(plan === undefined ? [] : [piece('plan', { items: plan }, 'model')]),
    ...nestedPieces(message),
  ];
}
