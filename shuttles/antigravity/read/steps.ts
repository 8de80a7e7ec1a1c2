/** Records of a store: the conversation, and its steps, of which each is whole. A step whose metadata hold a call is that call's result. */
import type { JsonObject } from '../../contract/json.ts';
import type { AssistantBlock, StopReason, UserBlock } from '../../contract/message.ts';
import { count, field, filled, num, obj, objects, parseObject, str } from '../../kit/fields.ts';
import { pathOfUri } from '../uri.ts';
import { troubleOf } from '../../kit/trouble.ts';
import { actionDetails, conversationIn, isWeb } from './actions.ts';
import { closeCall, storedCall } from './calls.ts';
import { noteFacts, noteTime, piece, write, type Page, type Piece } from './page.ts';
import { promptPieces } from './prompt-pieces.ts';
import { cut, hash } from './state.ts';

export function readConversation(page: Page, value: JsonObject): void {
  const [cwd, branch] = [filled(value, 'cwd'), filled(value, 'branch')];
  noteTime(page, num(value, 'at') ?? null);
  noteFacts(page, {
    ...(cwd === undefined ? {} : { startCwd: cwd, cwd }),
    ...(branch === undefined ? {} : { branch: cut(branch, 400) }),
  });
}

export function readStep(page: Page, value: JsonObject, offset: number, length: number): void {
  const at = num(value, 'at') ?? null;
  const idx = count(value, 'idx') ?? offset;
  const type = num(value, 'type') ?? 0;
  noteTime(page, at);
  // After a rewind another step may have the number.
  const key = `${idx}.${hash(`${type} ${at ?? ''}`)}`;
  write(page, { offset, length, at, key }, pieces(page, value, type, `${page.state.scope}#${idx}`));
}

function pieces(page: Page, value: JsonObject, type: number, name: string): readonly Piece[] {
  const body = obj(value, 'body');
  const call = obj(value, 'call');
  if (type === 14) return promptPieces(page, str(body, 'text') ?? '', imagesOf(body));
  if (type === 15) return answer(page, value, body, name);
  if (call !== undefined) return [result(page, value, call, body, type)];
  const text = filled(body, 'text');
  if (type === 101 && text !== undefined)
    return [piece('notice', { level: 'info', code: 'info', text: cut(text, 20_000) }, 'harness')];
  const note = filled(body, 'title');
  return [piece('opaque', { nativeType: `step ${type}`, ...(note === undefined ? {} : { note: cut(note, 300) }) }, 'harness')];
}

function imagesOf(body: JsonObject | undefined): readonly UserBlock[] {
  return objects(body, 'images').flatMap((image): readonly UserBlock[] => {
    const data = filled(image, 'data');
    return data === undefined ? [] : [{ type: 'image', mimeType: filled(image, 'mimeType') ?? 'image/png', data }];
  });
}

const stops: Readonly<Record<number, StopReason>> = { 2: 'stop', 3: 'length', 10: 'toolUse', 13: 'error', 16: 'aborted' };

function answer(page: Page, value: JsonObject, body: JsonObject | undefined, name: string): readonly Piece[] {
  const [text, thinking] = [filled(body, 'text'), filled(body, 'thinking')];
  const content: AssistantBlock[] = [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...objects(body, 'calls').map((call, index) => storedCall(page.state, call, `${name}.${index}`)),
  ];
  const model = filled(value, 'model');
  if (model !== undefined) noteFacts(page, { model: cut(model, 120) });
  const status = num(value, 'status');
  const failed = status === 7 || status === 4;
  const stop = failed ? 'error' : status === 6 ? 'aborted' : stops[num(body, 'stop') ?? 0];
  const tokens = obj(value, 'usage');
  const of = (kind: string): number => count(tokens, kind) ?? 0;
  const usage = { input: of('input'), output: of('output'), cacheRead: of('cacheRead'), cacheWrite: of('cacheWrite') };
  const used = usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
  const said = piece(
    'assistant',
    {
      content,
      messageId: filled(body, 'messageId') ?? name,
      ...(model === undefined ? {} : { model: cut(model, 120) }),
      ...(used ? { usage } : {}),
      ...(stop === undefined ? {} : { stopReason: stop }),
    },
    'model',
    { aliases: content.flatMap((block) => (block.type === 'toolCall' ? [`call:${cut(block.id, 400)}`] : [])) },
  );
  const kept = content.length > 0 || used ? [said] : [];
  return [...modelChange(page, model), ...kept, ...ending(stop, filled(value, 'error'), num(value, 'at') ?? null)];
}

/** Each answer names its model; one that has no name but a number says nothing that a person would know. */
function modelChange({ state }: Page, model: string | undefined): readonly Piece[] {
  const name = model === undefined || /^model \d+$/.test(model) ? undefined : cut(model, 120);
  if (name === undefined || name === state.model) return [];
  const isFirst = state.model === null;
  state.model = name;
  return isFirst ? [] : [piece('setting', { name: 'model', value: name }, 'harness')];
}

function ending(stop: StopReason | undefined, error: string | undefined, at: number | null): readonly Piece[] {
  if (stop === 'stop' || stop === 'length') return [piece('turn', { phase: 'completed' }, 'harness')];
  if (stop === 'aborted') return [piece('turn', { phase: 'interrupted' }, 'harness')];
  if (stop !== 'error') return [];
  const text = cut(error ?? 'The answer failed.', 4000);
  return [
    piece('notice', { level: 'error', ...troubleOf(text, at), text }, 'harness'),
    piece('turn', { phase: 'failed', error: cut(text, 500) }, 'harness'),
  ];
}

function result(page: Page, value: JsonObject, call: JsonObject, body: JsonObject | undefined, type: number): Piece {
  const id = filled(call, 'id') ?? '';
  const open = closeCall(page.state, cut(id, 200));
  const name = filled(call, 'name') ?? open?.name ?? '';
  const status = num(value, 'status');
  const error = filled(value, 'error') ?? filled(body, 'error');
  const exitCode = num(body, 'exit');
  const cancelled = status === 6 || status === 5;
  const failed = cancelled || status === 7 || status === 4 || error !== undefined || (exitCode !== undefined && exitCode !== 0);
  const text = [str(body, 'text') ?? '', ...(error === undefined ? [] : [error])].filter((part) => part !== '').join('\n');
  const content: readonly UserBlock[] = text === '' ? [] : [{ type: 'text', text }];
  const agent = name === 'invoke_subagent' ? conversationIn(content) : undefined;
  if (agent !== undefined) page.out.push({ type: 'child', nativeId: agent, callId: id });
  const details = actionDetails({
    name,
    type: type === 38 ? 'MCP_TOOL' : '',
    args: parseObject(str(call, 'args') ?? open?.args ?? ''),
    content,
    failed,
    cancelled,
    command: filled(body, 'command'),
    cwd: filled(body, 'cwd'),
    exitCode: field(body, 'exit') === undefined ? undefined : exitCode,
    path: pathOfUri(filled(body, 'uri')),
  });
  return piece(
    'tool_result',
    { toolCallId: id, ...(name === '' ? {} : { toolName: cut(name, 200) }), content, isError: failed, details },
    isWeb(details, name) ? 'web' : 'tool',
    { with: [`call:${cut(id, 400)}`] },
  );
}
