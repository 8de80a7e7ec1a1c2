/** A message as pieces, by its type: what a person, the model, a tool or the program itself said. */
import type { AssistantBlock } from '../../contract/message.ts';
import type { JsonObject } from '../../contract/json.ts';
import { field, filled, isoTime, obj, objects, str } from '../../kit/fields.ts';
import { troubleOf } from '../../kit/trouble.ts';
import { callPiece, lonePiece, noteAgent, resultPieces } from './calls.ts';
import { piece, type Page, type Piece } from './page.ts';
import { blocksOf, callsIn, isCall, isThought, partsOf, responseIn, responsesIn, textOf, type Part } from './parts.ts';
import { promptOf } from './prompt.ts';
import { noteContext, noteFacts, notePrompt } from './session-facts.ts';
import { cut, hash, rememberResult, type Given } from './state.ts';
import { usageOf } from './usage.ts';

export function piecesOf(page: Page, message: JsonObject, given: Given): readonly Piece[] {
  switch (str(message, 'type') ?? '') {
    case 'user':
      return userPieces(page, message);
    case 'gemini':
      return answerPieces(page, message, given);
    case 'info':
    case 'warning':
    case 'error':
      return notices(message);
    default:
      return [piece('o', 'opaque', { nativeType: cut(str(message, 'type') ?? 'untyped', 100) }, 'harness')];
  }
}

function userPieces(page: Page, message: JsonObject): readonly Piece[] {
  const parts = partsOf(field(message, 'content'));
  const responses = responsesIn(parts);
  if (responses.length > 0) return lone(page, parts);
  const prompt = promptOf(message);
  for (const part of prompt.context) noteContext(page, textOf(part) ?? '');
  const context = blocksOf(prompt.context);
  const words = blocksOf(prompt.words);
  const files = blocksOf(prompt.files);
  if (!prompt.isLooms) notePrompt(page, prompt.typed);
  return [
    ...(context.length === 0 ? [] : [piece('h', 'user', { content: context, origin: 'harness' }, 'harness')]),
    ...(words.length === 0
      ? []
      : [
          prompt.isLooms
            ? piece(`t:${hash(prompt.typed)}`, 'user', { content: words, origin: 'loom' }, 'loom')
            : piece(`t:${hash(prompt.typed)}`, 'user', { content: words, origin: 'typed' }, 'user'),
        ]),
    ...(files.length === 0 ? [] : [piece('f', 'user', { content: files, origin: 'harness' }, 'tool')]),
  ];
}

/** What stands behind a response and is no text came along with it. */
function lone(page: Page, parts: readonly Part[]): readonly Piece[] {
  return parts.flatMap((part, index) => {
    const response = responseIn(part);
    const id = filled(response, 'id');
    if (response === undefined || id === undefined || !rememberResult(page.state, id)) return [];
    const next = parts.findIndex((other, at) => at > index && responseIn(other) !== undefined);
    const beside = parts.slice(index + 1, next < 0 ? parts.length : next).filter((other) => textOf(other) === undefined);
    return [lonePiece(response, id, beside)];
  });
}

function answerPieces(page: Page, message: JsonObject, given: Given): readonly Piece[] {
  const messageId = given.id;
  const model = filled(message, 'model');
  if (model !== undefined) noteFacts(page, { model: cut(model, 120) });
  const all = partsOf(field(message, 'content'));
  const parts = all.filter((part) => !isCall(part));
  const said = blocksOf(parts.filter((part) => !isThought(part)));
  const text = said.map((block) => (block.type === 'text' ? block.text : block.type)).join('');
  const thinking = given.hasThoughts ? '' : thoughtsOf(message, parts);
  const content: AssistantBlock[] = [...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]), ...said];
  const shared = { messageId, ...(model === undefined ? {} : { model: cut(model, 120) }) };
  const recorded = objects(message, 'toolCalls').map((call, index) => ({
    call,
    id: filled(call, 'id') ?? `${messageId}#${index}`,
  }));
  const known = new Set(recorded.map(({ id }) => id));
  // Calls of which only the content tells have their results in messages of the user role.
  const calls = [...recorded, ...callsIn(all).filter(({ id }) => !known.has(id))];
  const pieces: Piece[] = [
    ...modelChange(page, model),
    ...(content.length === 0 ? [] : [piece(`t:${hash(text)}`, 'assistant', { content, ...shared }, 'model')]),
    ...calls.map(({ call, id }) => callPiece(call, id, shared)),
  ];
  const usage = given.hasUsage ? undefined : usageOf(obj(message, 'tokens'));
  for (const { call, id } of calls) {
    noteAgent(page, call, id);
    const results = resultPieces(call, id);
    if (results === undefined) continue;
    rememberResult(page.state, id);
    pieces.push(...results);
  }
  given.hasThoughts ||= thinking !== '';
  given.hasUsage ||= usage !== undefined;
  return usage === undefined ? pieces : counted(pieces, given, usage, shared);
}

/** A session may go on with another model at any message; it says so with each answer. */
function modelChange({ state }: Page, model: string | undefined): readonly Piece[] {
  if (model === undefined || model === state.model) return [];
  const isFirst = state.model === null;
  state.model = cut(model, 120);
  return isFirst ? [] : [piece('m', 'setting', { name: 'model', value: cut(model, 120) }, 'harness')];
}

/** Tokens go with the first piece that is new, or alone when they came late. */
function counted(
  pieces: readonly Piece[],
  given: Given,
  usage: NonNullable<ReturnType<typeof usageOf>>,
  shared: { readonly messageId: string; readonly model?: string },
): readonly Piece[] {
  const isNew = (name: string): boolean => given.pieces.length === 0 || !given.pieces.includes(hash(given.variant + name));
  const at = pieces.findIndex(({ kind, name }) => kind === 'assistant' && isNew(name));
  const first = pieces[at];
  if (first === undefined) return [...pieces, piece('u', 'assistant', { content: [], ...shared, usage }, 'model')];
  const withUsage: Piece = { ...first, content: { ...first.content, usage } };
  return pieces.with(at, withUsage);
}

function thoughtsOf(message: JsonObject, parts: ReturnType<typeof partsOf>): string {
  const listed = objects(message, 'thoughts').flatMap((thought) => {
    const lines = [filled(thought, 'subject'), filled(thought, 'description')].filter((line) => line !== undefined);
    return lines.length === 0 ? [] : [lines.join('\n')];
  });
  return (listed.length > 0 ? listed : parts.filter(isThought).flatMap((part) => textOf(part) ?? [])).join('\n\n');
}

function notices(message: JsonObject): readonly Piece[] {
  const text = cut(
    partsOf(field(message, 'content'))
      .flatMap((part) => textOf(part) ?? [])
      .join('\n'),
    20_000,
  );
  const type = str(message, 'type');
  if (type === 'error') {
    return [
      piece('n', 'notice', { level: 'error', ...troubleOf(text, isoTime(field(message, 'timestamp'))), text }, 'harness'),
      piece('e', 'turn', { phase: 'failed', error: cut(text, 500) }, 'harness'),
    ];
  }
  if (/^Request cancelled\.?$/.test(text.trim()))
    return [
      piece('n', 'notice', { level: 'info', code: 'interrupted', text }, 'harness'),
      piece('e', 'turn', { phase: 'interrupted' }, 'harness'),
    ];
  return [piece('n', 'notice', { level: type === 'warning' ? 'warning' : 'info', code: 'info', text }, 'harness')];
}
