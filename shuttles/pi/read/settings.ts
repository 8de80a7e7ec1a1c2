/** Records of settings: the model, how long it thinks, omp's mode. */
import type { JsonObject } from '../../contract/json.ts';
import { asStr, field, filled } from '../../kit/fields.ts';
import { piece, type Page, type Piece } from './page.ts';
import { noteFacts } from './session-facts.ts';
import { cut } from './state.ts';

export function modelChange(page: Page, value: JsonObject): readonly Piece[] {
  // omp has models for side work too (`smol`, `slow`, `plan`): they do not answer the person.
  const role = filled(value, 'role');
  if (role !== undefined && role !== 'default') return [];
  // omp writes `provider/model` in one field.
  const both = filled(value, 'model');
  const named = filled(value, 'modelId') ?? both?.slice(both.indexOf('/') + 1);
  return named === undefined ? [] : changed(page, 'model', cut(named, 120));
}

export function thinkingChange(page: Page, value: JsonObject): readonly Piece[] {
  const level = asStr(field(value, 'thinkingLevel'));
  return level === undefined ? [] : changed(page, 'thinking', cut(level, 60));
}

export function modeChange(page: Page, value: JsonObject): readonly Piece[] {
  const mode = filled(value, 'mode');
  return mode === undefined ? [] : changed(page, 'mode', cut(mode, 60));
}

/** What a session begins with is no change; neither is what it has already. */
function changed(page: Page, name: 'model' | 'thinking' | 'mode', value: string): readonly Piece[] {
  const before = page.state[name];
  page.state[name] = value;
  if (name === 'model') noteFacts(page, { model: value });
  return before === null || before === value ? [] : [piece('setting', { name, value }, 'harness')];
}
