/**
 * The identity of records over all copies of them. Paginated rollouts number their lines: `<part>#<ordinal>`. Legacy ones do
 * not, and a fork copies its parent's lines with new times: there a key is a hash over the record without its time and over
 * what stands before it, begun anew at each turn id and at each compaction, so that equal prefixes give equal keys while two
 * equal prompts in one thread stay two. A repeated or missing ordinal gets a key of its own (openai/codex#41566).
 */
import * as crypto from 'node:crypto';
import type { NativeRecord } from '../../contract/read.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { asArray, asObject, str } from '../../kit/fields.ts';
import { uuidTime } from '../rollout-name.ts';
import type { Line } from './record.ts';
import { remember, type CodexState, type KeyState } from './state.ts';

/** Records that Codex repeats or leaves out as it likes: they have keys but the chain does not run through them. */
const volatile = new Set([
  'turn_context',
  'world_state',
  'token_usage_record',
  'token_count',
  'thread_settings_applied',
  'state',
]);

export function keyOf(state: CodexState, line: Line): string {
  const keys = state.keys;
  keys.mode ??= line.ordinal !== undefined || str(line.payload, 'history_mode') === 'paginated' ? 'ordinal' : 'chain';
  return keys.mode === 'ordinal' ? ordinalKey(state, line.ordinal) : chainKey(keys, line);
}

export function damagedKey(state: CodexState, record: NativeRecord & { readonly ok: false }): string {
  if (state.keys.mode === 'ordinal') return ordinalKey(state, undefined);
  return advance(state.keys, hash(state.keys.chain, 'damaged', record.text));
}

/**
 * The last record below `ordinal` in another file of the thread family, as a key to look up with `floor`: keys of one record
 * continue with a dot or a plus, and `~` sorts behind both.
 */
export function before(part: string, ordinal: number): { readonly key: string; readonly floor: string } | null {
  return ordinal > 0 ? { key: `${part}#${padded(ordinal - 1)}~`, floor: `${part}#` } : null;
}

/** What comes from now on is the fork's own: no key of the parent's can come up again. */
export function startOwnChain(state: CodexState): void {
  state.keys.seed = state.thread;
  state.keys.chain = hash(state.keys.chain, 'own', state.thread);
}

/** The same text for the same JSON whatever the order of its members; members without a value do not count. */
export function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonical).join(',')}]`;
  const object = value as JsonObject;
  const names = Object.keys(object).toSorted();
  return `{${names.flatMap((name) => ((object[name] ?? null) === null ? [] : `${JSON.stringify(name)}:${canonical(object[name])}`)).join(',')}}`;
}

export function hash(...parts: readonly string[]): string {
  return crypto.hash('sha256', parts.join('\n'), 'hex').slice(0, 32);
}

function ordinalKey(state: CodexState, ordinal: number | undefined): string {
  const keys = state.keys;
  if (ordinal !== undefined && ordinal > keys.ordinal) {
    keys.ordinal = ordinal;
    keys.extra = 0;
    return `${state.part}#${padded(ordinal)}`;
  }
  keys.extra += 1;
  return `${state.part}#${padded(Math.max(keys.ordinal, 0))}+${padded(keys.extra)}`;
}

function chainKey(keys: KeyState, line: Line): string {
  const id = str(line.payload, 'id') ?? '';
  if (line.type === 'session_meta' && !keys.seeds.includes(id)) {
    remember(keys.seeds, id, 32);
    keys.seed = id;
    return advance(keys, hash('thread', id));
  }
  const own = hash(keys.chain, line.type, essence(line.payload));
  const inner = str(line.payload, 'type') ?? '';
  if (volatile.has(line.type) || volatile.has(inner)) return `codex:${own}${occurrence(keys, own)}`;
  const anchor = anchorOf(keys, line, inner);
  if (anchor === undefined || keys.anchors.includes(anchor)) return advance(keys, own);
  remember(keys.anchors, anchor, 64);
  return advance(keys, anchor);
}

/** The same words again at the same place of the chain are another record. */
function occurrence(keys: KeyState, own: string): string {
  const times = keys.beside.filter((other) => other === own).length;
  remember(keys.beside, own, 32);
  return times === 0 ? '' : `+${times}`;
}

const telling = [
  'type',
  'role',
  'turn_id',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
  'action',
  'output',
  'message',
  'text',
  'content',
];
const more = ['summary', 'encrypted_content', 'changes', 'info', 'replacement_history', 'num_turns', 'item'];

/** What a record says, without the ids and the empty fields that a later version adds when it writes a copy. */
function essence(payload: JsonObject): string {
  const parts = [...telling, ...more].flatMap((name) => {
    const value = payload[name] ?? null;
    if (value === null) return [];
    if (typeof value === 'string') return [name, value];
    return [name, name === 'content' ? contents(value) : canonical(value)];
  });
  return parts.length > 2 ? parts.join('\n') : canonical(payload);
}

function contents(content: JsonValue): string {
  return (asArray(content) ?? [content])
    .map((item) => str(asObject(item), 'text') ?? str(asObject(item), 'image_url') ?? canonical(item))
    .join('\n');
}

function anchorOf(keys: KeyState, line: Line, inner: string): string | undefined {
  if (line.type === 'compacted') return hash('compacted', keys.seed, essence(line.payload));
  if (line.type !== 'event_msg' || (inner !== 'task_started' && inner !== 'turn_started')) return undefined;
  const turn = str(line.payload, 'turn_id');
  return turn !== undefined && uuidTime(turn) !== undefined ? hash('turn', turn) : undefined;
}

function advance(keys: KeyState, chain: string): string {
  keys.chain = chain;
  keys.beside = [];
  return `codex:${chain}`;
}

function padded(number: number): string {
  return String(number).padStart(12, '0');
}
