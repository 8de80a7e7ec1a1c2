/**
 * The identity of records over all copies of them. A key is a hash over what the record says and over what stands before it,
 * begun anew at each turn id and at each compaction: so a fork that copies its parent's lines with new times has the parent's
 * keys, two equal prompts in one thread stay two, and a thread that Codex rewrites in place (a legacy rollout made paginated,
 * a rollout that begins at its compaction) stays the same. Ordinals are places only: other rollouts name their base by them.
 */
import * as crypto from 'node:crypto';
import type { NativeRecord } from '../../contract/read.ts';
import { str } from '../../kit/fields.ts';
import { uuidTime } from '../rollout-name.ts';
import { essence } from './essence.ts';
import type { Line } from './record.ts';
import { remember, type CodexState, type KeyState } from './state.ts';

/** Records that Codex repeats, adds or leaves out as it likes: they have keys but the chain does not run through them. */
const volatile = new Set([
  'turn_context',
  'world_state',
  'token_usage_record',
  'token_count',
  'thread_settings_applied',
  'state',
  'ghost_snapshot',
]);

export function keyOf(state: CodexState, line: Line): string {
  const keys = state.keys;
  const inner = str(line.payload, 'type') ?? '';
  if (line.type === 'session_meta') return metaKey(state, str(line.payload, 'id') ?? '');
  const own = hash(keys.chain, line.type, essence(line.type, line.payload));
  if (volatile.has(line.type) || volatile.has(inner)) return beside(keys, own);
  const turn = turnMark(line, inner);
  if (turn !== undefined && uuidTime(turn) === undefined) return beside(keys, own);
  const started = turn !== undefined && inner.endsWith('_started') ? hash('turn', salt(state), turn) : undefined;
  const anchor =
    line.type === 'compacted' ? hash('compacted', salt(state), keys.seed, essence(line.type, line.payload)) : started;
  if (anchor === undefined || keys.anchors.includes(anchor)) return advance(keys, own);
  remember(keys.anchors, anchor, 64);
  return advance(keys, anchor);
}

export function damagedKey(state: CodexState, record: NativeRecord & { readonly ok: false }): string {
  return advance(state.keys, hash(state.keys.chain, 'damaged', record.text));
}

/** The name under which other rollouts refer to this record; undefined for a record without a place of its own. */
export function placeName(state: CodexState, ordinal: number | undefined): string | undefined {
  if (ordinal === undefined || ordinal <= state.keys.ordinal) return undefined;
  state.keys.ordinal = ordinal;
  return `${state.part}#${padded(ordinal)}`;
}

/** The last record below `ordinal` in another rollout of the thread family, to be looked up with `floor`. */
export function before(part: string, ordinal: number): { readonly key: string; readonly floor: string } | null {
  return ordinal > 0 ? { key: `${part}#${padded(ordinal - 1)}`, floor: `${part}#` } : null;
}

/** What comes from now on is the fork's own: no key of the parent's can come up again. */
export function startOwnChain(state: CodexState): void {
  state.keys.seed = state.thread;
  state.keys.chain = hash(state.keys.chain, 'own', state.thread);
}

export function hash(...parts: readonly string[]): string {
  return crypto.hash('sha256', parts.join('\n'), 'hex').slice(0, 32);
}

/** A second header of the same thread is a record like others; a rewind's file begins with its thread's header again. */
function metaKey(state: CodexState, id: string): string {
  const keys = state.keys;
  if (keys.seeds.includes(id)) return advance(keys, hash(keys.chain, 'thread', id));
  remember(keys.seeds, id, 32);
  keys.seed = id;
  return advance(keys, hash('thread', salt(state), id, state.part === state.thread ? '' : state.part));
}

/** A sub-agent's history is a copy in part: what it shares with its parent it does not share line by line. */
function salt(state: CodexState): string {
  return state.child ? state.thread : '';
}

/** The turn that this record begins or ends. Turn ids that are no uuid are made up by Codex, now or when it rewrites. */
function turnMark(line: Line, inner: string): string | undefined {
  return line.type === 'event_msg' &&
    (inner.startsWith('task_') || inner.startsWith('turn_')) &&
    /^(?:task|turn)_(?:started|complete)$/.test(inner)
    ? (str(line.payload, 'turn_id') ?? '')
    : undefined;
}

/** The same words again at the same place of the chain are another record. */
function beside(keys: KeyState, own: string): string {
  const times = keys.beside.filter((other) => other === own).length;
  remember(keys.beside, own, 32);
  return `codex:${own}${times === 0 ? '' : `+${times}`}`;
}

function advance(keys: KeyState, chain: string): string {
  keys.chain = chain;
  if (keys.beside.length > 0) keys.beside = [];
  return `codex:${chain}`;
}

function padded(number: number): string {
  return String(number).padStart(12, '0');
}
