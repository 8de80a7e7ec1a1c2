/** Records of the tree that are no messages: compactions, summaries of branches, edits of the context, names, labels, spent tokens. */
import type { JsonObject } from '../../contract/json.ts';
import { count, field, filled, obj, objects, oneLine, str } from '../../kit/fields.ts';
import { usageOf } from './assistant.ts';
import { assistantBlocks } from './content.ts';
import { piece, type Page, type Piece } from './page.ts';
import { firstName, nameOf, numberName } from './row.ts';
import { noteFacts, noteName } from './session-facts.ts';
import { phasedPlan } from './plan.ts';
import { cut } from './state.ts';

/** The model goes on from the summary and what is kept; the first versions name the first kept record by its number. */
export function compaction(page: Page, value: JsonObject): readonly Piece[] {
  const tokensBefore = count(value, 'tokensBefore');
  const kept = filled(value, 'firstKeptEntryId');
  const index = count(value, 'firstKeptEntryIndex');
  const name = kept !== undefined ? nameOf(page.state, kept) : index !== undefined ? numberName(page.state, index) : undefined;
  const spent = usageOf(obj(value, 'usage'));
  return [
    piece('summary', { text: str(value, 'summary') ?? '', ...(tokensBefore === undefined ? {} : { tokensBefore }) }, 'model', {
      ...(name === undefined ? {} : { retainFromKey: [firstName(name), name] }),
      ...(spent === undefined ? {} : { spent }),
    }),
  ];
}

/** What was tried on the branch that was left, told to the model as a user message. */
export function branchSummary(value: JsonObject): readonly Piece[] {
  const text = filled(value, 'summary');
  const spent = usageOf(obj(value, 'usage'));
  const rest = spent === undefined ? {} : { spent };
  if (text === undefined) return [];
  return [piece('user', { content: [{ type: 'text', text }], origin: 'harness' }, 'model', rest)];
}

/** The model is no longer given an earlier record, or another content in its place (1.x). */
export function contextEdit(page: Page, value: JsonObject, key: string): readonly Piece[] {
  const target = filled(value, 'targetId');
  if (target === undefined) return [piece('opaque', { nativeType: 'context_edit' }, 'harness')];
  const replacement = obj(value, 'replacement');
  const content = replacement === undefined ? null : assistantBlocks(field(replacement, 'content'), key);
  const name = nameOf(page.state, target);
  const text =
    content === null || content.length === 0
      ? 'An earlier record was taken out of the context.'
      : 'An earlier record was replaced in the context.';
  return [
    piece('notice', { level: 'info', code: 'info', text }, 'harness', { edit: { keys: [firstName(name), name], content } }),
  ];
}

export function sessionInfo(page: Page, value: JsonObject): readonly Piece[] {
  const name = filled(value, 'name');
  if (name === undefined) return [];
  noteName(page, name);
  return [piece('setting', { name: 'title', value: oneLine(name, 200) }, 'user')];
}

/** omp's own record of a title; the slot in front of the file has the newest one. */
export function titleChange(page: Page, value: JsonObject): readonly Piece[] {
  const title = filled(value, 'title');
  if (title === undefined) return [];
  const byUser = str(value, 'source') === 'user';
  noteFacts(page, byUser ? { customTitle: oneLine(title, 200) } : { generatedTitle: oneLine(title, 200) });
  return [piece('setting', { name: 'title', value: oneLine(title, 200) }, byUser ? 'user' : 'harness')];
}

/** A person's bookmark; one without words takes an earlier one away. */
export function label(value: JsonObject): readonly Piece[] {
  const text = filled(value, 'label');
  return text === undefined
    ? []
    : [piece('notice', { level: 'info', code: 'info', text: `Label: ${oneLine(text, 200)}` }, 'user')];
}

/** Tokens that were used beside an answer, such as those that kept a provider's cache warm. */
export function spentTokens(value: JsonObject): readonly Piece[] {
  const spent = usageOf(obj(value, 'usage'));
  // omp calls them `model_usage` and says what for.
  const kind = cut(filled(value, 'kind') ?? filled(value, 'purpose') ?? 'usage', 60);
  const note = filled(value, 'note') ?? filled(value, 'errorMessage');
  const text = note === undefined ? kind : `${kind}: ${cut(note, 500)}`;
  return [piece('notice', { level: 'info', code: 'info', text }, 'harness', spent === undefined ? {} : { spent })];
}

/** A person's own edit of omp's to-do list, and omp's note of how a process ended; other state of extensions is their own business. */
export function custom(page: Page, value: JsonObject): readonly Piece[] {
  const data = obj(value, 'data');
  switch (str(value, 'customType') ?? '') {
    case 'user_todo_edit': {
      const items = phasedPlan(data);
      return items === undefined ? [] : [piece('plan', { items }, 'user')];
    }
    case 'session_exit':
      return exit(page, data);
    default:
      return [];
  }
}

/** Which calls the end of the process broke off. */
function exit(page: Page, data: JsonObject | undefined): readonly Piece[] {
  if (str(data, 'kind') !== 'signal') return [];
  const broken = new Set(objects(data, 'pendingToolCalls').flatMap((call) => str(call, 'toolCallId') ?? []));
  for (const call of page.state.calls) if (broken.has(call.id)) call.interrupted = true;
  const reason = filled(data, 'reason');
  return [piece('turn', { phase: 'interrupted', ...(reason === undefined ? {} : { error: cut(reason, 100) }) }, 'harness')];
}

/** The header of omp's own subagents: what they were told to do. */
export function sessionInit(value: JsonObject): readonly Piece[] {
  const text = filled(value, 'systemPrompt');
  return text === undefined ? [] : [piece('system', { text }, 'harness')];
}
