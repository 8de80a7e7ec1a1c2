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

export function readTurnStarted(reading: Reading, line: Line): void {
  const { state, pen } = reading;
  const turnId = filled(line.payload, 'turn_id');
  const base = state.lastKey;
  clear(reading);
  state.turn = turnId ?? pen.key;
  state.running = true;
  state.turnBase = base;
  state.promptedTurn = false;
  state.compacted = false;
  pen.entry('turn', { phase: 'started', ...(turnId !== undefined && { turnId }) }, 'harness', aliases(turnId));
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
  clear(reading);
  if (turnId === undefined || turnId === reading.state.turn) reading.state.running = false;
  reading.pen.entry(
    'turn',
    { ...outcome, ...(turnId !== undefined && { turnId }), ...(durationMs !== undefined && { durationMs }) },
    'harness',
  );
  reading.state.importing = false;
  touch(reading, line);
}

function clear(reading: Reading): void {
  settleFacts(reading);
  endMessage(reading);
  reading.state.echoes = [];
}

function touch(reading: Reading, line: Line): void {
  if (line.at !== null && !reading.pen.inherited) reading.pen.facts({ updatedAt: line.at });
}

function aliases(turnId: string | undefined): { readonly aliases?: readonly string[]; readonly nativeId?: string } {
  return turnId === undefined ? {} : { aliases: [`turn:${turnId}`], nativeId: turnId };
}
