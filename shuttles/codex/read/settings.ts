/**
 * Model, mode, permission, thinking level and cwd, which Codex repeats with every turn: said on change only. The first value
 * of the model is said too, so that a fork without a turn of its own has an entry.
 */
import { filled, obj, str } from '../../kit/fields.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import type { SettingName } from './state.ts';

export function readTurnContext(reading: Reading, line: Line): void {
  const context = line.payload;
  common(reading, context);
  const approval = filled(context, 'approval_policy');
  const sandbox = filled(obj(context, 'sandbox_policy'), 'type') ?? filled(obj(context, 'sandbox_policy'), 'mode');
  if (approval !== undefined) change(reading, 'permission', sandbox === undefined ? approval : `${approval}, ${sandbox}`);
  const effort = filled(context, 'effort');
  if (effort !== undefined) change(reading, 'thinking', effort);
}

export function readThreadSettings(reading: Reading, line: Line): void {
  const settings = obj(line.payload, 'thread_settings');
  if (settings === undefined) return;
  reading.state.provider = filled(settings, 'model_provider_id') ?? reading.state.provider;
  common(reading, settings);
}

export function change(reading: Reading, name: SettingName, value: string): void {
  const { state, pen } = reading;
  const known = state.settings[name];
  if (known === value) return;
  state.settings[name] = value;
  if (name === 'model' && !pen.inherited) pen.facts({ model: value });
  if (name === 'cwd' && !pen.inherited) pen.facts({ cwd: value });
  if (known !== undefined || name === 'model') pen.entry('setting', { name, value }, 'harness');
}

function common(reading: Reading, settings: JsonObject): void {
  const model = filled(settings, 'model');
  if (model !== undefined) change(reading, 'model', model);
  const cwd = filled(settings, 'cwd');
  if (cwd !== undefined) change(reading, 'cwd', cwd);
  const mode = str(obj(settings, 'collaboration_mode'), 'mode');
  if (mode !== undefined) change(reading, 'mode', mode);
}
