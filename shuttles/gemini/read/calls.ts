/**
 * Tool calls of an answer and their results, which stand in the same record once the call has ended. The program writes a result a
 * second time, as a message in the user role, and names it anew in a rewrite of the history: a result is known by its call's id alone.
 */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { arr, asObject, field, filled, obj, objects, parseObject, str } from '../../kit/fields.ts';
import { planItems } from '../../kit/plan-items.ts';
import { actionDetails, isWeb } from './actions.ts';
import { piece, type Page, type Piece } from './page.ts';
import { partsOf, responseBlocks, responseIn, responsesIn, type Part } from './parts.ts';
import { cut } from './state.ts';

export function callPiece(call: JsonObject, id: string, shared: { readonly messageId: string; readonly model?: string }): Piece {
  const given = field(call, 'args');
  const text = typeof given === 'string' ? given : undefined;
  const args = asObject(given) ?? (text === undefined ? {} : (parseObject(text) ?? { input: text }));
  return piece(
    `/c:${cut(id, 400)}`,
    'assistant',
    { content: [{ type: 'toolCall', id, name: filled(call, 'name') ?? 'unknown', arguments: args }], ...shared },
    'model',
    { aliases: [`call:${cut(id, 400)}`] },
  );
}

/** Undefined: it has not ended. */
export function resultPieces(call: JsonObject, id: string): readonly Piece[] | undefined {
  const status = str(call, 'status') ?? '';
  const parts = partsOf(field(call, 'result'));
  const ended = status === 'success' || status === 'error' || status === 'cancelled';
  if (!ended && parts.length === 0) return undefined;
  const responses = responsesIn(parts);
  const own = responses.find((response) => str(response, 'id') === id) ?? responses[0];
  // Responses to several calls may stand in one list: what is beside them belongs to nobody.
  const beside = responses.length > 1 ? [] : parts.filter((part) => responseIn(part) === undefined);
  const display = str(call, 'resultDisplay') ?? '';
  const answered = own === undefined ? responseBlocks({}, beside) : responseBlocks(own, beside);
  const content = answered.length === 0 && display !== '' ? [{ type: 'text' as const, text: display }] : answered;
  const failed = status === 'error' || status === 'cancelled' || isFailure(own);
  const name = str(call, 'name');
  const result = resultPiece(id, name, content, failed, actionDetails(call, content, failed));
  const plan = failed ? undefined : planOf(call);
  return plan === undefined ? [result] : [result, piece(`/p:${cut(id, 400)}`, 'plan', { items: plan }, 'model')];
}

/** A result that only the message in the user role tells of. */
export function lonePiece(response: JsonObject, id: string, beside: readonly Part[] = []): Piece {
  const name = filled(response, 'name');
  const failed = isFailure(response);
  const content = responseBlocks(response, beside);
  return resultPiece(id, name, content, failed, actionDetails({ name: name ?? '' }, content, failed));
}

/** The subagent that a call started, under the id of its own file. */
export function noteAgent(page: Page, call: JsonObject, id: string): void {
  const agent = filled(call, 'agentId');
  if (agent === undefined) return;
  const title = filled(call, 'description');
  page.out.push({
    type: 'child',
    nativeId: cut(agent, 200),
    callId: id,
    ...(title === undefined ? {} : { title: cut(title, 400) }),
  });
}

function resultPiece(
  id: string,
  name: string | undefined,
  content: Extract<Piece['content'], { toolCallId: string }>['content'],
  isError: boolean,
  details: ReturnType<typeof actionDetails>,
): Piece {
  const toolName = name === undefined ? {} : { toolName: cut(name, 200) };
  return piece(
    `/r:${cut(id, 400)}`,
    'tool_result',
    { toolCallId: id, ...toolName, content, isError, details },
    isWeb(details) ? 'web' : 'tool',
    { with: [`call:${cut(id, 400)}`] },
  );
}

function isFailure(response: JsonObject | undefined): boolean {
  const answer = obj(response, 'response');
  return str(answer, 'error') !== undefined && str(answer, 'output') === undefined;
}

/** The list as it is displayed after the call, by `write_todos` and by the tools of the task tracker; older versions keep only what was asked for. */
function planOf(call: JsonObject): readonly PlanItem[] | undefined {
  const display = obj(call, 'resultDisplay');
  if (arr(display, 'todos') !== undefined) return planItems(objects(display, 'todos'));
  if (str(call, 'name') !== 'write_todos' || arr(obj(call, 'args'), 'todos') === undefined) return undefined;
  return planItems(objects(obj(call, 'args'), 'todos'));
}
