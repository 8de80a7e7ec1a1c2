/** Results of OpenClaw's tools: pi's reading of a result under the names that pi's tools have, and the facts that OpenClaw adds. */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { bool, count, field, filled, num, obj, str } from '../../kit/fields.ts';
import { closeCall } from '../../pi/read/call.ts';
import { userBlocks } from '../../pi/read/content.ts';
import { usageOf } from '../../pi/read/assistant.ts';
import { actionDetails, isWeb } from '../../pi/read/details.ts';
import { nestedPieces } from '../../pi/read/nested-calls.ts';
import { planAfter } from '../../pi/read/plan.ts';
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
  sessions_send: 'task',
  subagents: 'task',
  sessions_list: 'ls',
  sessions_search: 'grep',
  sessions_history: 'read',
  update_plan: 'todo',
  image_generate: 'generate_image',
  image: 'generate_image',
  ask_user: 'ask',
};

export function resultPieces(page: Page, row: Row): readonly Piece[] {
  const message = obj(row.value, 'message') ?? {};
  const toolCallId = str(message, 'toolCallId') ?? '';
  const call = closeCall(page.state, toolCallId);
  const named = str(message, 'toolName') ?? call?.name;
  const toolName = named === undefined ? undefined : cut(named, 200);
  const content = userBlocks(field(message, 'content'));
  const isError = bool(message, 'isError') === true;
  const details = detailsOf(toolName ?? '', call, message, content, isError);
  const spent = usageOf(obj(message, 'usage'));
  const plan = isError || details.action !== 'plan' ? undefined : planAfter(call, obj(message, 'details'));
  return [
    piece(
      'tool_result',
      {
        toolCallId,
        ...(toolName === undefined ? {} : { toolName }),
        content,
        isError,
        details,
      },
      isWeb(details) ? 'web' : 'tool',
      spent === undefined ? {} : { spent },
    ),
    ...(plan === undefined ? [] : [piece('plan', { items: plan }, 'model')]),
    ...nestedPieces(message),
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
  const { exitCode: assumed, status: assumedStatus, ...rest } = found;
  // A command that runs on, or waits for somebody's permission, has no code yet.
  const state = str(facts, 'status');
  const open = state === 'running' || state === 'approval-pending';
  const code = exitCode ?? (open ? undefined : assumed);
  const status = openclawStatus(facts, state, code) ?? (open ? undefined : assumedStatus);
  const background = open ? (filled(facts, 'sessionId') ?? filled(facts, 'approvalId')) : undefined;
  const extra = {
    ...rest.extra,
    ...(child === undefined ? {} : { session: cut(child, 400) }),
    ...(background === undefined ? {} : { backgroundTask: cut(background, 80) }),
    ...(state === 'approval-pending' ? { awaits: 'approval' } : {}),
  };
  return {
    ...rest,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { exitCode: code }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs: Math.round(durationMs) }),
    ...(cwd === undefined ? {} : { cwd: cut(cwd, 1000) }),
    ...(status === 'denied' ? { decision: { allowed: false, by: rest.decision?.by ?? deniedBy(facts) } } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** What OpenClaw itself says of the end; its commands fail without being errors. */
function openclawStatus(
  facts: JsonObject | undefined,
  state: string | undefined,
  code: number | undefined,
): ActionDetails['status'] {
  if (bool(facts, 'openclawSyntheticMissingToolResult') === true) return 'interrupted';
  if (state === 'blocked') return 'denied';
  if (state === 'failed' || state === 'error' || (code !== undefined && code !== 0)) return 'failed';
  return state === 'killed' || state === 'aborted' ? 'interrupted' : undefined;
}

/** A plugin's hook, or a person who was asked for permission by one. */
function deniedBy(facts: JsonObject | undefined): string {
  return cut(
    (filled(facts, 'deniedReason') ?? 'plugin').replace(/^plugin-(?=approval$)/, '').replace(/-before-tool-call$/, ''),
    60,
  );
}
