/**
 * Tool results: one entry a `tool_result` block, in the branch that holds its call, with the facts that `toolUseResult` and
 * the row's decision fields carry. News of a plan stands before the result that brought it; a started subagent is told.
 */
import type { JsonObject } from '../../contract/json.ts';
import { asObject, bool, field, str } from '../../kit/fields.ts';
import { isAgentId } from '../names.ts';
import { noteBackground } from './background.ts';
import { closeCall } from './call.ts';
import { textOf, userBlocks } from './content.ts';
import { actionDetails } from './details.ts';
import { piece, type Page, type Piece } from './page.ts';
import { planAfter } from './plan.ts';
import type { Row } from './row.ts';

const webTools: ReadonlySet<string> = new Set(['WebFetch', 'WebSearch']);

export function resultPieces(page: Page, row: Row, results: readonly JsonObject[]): readonly Piece[] {
  return results.flatMap((block, index) => onePiece(page, row, block, index, results.length === 1));
}

function onePiece(page: Page, row: Row, block: JsonObject, index: number, alone: boolean): readonly Piece[] {
  const toolCallId = str(block, 'tool_use_id') ?? '';
  const call = closeCall(page.state, toolCallId);
  const content = userBlocks(field(block, 'content'));
  const isError = bool(block, 'is_error') === true;
  // `toolUseResult` speaks of the record's only result; of several nobody could say which.
  const facts = alone ? field(row.value, 'toolUseResult') : undefined;
  const details = actionDetails({ call, row: row.value, facts, text: textOf(content), isError });
  const branch = toolCallId === '' ? {} : { with: [`call:${toolCallId}`] };
  noteBackground(page.state, call, facts);
  const plan = isError ? undefined : planAfter(page.state, call, facts);

  const agent = str(asObject(facts), 'agentId');
  if (agent !== undefined && isAgentId(agent)) {
    const title = call?.title ?? str(asObject(facts), 'description');
    page.out.push({
      type: 'child',
      nativeId: agent,
      ...(toolCallId === '' ? {} : { callId: toolCallId }),
      ...(title === undefined ? {} : { title }),
    });
  }
  return [
    ...(plan === undefined
      ? []
      : [piece('plan', { items: plan }, 'model', { name: `plan${index === 0 ? '' : index}`, ...branch })]),
    piece(
      'tool_result',
      {
        toolCallId,
        ...(call === undefined ? {} : { toolName: call.name }),
        content,
        isError,
        ...(details === undefined ? {} : { details }),
      },
      call !== undefined && webTools.has(call.name) ? 'web' : 'tool',
      { ...branch, name: `result${index}` },
    ),
  ];
}
