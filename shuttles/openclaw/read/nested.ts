/** A call that a model made through another one (`tool_call`): the outer result says little, so that the inner one is a step of its own. */
import type { JsonObject } from '../../contract/json.ts';
import { bool, field, filled, obj, str } from '../../kit/fields.ts';
import { textOf, userBlocks } from '../../pi/read/content.ts';
import { piece, type Piece } from '../../pi/read/page.ts';
import { cut, type OpenCall } from '../../pi/read/state.ts';
import { detailsOf } from './results.ts';

const customType = 'openclaw.nested-tool.v1';

/** Undefined: the message is no such call. */
export function nestedStep(message: JsonObject | undefined): Piece | undefined {
  if (str(message, 'customType') !== customType) return undefined;
  const facts = obj(message, 'details') ?? {};
  const result = obj(facts, 'result') ?? {};
  const input = obj(facts, 'input');
  const toolName = cut(filled(facts, 'toolName') ?? 'unknown', 200);
  const content = userBlocks(field(result, 'content'));
  const isError = bool(facts, 'isError') ?? bool(result, 'isError') ?? false;
  const id = filled(facts, 'toolCallId');
  const command = str(input, 'command');
  const path = filled(input, 'path');
  const call: OpenCall = {
    id: cut(id ?? '', 400),
    name: toolName,
    ...(command === undefined ? {} : { command: cut(command, 4000) }),
    ...(path === undefined ? {} : { path: cut(path, 1000) }),
  };
  return piece(
    'step',
    {
      ...(id === undefined ? {} : { stepId: cut(id, 400) }),
      title: toolName,
      output: textOf(content),
      isError,
      details: detailsOf(toolName, call, result, content, isError),
    },
    'tool',
  );
}
