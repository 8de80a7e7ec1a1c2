/**
 * Reads a native session that was just made through the harness's own reader, before anything is written: it must be what
 * was meant, with nothing damaged, and every tool call answered once. Also gives the reader's state behind it, from which
 * what the target appends is read. A session is a file of lines, or a database with one session in it.
 */
import type { Databases, Tables } from '../../shuttles/contract/container.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Draft, NativeRecord, ReadOutput, SourceIdentity, Sidecars } from '../../shuttles/contract/read.ts';
import type { Shuttle, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { heldFingerprint, heldPath } from '../../shuttles/kit/held-session.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';

export interface ReadBack {
  /** A whole sentence; undefined: it is good. */
  readonly problem: string | undefined;
  readonly identity: SourceIdentity;
  readonly state: JsonValue;
  /** Keys of all of its records, in order. */
  readonly keys: readonly string[];
  readonly drafts: readonly Draft[];
  /** Of a session in a container: how it is known there. */
  readonly held: HeldBack | undefined;
}
export interface HeldBack {
  readonly path: string;
  readonly name: string;
  /** Records. */
  readonly length: number;
  readonly fingerprint: string;
}

interface Read {
  readonly path: string;
  readonly records: readonly NativeRecord[];
  readonly pending: number;
  readonly held: HeldBack | undefined;
}

/** Records by which the harness's reader tells whose session it is. */
const headRecords = 64;

export function readBack(shuttle: Shuttle, written: WrittenSession, sidecars: Sidecars, databases: Databases): ReadBack {
  const { reader } = shuttle;
  const { path, records, pending, held } =
    written.form === 'database' ? heldOf(shuttle, written, sidecars, databases) : linesOf(written);
  const identity = reader.identify(path, records.slice(0, headRecords), sidecars) ?? { nativeId: '', part: '', needs: [] };
  const { state, outputs } = reader.read(reader.start(identity, path), records);
  const drafts = outputs.filter((output) => output.type === 'entry');
  const problem = problemOf(written, identity, drafts, pending);
  return { problem, identity, state, keys: keysOf(outputs), drafts, held };
}

function linesOf({ path, bytes }: WrittenSession): Read {
  const cutter = new RecordCutter(0);
  const records = cutter.feed(bytes);
  return { path, records, pending: cutter.pending, held: undefined };
}

/** The one session that the file holds; without one there are no records, and it reads back as nobody's. */
function heldOf({ container }: Shuttle, { path, bytes }: WrittenSession, sidecars: Sidecars, databases: Databases): Read {
  return databases.read(bytes, (tables: Tables) => {
    const content = { form: 'database', path, tables } as const;
    const found = container?.sessions(content, sidecars) ?? { sessions: [] };
    const [session, ...others] = 'refused' in found ? [] : found.sessions;
    if (container === undefined || session === undefined || others.length > 0)
      return { path, records: [], pending: 0, held: undefined };
    const { name, length, generation = '' } = session;
    const records = [...container.records(content, name, 0, sidecars)];
    const place = heldPath(path, name);
    const fingerprint = heldFingerprint(records.slice(0, headRecords), generation);
    return { path: place, records, pending: 0, held: { path: place, name, length, fingerprint } };
  });
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
