/** Which live threads concern this workspace, the one that needs the person first. */
import type { ThreadState, ThreadView } from '../server/protocol/views.ts';

export function driversHere(threads: readonly ThreadView[], isHere: (thread: ThreadView) => boolean): readonly ThreadView[] {
  return threads
    .filter((thread) => thread.live && isHere(thread))
    .toSorted((a, b) => urgency[a.state] - urgency[b.state] || b.updatedAt - a.updatedAt);
}

/** Threads that wait now and did not before. */
export function newlyWaiting(before: readonly ThreadView[], now: readonly ThreadView[]): readonly ThreadView[] {
  const waited = new Set(before.filter(waits).map((thread) => thread.id));
  const known = new Set(before.map((thread) => thread.id));
  return now.filter((thread) => waits(thread) && known.has(thread.id) && !waited.has(thread.id));
}

function waits(thread: ThreadView): boolean {
  return thread.live && thread.state === 'waiting';
}

const urgency: Readonly<Record<ThreadState, number>> = { waiting: 0, working: 1, idle: 2, unknown: 3, ended: 4 };
