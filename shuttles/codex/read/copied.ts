/**
 * Which records of a fork are copies of its parent's. Legacy forks repeat the parent's lines behind its header, with new times
 * but the old turn ids; sub-agents with history say at which ordinal their own begins. Paginated forks copy nothing.
 */
import type { JsonObject } from '../../contract/json.ts';
import { count, isoTime, obj, str } from '../../kit/fields.ts';
import { uuidTime } from '../rollout-name.ts';
import { startOwnChain } from './keys.ts';
import { turnOf, type Line } from './record.ts';
import { isForeign, type CodexState } from './state.ts';

/** Longest time that the copying itself is taken to last, where no turn id tells. */
const copying = 10_000;

/** At the file's own header: does a copied head follow? */
export function expectCopies(state: CodexState, meta: JsonObject, at: number | null): void {
  const until = count(meta, 'subagent_history_start_ordinal');
  if (until !== undefined) state.copied = { by: 'ordinal', until };
  else if (str(meta, 'forked_from_id') !== undefined && obj(meta, 'history_base') === undefined) {
    state.copied = { by: 'time', until: forkTime(meta, at), turnIds: false };
  }
}

/** At a second header, another thread's: everything up to the fork's time is that thread's. */
export function copiesOf(state: CodexState, own: number): void {
  state.copied ??= { by: 'time', until: own, turnIds: false };
}

/** Is this record a copy? Forgets the copied head when it has ended. */
export function isCopy(state: CodexState, line: Line): boolean {
  const copied = state.copied;
  if (copied === null) return false;
  if (copied.by === 'ordinal') {
    if (line.ordinal === undefined || line.ordinal < copied.until) return true;
    state.copied = null;
    return false;
  }
  if (!isOwn(state, line, copied.until, copied.turnIds)) {
    const turn = turnOf(line);
    if (turn !== undefined && uuidTime(turn) !== undefined) state.copied = { ...copied, turnIds: true };
    return true;
  }
  state.copied = null;
  startOwnChain(state);
  // Said again, so that a fork without a turn of its own has an entry, and with it a place where it was forked.
  delete state.settings.model;
  return false;
}

export function forkTime(meta: JsonObject, at: number | null): number {
  return isoTime(str(meta, 'timestamp')) ?? at ?? 0;
}

function isOwn(state: CodexState, line: Line, fork: number, turnIds: boolean): boolean {
  if (line.type === 'session_meta') return false;
  const turn = turnOf(line);
  const began = turn === undefined ? undefined : uuidTime(turn);
  // The turn is believed before the thread: a rewritten fork has its own id on the copies of its parent's items.
  if (began !== undefined) return began >= fork;
  const thread = str(line.payload, 'thread_id');
  if (thread !== undefined) return !isForeign(state, thread);
  return !turnIds && line.at !== null && line.at > fork + copying;
}
