/**
 * Reads bytes that are to go behind a session's end through the harness's own reader, from the state in which that stands there: they must
 * go on from the session's last record, repeat none, be damaged nowhere, have the baton and answer every tool call once.
 */
import type { KeyPosition } from '../ledger/keys-table.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Draft, ReadOutput } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { damageIn, keysOf } from './read-back.ts';

export interface AppendedBack {
  /** A whole sentence; undefined: it is good. */
  readonly problem: string | undefined;
  /** The reader's state behind them. */
  readonly state: JsonValue;
  readonly keys: readonly string[];
  readonly drafts: readonly Draft[];
  /** Where the harness goes on from, when the records say so. */
  readonly head: { readonly key: string | null; readonly exact: boolean } | undefined;
}
export interface Expected {
  readonly baton: string;
  /** Where a record stands that the ledger has. */
  readonly key: (key: string) => KeyPosition | undefined;
  /** The conversation whose end the session stands at. */
  readonly stands: { readonly session: string; readonly conversation: number };
}

/** `state`: the reader's, as JSON, at the byte `offset`. */
export function appendBack(
  { reader }: Shuttle,
  state: string,
  offset: number,
  bytes: Uint8Array,
  expected: Expected,
): AppendedBack {
  const cutter = new RecordCutter(offset);
  const records = cutter.feed(bytes);
  const read = reader.read(JSON.parse(state) as JsonValue, records);
  const drafts = read.outputs.filter((output) => output.type === 'entry');
  const keys = keysOf(read.outputs);
  // Before the baton stand results of calls that the session's own end left without one.
  const packet = drafts.findIndex(({ kind }) => kind === 'user');
  const carried = drafts.slice(Math.max(0, packet));
  const problem =
    damageIn(carried, cutter.pending) ??
    batonIn(drafts, expected.baton) ??
    repeated(keys, expected) ??
    standing(drafts, keys, expected);
  return { problem, state: read.state, keys, drafts, head: read.outputs.findLast(isHead) };
}

function isHead(output: ReadOutput): output is Extract<ReadOutput, { readonly type: 'head' }> {
  return output.type === 'head';
}

/** The first prompt says the baton, or the packet's begin of it. */
function batonIn(drafts: readonly Draft[], baton: string): string | undefined {
  const first = drafts.find((draft) => draft.kind === 'user');
  if (first === undefined) return 'It has no prompt.';
  const text = first.content.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const begin = baton.trim().split('\n')[0] ?? '';
  return text.includes(begin) ? undefined : 'Its first prompt is not the hand-over.';
}

function repeated(keys: readonly string[], { key }: Expected): string | undefined {
  const known = keys.find((one) => key(one) !== undefined);
  return known === undefined ? undefined : `Its record ${known} is there already.`;
}

/** In a tree of records the first one hangs on the record that the session stands at. */
function standing(drafts: readonly Draft[], keys: readonly string[], { key, stands }: Expected): string | undefined {
  const place = drafts[0]?.place;
  if (place === undefined || place.kind === 'tip') return undefined;
  const after = place.kind === 'after' ? place.key : place.after;
  if (after !== null && keys.includes(after)) return undefined;
  const at = after === null ? undefined : key(after);
  if (at?.session === stands.session && at.conversation === stands.conversation) return undefined;
  return 'It does not go on from where the session stands.';
}
