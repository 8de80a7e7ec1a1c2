/**
 * What a person typed, and what Codex put into the user role by itself. Since about 0.147 each content item says what it is
 * (`user.text`, `environments.environment_context`); before, only the text's own form tells. A prompt is never a title when
 * it is the harness's.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { strings } from '../../kit/fields.ts';
import { blockOf, contentItems } from './content.ts';
import { passthrough } from './record.ts';

export interface PromptRun {
  readonly origin: 'typed' | 'harness';
  readonly blocks: readonly UserBlock[];
}

/** Neighbouring content items of one origin as one run, in order. */
export function promptRuns(message: JsonObject): readonly PromptRun[] {
  const kinds = strings(passthrough(message), 'content_item_kinds');
  const items = contentItems(message);
  const aligned = kinds.length === items.length;
  const runs: { origin: 'typed' | 'harness'; blocks: UserBlock[] }[] = [];
  for (const [index, item] of items.entries()) {
    const block = blockOf(item);
    if (block === undefined || isImageFrame(block, items[index - 1], items[index + 1])) continue;
    const origin = originOf(block, aligned ? kinds[index] : undefined);
    const last = runs.at(-1);
    if (last?.origin === origin) last.blocks.push(block);
    else runs.push({ origin, blocks: [block] });
  }
  return runs;
}

/** Has Codex put this text into the user role? Both the opening and the closing form must be there. */
export function isInjected(text: string): boolean {
  const trimmed = text.trim();
  if (/^# AGENTS\.md instructions(?: for|\s)/.test(trimmed)) return trimmed.includes('<INSTRUCTIONS>');
  const tag = /^<([a-z][a-z_]*)(?:\s[^>]*)?>/.exec(trimmed.slice(0, 200))?.[1];
  return tag !== undefined && injectedTags.has(tag) && trimmed.endsWith(`</${tag}>`);
}

const injectedTags = new Set([
  'environment_context',
  'user_instructions',
  'turn_aborted',
  'user_shell_command',
  'user_action',
  'skill',
  'subagent_notification',
  'permissions',
  'apps_instructions',
  'plugins_instructions',
  'skills_instructions',
  'collaboration_mode',
  'model_switch',
  'personality_spec',
  'hook_prompt',
  'codex_internal_context',
  'goal_context',
]);

/** What the person asks: the editor and the desktop app put their context before it. */
export function asked(text: string): string {
  const marker = '## My request for Codex:';
  const at = text.lastIndexOf(marker);
  return at < 0 ? text : text.slice(at + marker.length);
}

function originOf(block: UserBlock, kind: string | undefined): 'typed' | 'harness' {
  if (kind !== undefined && kind !== 'unknown') return kind.startsWith('user.') ? 'typed' : 'harness';
  return block.type === 'text' && isInjected(block.text) ? 'harness' : 'typed';
}

/** Codex frames an attached picture by `<image name=…>` and `</image>` texts for its model. */
function isImageFrame(block: UserBlock, previous: JsonObject | undefined, next: JsonObject | undefined): boolean {
  if (block.type !== 'text') return false;
  if (/^<image(?:\s[^\n]*)?>$/.test(block.text)) return next?.['type'] === 'input_image';
  return block.text === '</image>' && previous?.['type'] === 'input_image';
}
