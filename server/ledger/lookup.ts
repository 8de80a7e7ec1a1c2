/** Finds the thread that a person named: by its id, by a unique beginning of it, or by a native session's id. */
import { Fault } from '../protocol/faults.ts';
import type { Ledger } from './ledger.ts';
import type { ThreadRow } from './threads-table.ts';

/** Throws `Fault` T001 (none) or T002 (several). */
export function findThread(ledger: Ledger, name: string): ThreadRow {
  const exact = ledger.threads.byId(name);
  if (exact !== undefined) return exact;
  const natives = ledger.natives.byAnyNativeId(name);
  const threads = new Set(natives.map((native) => native.thread));
  if (threads.size > 1) throw new Fault('T002', name);
  const [number] = threads;
  if (number !== undefined) {
    const row = ledger.threads.byNumber(number);
    if (row !== undefined) return row;
  }
  const beginning = name === '' ? [] : ledger.threads.byPrefix(name);
  if (beginning.length > 1) throw new Fault('T002', name);
  const [only] = beginning;
  if (only === undefined) throw new Fault('T001', name);
  return only;
}

/** As `findThread`; undefined: nothing that is known already fits, or too much does. */
export function knownThread(ledger: Ledger, name: string): ThreadRow | undefined {
  try {
    return findThread(ledger, name);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The conversation that a native id of a subagent names within the thread, or the thread's current one. */
export function conversationOf(ledger: Ledger, thread: ThreadRow, name: string): number {
  const child = ledger.natives.byThread(thread.number).find((native) => native.native_id === name && native.child_of !== null);
  return child === undefined
    ? thread.current_conversation
    : (ledger.branches.byNative(child.number)[0]?.conversation ?? thread.current_conversation);
}
