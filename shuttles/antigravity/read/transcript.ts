/**
 * Lines of the plain transcript, which the program writes beside its store: no ids of calls, no tokens. A result is given to the oldest
 * call that its type fits; the system's lines are remarks.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { AssistantBlock, UserBlock } from '../../contract/message.ts';
import { count, field, filled, isoTime, objects, parseObject, str } from '../../kit/fields.ts';
import { actionDetails, isWeb } from './actions.ts';
import { closeFirst, writtenCall } from './calls.ts';
import { noteTime, piece, write, type Page, type Piece } from './page.ts';
import { promptPieces } from './prompt-pieces.ts';
import { cut, hash } from './state.ts';

export function isLine(value: JsonObject): boolean {
  return filled(value, 'source') !== undefined && (field(value, 'content') !== undefined || field(value, 'type') !== undefined);
}

export function readLine(page: Page, value: JsonObject, offset: number, length: number): void {
  const at = isoTime(field(value, 'created_at'));
  noteTime(page, at);
  const index = count(value, 'step_index');
  const said = cut(str(value, 'content') ?? '', 400);
  const key = index === undefined ? `@${offset}` : `${index}.${hash(`${str(value, 'type') ?? ''} ${at ?? ''} ${said}`)}`;
  write(page, { offset, length, at, key }, pieces(page, value, `${page.state.scope}#${index ?? `@${offset}`}`));
}

function pieces(page: Page, value: JsonObject, name: string): readonly Piece[] {
  const source = str(value, 'source') ?? '';
  const type = str(value, 'type') ?? '';
  const content = str(value, 'content') ?? '';
  if (type === 'USER_INPUT' || source.startsWith('USER')) return promptPieces(page, content);
  if (type === 'PLANNER_RESPONSE' || (source === 'MODEL' && type === '')) return answer(page, value, content, name);
  if (source === 'MODEL') return [result(page, value, content, type, name)];
  if (content !== '' && type !== 'EPHEMERAL_MESSAGE')
    return [piece('notice', { level: 'info', code: 'info', text: cut(content, 20_000) }, 'harness')];
  return [piece('opaque', { nativeType: cut(type === '' ? source : type, 100) }, 'harness')];
}

function answer(page: Page, value: JsonObject, text: string, name: string): readonly Piece[] {
  const thinking = filled(value, 'thinking');
  // Results stand before the next answer: a call without one by now has none in this file.
  page.state.calls = [];
  const calls = objects(value, 'tool_calls').map((call, index) => writtenCall(page.state, call, `${name}.${index}`));
  const content: AssistantBlock[] = [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls,
  ];
  const status = str(value, 'status') ?? 'DONE';
  const aliases = calls.map(({ id }) => `call:${id}`);
  const said = content.length === 0 ? [] : [piece('assistant', { content, messageId: name }, 'model', { aliases })];
  if (status === 'ERROR') return [...said, piece('turn', { phase: 'failed' }, 'harness')];
  if (status.startsWith('CANCEL')) return [...said, piece('turn', { phase: 'interrupted' }, 'harness')];
  return calls.length > 0 || text === '' ? said : [...said, piece('turn', { phase: 'completed' }, 'harness')];
}

function result(page: Page, value: JsonObject, text: string, type: string, name: string): Piece {
  const call = closeFirst(page.state, type);
  const status = str(value, 'status') ?? 'DONE';
  const exit = type === 'RUN_COMMAND' ? /\bexit code:? (-?\d{1,10})\b/i.exec(text.slice(0, 400))?.[1] : undefined;
  const exitCode = exit === undefined ? undefined : Number(exit);
  const cancelled = status.startsWith('CANCEL');
  const failed = cancelled || status === 'ERROR' || (exitCode !== undefined && exitCode !== 0);
  const content: readonly UserBlock[] = text === '' ? [] : [{ type: 'text', text }];
  const details = actionDetails({
    name: call?.name ?? '',
    type,
    args: parseObject(call?.args ?? ''),
    content,
    failed,
    cancelled,
    exitCode,
  });
  if (call === undefined)
    return piece(
      'step',
      { stepId: name, title: cut(type, 100), output: text, isError: failed, details },
      isWeb(details, '') ? 'web' : 'tool',
    );
  return piece(
    'tool_result',
    { toolCallId: call.id, toolName: call.name, content, isError: failed, details },
    isWeb(details, call.name) ? 'web' : 'tool',
    { with: [`call:${call.id}`] },
  );
}
