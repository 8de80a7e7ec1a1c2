/** A call that a model made through another one (`tool_call`): the outer result says little, so that the inner one is a step of its own. */
import type { JsonObject } from '../../contract/json.ts';
import { bool, field, filled, obj, str } from '../../kit/fields.ts';
import { callOf } from '../../pi/read/call.ts';
import { textOf, userBlocks } from '../../pi/read/content.ts';
import { piece, type Piece } from '../../pi/read/page.ts';
import { isWeb } from '../../pi/read/details.ts';
import { stepTitle } from '../../pi/read/nested-calls.ts';
import { planAfter } from '../../pi/read/plan.ts';
import { cut } from '../../pi/read/state.ts';
import { detailsOf } from './results.ts';

const customType = 'openclaw.nested-tool.v1';

/** Undefined: the message is no such call. */
export function nestedPieces(message: JsonObject | undefined): readonly Piece[] | undefined {
  if (str(message, 'customType') !== customType) return undefined;
  const facts = obj(message, 'details') ?? {};
  const result = obj(facts, 'result') ?? {};
  const input = obj(facts, 'input');
  const toolName = cut(filled(facts, 'toolName') ?? 'unknown', 200);
  const content = userBlocks(field(result, 'content'));
  const isError = bool(facts, 'isError') ?? bool(result, 'isError') ?? false;
  const id = filled(facts, 'toolCallId');
  const call = callOf({ type: 'toolCall', id: id ?? '', name: toolName, arguments: input ?? {} });
  const about = call.command ?? call.path ?? call.url ?? filled(input, 'message') ?? '';
  const details = detailsOf(toolName, call, result, content, isError);
  const plan = isError || details.action !== 'plan' ? undefined : planAfter(call, obj(result, 'details'));
  const step = piece(
    'step',
    {
      ...(id === undefined ? {} : { stepId: cut(id, 400) }),
      title: stepTitle(toolName, about, details.action === 'command'),
      output: textOf(content),
      isError,
      details,
    },
    isWeb(details) ? 'web' : 'tool',
  );
  return plan === undefined ? [step] : [step, piece('plan', { items: plan }, 'model')];
}
