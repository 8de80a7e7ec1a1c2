/**
 * Turn boundaries. A turn is over with `task_complete` (with an error: it failed) or `turn_aborted`; a process that was killed
 * leaves neither, and the turn stays open. Echoes and waiting facts never outlive their turn.
 */
import type { TurnContent } from '../../contract/entry.ts';
import { count, filled, num, obj, str } from '../../kit/fields.ts';
import { settleFacts } from './calls.ts';
import { endMessage } from './messages.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import type { Echo } from './state.ts';
import { readFailure } from './trouble.ts';

export function readTurnStarted(reading: Reading, line: Line): void {
  const { state, pen } = reading;
  const turnId = filled(line.payload, 'turn_id');
  const base = state.lastKey;
  const prompt = clear(reading);
  state.turn = turnId ?? pen.key;
  state.running = true;
  state.turnBase = base;
  state.promptedTurn = false;
  state.compacted = false;
  pen.entry('turn', { phase: 'started', ...(turnId !== undefined && { turnId }) }, 'harness', aliases(turnId));
  carry(reading, prompt);
  touch(reading, line);
}

export function readTurnComplete(reading: Reading, line: Line): void {
  const error = obj(line.payload, 'error');
  const message =
    str(line.payload, 'error') ??
    (error === undefined ? undefined : (filled(error, 'message') ?? filled(error, 'codex_error_info') ?? 'error'));
  end(reading, line, message === undefined ? { phase: 'completed' } : { phase: 'failed', error: message });
}

export function readTurnAborted(reading: Reading, line: Line): void {
  end(reading, line, { phase: 'interrupted' });
}

/** Codex before the paginated form drops the newest turns in place: what follows stands where the first of them began. */
export function readRollback(reading: Reading, line: Line): void {
  const { state } = reading;
  const turns = count(line.payload, 'num_turns') ?? 0;
  if (turns === 0 || state.turnBases.length === 0) return;
  const dropped = state.turnBases.splice(Math.max(0, state.turnBases.length - turns));
  clear(reading);
  state.jump = { key: dropped[0] ?? null, floor: null };
}

function end(reading: Reading, line: Line, outcome: Pick<TurnContent, 'phase' | 'error'>): void {
  const turnId = filled(line.payload, 'turn_id');
  const durationMs = num(line.payload, 'duration_ms');
  const prompt = clear(reading);
  if (outcome.phase === 'failed') readFailure(reading, line, outcome.error ?? 'error');
  reading.state.trouble = null;
  if (turnId === undefined || turnId === reading.state.turn) reading.state.running = false;
  reading.pen.entry(
    'turn',
    { ...outcome, ...(turnId !== undefined && { turnId }), ...(durationMs !== undefined && { durationMs }) },
    'harness',
  );
  carry(reading, prompt);
  reading.state.importing = false;
  touch(reading, line);
}

/**
 * Gives back the prompt that was the last thing said: where Codex puts in turn records afterwards (`migrate-rollouts` on
 * rollouts before 0.125), they come between the two forms of a prompt.
 */
function clear(reading: Reading): Echo | undefined {
  const { state } = reading;
  const last = state.echoes.at(-1);
  const prompt = last?.role === 'user' && last.form === 'model' && last.entries === state.entries ? last : undefined;
  settleFacts(reading);
  endMessage(reading);
  state.echoes = [];
  return prompt;
}

function carry(reading: Reading, prompt: Echo | undefined): void {
  if (prompt !== undefined) reading.state.echoes = [{ ...prompt, entries: reading.state.entries }];
}

function touch(reading: Reading, line: Line): void {
  if (line.at !== null && !reading.pen.inherited) reading.pen.facts({ updatedAt: line.at });
}

function aliases(turnId: string | undefined): { readonly aliases?: readonly string[]; readonly nativeId?: string } {
  return turnId === undefined ? {} : { aliases: [`turn:${turnId}`], nativeId: turnId };
}
