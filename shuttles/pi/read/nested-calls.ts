/**
 * Calls that a tool made to other tools while it ran (1.x: a script of codemode, an extension): `nestedCalls` of its result keeps their
 * names, arguments, ends and times, never what they gave back. The model saw none of them, so that each is a step.
 */
import type { JsonObject } from '../../contract/json.ts';
import { filled, num, obj, objects, oneLine, str } from '../../kit/fields.ts';
import { actionDetails } from './details.ts';
import { piece, type Piece } from './page.ts';
import { callOf } from './call.ts';
import { cut } from './state.ts';

/** pi keeps at most this many. */
const mostCalls = 256;

export function nestedPieces(message: JsonObject | undefined): readonly Piece[] {
  return objects(obj(message, 'nestedCalls'), 'calls').slice(0, mostCalls).map(nestedPiece);
}

function nestedPiece(nested: JsonObject): Piece {
  const toolName = cut(filled(nested, 'name') ?? 'unknown', 200);
  const id = filled(nested, 'id');
  const call = callOf({ type: 'toolCall', id: id ?? '', name: toolName, arguments: obj(nested, 'arguments') ?? {} });
  const failed = str(nested, 'status') === 'error';
  const output = failed ? filled(nested, 'error') : undefined;
  const durationMs = num(nested, 'durationMs');
  const content = output === undefined ? [] : [{ type: 'text' as const, text: output }];
  const message = durationMs === undefined ? {} : { durationMs };
  const { exitCode, ...details } = actionDetails({ call, toolName, message, content, isError: failed });
  const unfinished = str(nested, 'status') === 'unfinished';
  const about = call.command ?? call.path ?? call.url ?? '';
  return piece(
    'step',
    {
      ...(id === undefined ? {} : { stepId: cut(id, 400) }),
      title: stepTitle(toolName, about, details.action === 'command'),
      ...(output === undefined ? {} : { output }),
      isError: failed,
      details: {
        ...details,
        // That a command went well says nothing of its code: the record keeps none.
        ...(exitCode === undefined || exitCode === 0 ? {} : { exitCode }),
        ...(unfinished ? { status: 'interrupted' } : {}),
      },
    },
    'tool',
  );
}

/** A command speaks for itself; of other tools both what was called and on what. */
export function stepTitle(toolName: string, about: string, isCommand: boolean): string {
  return oneLine(about === '' ? toolName : isCommand ? about : `${toolName} ${about}`, 200);
}
