/**
 * Reads a native session that was just made through the harness's own reader, before anything is written: it must be what
 * was meant, with nothing damaged, and every tool call answered once. Also gives the reader's state behind it, from which
 * what the target appends is read.
 */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Draft, ReadOutput, SourceIdentity, Sidecars } from '../../shuttles/contract/read.ts';
import type { Shuttle, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';

export interface ReadBack {
  /** A whole sentence; undefined: it is good. */
  readonly problem: string | undefined;
  readonly identity: SourceIdentity;
  readonly state: JsonValue;
  /** Keys of all of its records, in order. */
  readonly keys: readonly string[];
  readonly drafts: readonly Draft[];
}

export function readBack(shuttle: Shuttle, written: WrittenSession, sidecars: Sidecars): ReadBack {
  const { reader } = shuttle;
  const cutter = new RecordCutter(0);
  const records = cutter.feed(written.bytes);
  const identity = reader.identify(written.path, records.slice(0, 64), sidecars) ?? { nativeId: '', part: '', needs: [] };
  const { state, outputs } = reader.read(reader.start(identity, written.path), records);
  const drafts = outputs.filter((output) => output.type === 'entry');
  const problem = problemOf(written, identity, drafts, cutter.pending);
  return { problem, identity, state, keys: keysOf(outputs), drafts };
}

/** The first key of each record. */
export function keysOf(outputs: readonly ReadOutput[]): readonly string[] {
  return outputs.flatMap((output) => (output.type === 'entry' || output.type === 'mark' ? output.keys.slice(0, 1) : []));
}

function problemOf(
  written: WrittenSession,
  identity: SourceIdentity,
  drafts: readonly Draft[],
  pending: number,
): string | undefined {
  if (pending === 0 && identity.nativeId !== written.nativeId)
    return `It reads back as session ${identity.nativeId || '(none)'} instead of ${written.nativeId}.`;
  const damage = damageIn(drafts, pending);
  if (damage !== undefined) return damage;
  return drafts.some((draft) => draft.kind === 'user') ? undefined : 'It has no prompt.';
}

/** What no session may have: a torn end, a record that is not understood, a call without its one result. A whole sentence. */
export function damageIn(drafts: readonly Draft[], pending: number): string | undefined {
  if (pending > 0) return 'Its last record is not ended.';
  const damaged = drafts.find((draft) => draft.kind === 'opaque');
  if (damaged !== undefined) return `The record at byte ${damaged.offset} is not understood.`;
  const open = new Map<string, number>();
  for (const draft of drafts) {
    if (draft.kind === 'assistant')
      for (const block of draft.content.content) if (block.type === 'toolCall') open.set(block.id, (open.get(block.id) ?? 0) + 1);
    if (draft.kind === 'tool_result') open.set(draft.content.toolCallId, (open.get(draft.content.toolCallId) ?? 0) - 1);
  }
  for (const [id, balance] of open)
    if (balance !== 0) return `The tool call ${id} has ${balance > 0 ? 'no result' : 'a result too many'}.`;
  return undefined;
}
