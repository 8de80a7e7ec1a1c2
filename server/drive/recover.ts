/**
 * What a crash left of hand-overs, ended by the next owner before anything is read: the tasks that were live, and rows that are
 * `pending` although no task knows of them, as an earlier version of the ledger left them.
 */
import type { Task } from '../engine/records.ts';
import { continueTask } from '../ledger/continue-task.ts';
import type { ContinueState } from '../ledger/continue-task.ts';
import type { HandoffRow } from '../ledger/handoffs-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { removeAsides, takeBack } from './change.ts';
import { liveHandovers } from './live-handovers.ts';
import type { World } from './world.ts';

/** Returns one line for each that was found; never throws for what cannot be ended now, which stays as it is for the next owner. */
export async function recoverHandovers(ledger: Ledger, world: World): Promise<readonly string[]> {
  const lines: string[] = [];
  const stuck = new Set<string>();
  for (const session of ledger.liveSessions()) {
    try {
      for (const task of await recoverSession(ledger, session, lines)) stuck.add(task.state.nativeId);
    } catch (error) {
      lines.push(`the work of session ${session} cannot be taken up: ${messageOf(error)}`);
    }
  }
  for (const row of ledger.handoffs.pending()) {
    if (stuck.has(row.native_id)) continue;
    try {
      lines.push(recoverRow(ledger, world, row));
    } catch (error) {
      lines.push(`hand-over ${row.native_id} cannot be taken back: ${messageOf(error)}`);
    }
  }
  if (ledger.handoffs.pending().length === 0) removeAsides(world, ledger.folder);
  return lines;
}

/** Runs the session's work to its end. Returns the hand-overs that did not come to one. */
async function recoverSession(ledger: Ledger, session: string, lines: string[]): Promise<readonly Task<ContinueState>[]> {
  using held = await ledger.hold(session);
  const { engine } = held;
  const found = liveHandovers(engine);
  try {
    await engine.drive();
  } catch (error) {
    lines.push(`the work of session ${session} does not end: ${messageOf(error)}`);
  }
  for (const { id } of found) {
    const task = engine.getTask(continueTask, id);
    if (task !== undefined) lines.push(lineOf(task.state.nativeId, task.status, task.state.path));
  }
  return liveHandovers(engine);
}

function recoverRow(ledger: Ledger, world: World, { harness, native_id, path, sha256, offset }: HandoffRow): string {
  const taken = takeBack(world, { path, sha256, offset }, ledger.folder);
  const status = taken === 'goneOnWith' ? 'abandoned' : 'undone';
  ledger.handoffs.end(harness, native_id, status);
  return lineOf(native_id, status, path);
}

function lineOf(nativeId: string, status: string, path: string | undefined): string {
  if (path === undefined) return `hand-over ${nativeId} had not been written`;
  if (status === 'abandoned') return `hand-over ${nativeId} had been gone on with before it was finished: ${path}`;
  return `hand-over ${nativeId} ${status === 'undone' ? 'was undone' : 'cannot be taken back'}: ${path}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
