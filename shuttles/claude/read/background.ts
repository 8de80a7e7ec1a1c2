/**
 * Commands and subagents that run on behind the talk. The call's result says that they began; news of their end come as text in the user
 * role (`<task-notification>`), perhaps much later, and name the call and the task. The end is a step; the text itself stays what the
 * model was given.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import { asObject, filled, oneLine, type Loose } from '../../kit/fields.ts';
import { isAgentId } from '../names.ts';
import { piece, type Piece } from './page.ts';
import { element } from './prompt.ts';
import { cut, remember, type OpenCall, type State } from './state.ts';

const longestOutput = 100_000;

/** The result of a call says that it goes on under this name. */
export function noteBackground(state: State, call: OpenCall | undefined, facts: Loose): void {
  const id = filled(asObject(facts), 'backgroundTaskId');
  if (id === undefined) return;
  remember(state, 'background', { id: cut(id, 80), command: call?.command ?? '' });
}

/** Undefined: the text is no such news. */
export function backgroundStep(state: State, text: string): Piece | undefined {
  if (!text.trimStart().startsWith('<task-notification>')) return undefined;
  const id = element(text, 'task-id')?.trim() ?? '';
  const status = element(text, 'status')?.trim() ?? '';
  const summary = element(text, 'summary')?.trim() ?? '';
  if (id === '' || status === '') return undefined;
  const command = state.background.find((known) => known.id === cut(id, 80))?.command;
  if (status !== 'running') state.background = state.background.filter((known) => known.id !== cut(id, 80));
  const code = /\bexit code (-?\d{1,10})\b/.exec(summary)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const isAgent = /^Agent\b/.test(summary);
  const isCommand = !isAgent && (command !== undefined || /\bcommand\b/i.test(summary));
  const spent = /<duration_ms>(\d{1,12})<\/duration_ms>/.exec(text)?.[1];
  const output = element(text, 'result');
  const ended = statusOf(status, exitCode);
  const details: ActionDetails = {
    action: isAgent ? 'agent' : isCommand ? 'command' : 'other',
    ...(ended === undefined ? {} : { status: ended }),
    ...(command === undefined || command === '' ? {} : { command }),
    ...(exitCode === undefined || isAgent ? {} : { exitCode }),
    ...(spent === undefined ? {} : { durationMs: Number(spent) }),
    ...(isAgent && isAgentId(id) ? { agent: id } : {}),
    extra: { backgroundTask: cut(id, 80) },
  };
  return piece(
    'step',
    {
      stepId: cut(id, 80),
      title: oneLine((command ?? '') || summary || `Task ${id} ${status}`, 200),
      ...(output === undefined ? {} : { output: cut(output, longestOutput) }),
      isError: ended === 'failed',
      details,
    },
    'tool',
    { name: 'background' },
  );
}

function statusOf(status: string, exitCode: number | undefined): ActionDetails['status'] {
  if (status === 'killed' || status === 'stopped' || status === 'cancelled') return 'interrupted';
  if (status === 'failed' || status === 'error' || (exitCode !== undefined && exitCode !== 0)) return 'failed';
  return status === 'completed' ? 'completed' : undefined;
}
