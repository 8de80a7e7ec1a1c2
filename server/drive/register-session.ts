/**
 * The native session that goes on with a thread, in the transaction of its hand-over: one that Loom wrote, one that it has put bytes behind,
 * or one that a harness will begin from a prompt. Where there are bytes of Loom's the source's cursor stands behind them, so that they are
 * never read as new, and they are in the archive.
 */
import { archiveChunks } from '../ledger/archive-chunk.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import { heldPath } from '../../shuttles/kit/held-session.ts';
import { openSource } from '../../shuttles/kit/source.ts';
import type { Handoff } from './handoff.ts';
import type { Carrier } from './made.ts';

/** Returns the session's number, which `owns` is told first. Throws `Fault` C009. */
export function registerSession(
  ledger: Ledger,
  handoff: Handoff,
  row: ThreadRow,
  position: Position,
  owns: (native: number) => void,
): number {
  const { carrier } = handoff;
  const native = numberOf(ledger, handoff, row);
  owns(native);
  switch (carrier.mode) {
    case 'native':
      readThrough(
        ledger,
        handoff,
        row,
        position,
        { ...newSource(ledger, handoff, carrier.back.held?.path), native, part: carrier.back.identity.part },
        carrier,
      );
      break;
    case 'return':
      readThrough(ledger, handoff, row, position, sameSource(ledger, carrier.source), carrier);
      break;
    case 'prompt': {
      const { token, folder } = carrier;
      ledger.expected.put({ token, harness: handoff.shuttle.harness, native, folder, ...position, at: handoff.at });
    }
  }
  return native;
}

function numberOf(ledger: Ledger, { carrier, id, shuttle, change }: Handoff, row: ThreadRow): number {
  if (carrier.mode === 'return') {
    const { number } = carrier.native;
    const now = ledger.natives.byNumber(number);
    if (now === undefined) throw new Fault('C009', 'The session that it goes back to is not there any more.');
    ledger.natives.update({ ...now, ...headOf(now, carrier) });
    return number;
  }
  return ledger.natives.insert({
    harness: shuttle.harness,
    native_id: id,
    thread: row.number,
    session: row.session,
    child_of: null,
    child_call: null,
    child_title: null,
    // Until it is there, a session that the harness begins itself has no file.
    written_by_loom: carrier.mode === 'native' ? 1 : 0,
    path: carrier.mode === 'native' ? change.path : '',
  });
}

/** The harness goes on from what was put behind, whatever its records had named before. */
function headOf(native: NativeRow, { back }: Extract<Carrier, { mode: 'return' }>): Pick<NativeRow, 'head_key' | 'head_exact'> {
  if (back.head !== undefined) return { head_key: back.head.key, head_exact: back.head.exact ? 1 : 0 };
  return { head_key: native.head_key === null ? null : (back.keys.at(-1) ?? null), head_exact: 0 };
}

/** `held`: of a session in a container its path there. */
function newSource(ledger: Ledger, { change, shuttle }: Handoff, held: string | undefined): SourceRow {
  const row = ledger.sources.byNumber(ledger.sources.insert(held ?? change.path, shuttle.harness));
  if (row === undefined) throw new Error('a source that was just inserted is not there');
  return row;
}

function sameSource(ledger: Ledger, before: SourceRow): SourceRow {
  const row = ledger.sources.byNumber(before.number);
  if (row?.path !== before.path || row.offset !== before.offset || row.generation !== before.generation)
    throw new Fault('C009', 'The session that it goes back to was read anew meanwhile.');
  return row;
}

function readThrough(
  ledger: Ledger,
  { change }: Handoff,
  { session }: ThreadRow,
  position: Position,
  row: SourceRow,
  { back }: Extract<Carrier, { mode: 'native' | 'return' }>,
): void {
  for (const key of back.keys) ledger.keys.put(key, { session, ...position });
  const opened = openSource(change.path, change.root);
  if (!opened.ok) throw new Error(opened.refusal.detail);
  using source = opened.source;
  const { ino, birthtimeMs, mtimeMs } = source.facts;
  const state = JSON.stringify(back.state);
  const stands = {
    position_conversation: position.conversation,
    position_entry: position.entry,
    state,
    status: 'current',
    fault: null,
  } as const;
  if ('held' in back && back.held !== undefined) {
    // Counted in records. The container's own row, and its bytes in the archive, come when it is looked at next.
    const { name, length, fingerprint } = back.held;
    const identity = heldPath(ino, name);
    ledger.sources.update({
      ...row,
      ...stands,
      identity,
      fingerprint,
      birth: birthtimeMs,
      size: length,
      mtime: mtimeMs,
      offset: length,
    });
    return;
  }
  const start = change.kind === 'append' ? change.before.size : 0;
  const end = start + change.bytes.byteLength;
  ledger.sources.update({
    ...row,
    ...stands,
    identity: ino,
    fingerprint: source.fingerprint() ?? '',
    birth: birthtimeMs,
    // What the target has put behind it already is new: the file is not as long as it was read.
    size: end,
    mtime: mtimeMs,
    offset: end,
  });
  const place = { source: row.number, generation: row.generation, start };
  for (const chunk of archiveChunks(place, change.bytes)) ledger.archive.append(chunk);
}
