/** Results of OpenClaw's tools: pi's reading of a result under the names that pi's tools have, and the facts that OpenClaw adds. */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { bool, count, field, filled, num, obj, str } from '../../kit/fields.ts';
import { closeCall } from '../../pi/read/call.ts';
import { userBlocks } from '../../pi/read/content.ts';
import { actionDetails, isWeb } from '../../pi/read/details.ts';
import { piece, type Piece } from '../../pi/read/page.ts';
import type { Row } from '../../pi/read/row.ts';
import { cut, type OpenCall } from '../../pi/read/state.ts';
import type { Page } from './state.ts';

/** Tools of OpenClaw by what pi's of the same kind is called. */
const kinds: Readonly<Record<string, string>> = {
  exec: 'bash',
  process: 'bash',
  apply_patch: 'edit',
  memory_search: 'grep',
  memory_get: 'read',
  sessions_spawn: 'task',
  sessions_list: 'ls',
  update_plan: 'todo',
  image_generate: 'generate_image',
};

export function resultPieces(page: Page, row: Row): readonly Piece[] {
  const message = obj(row.value, 'message') ?? {};
  const toolCallId = str(message, 'toolCallId') ?? '';
  const call = closeCall(page.state, toolCallId);
  const named = str(message, 'toolName') ?? call?.name;
  const toolName = named === undefined ? undefined : cut(named, 200);
  const content = userBlocks(field(message, 'content'));
  const isError = bool(message, 'isError') === true;
  return [
    piece(
      'tool_result',
      {
        toolCallId,
        ...(toolName === undefined ? {} : { toolName }),
        content,
        isError,
        details: detailsOf(toolName ?? '', call, message, content, isError),
      },
      isWeb(toolName ?? '') ? 'web' : 'tool',
    ),
  ];
}

/** `message` holds `details` as the tool gave them. */
export function detailsOf(
  toolName: string,
  call: OpenCall | undefined,
  message: JsonObject,
  content: readonly UserBlock[],
  isError: boolean,
): ActionDetails {
  const name = Object.hasOwn(kinds, toolName) ? (kinds[toolName] ?? toolName) : toolName;
  const facts = obj(message, 'details');
  const found = actionDetails({ call, toolName: name, message, content, isError });
  const exitCode = found.action === 'command' ? count(facts, 'exitCode') : undefined;
  const durationMs = num(facts, 'durationMs');
  const cwd = found.action === 'command' ? filled(facts, 'cwd') : undefined;
  const child = filled(facts, 'childSessionKey');
  const { exitCode: assumed, ...rest } = found;
  // A command that runs on has no code yet.
  const runs = str(facts, 'status') === 'running';
  const code = exitCode ?? (runs ? undefined : assumed);
  return {
    ...rest,
    ...(code === undefined ? {} : { exitCode: code }),
    ...(bool(facts, 'openclawSyntheticMissingToolResult') === true ? { status: 'interrupted' } : {}),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs: Math.round(durationMs) }),
    ...(cwd === undefined ? {} : { cwd: cut(cwd, 1000) }),
    ...(child === undefined ? {} : { extra: { ...rest.extra, session: cut(child, 400) } }),
  };
}
