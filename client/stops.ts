/**
 * Which stops to tell of: a limit or a failure ended the newest turn of a thread of this workspace, a short while ago or of a thread
 * that is open. Each stop is told once. A limit mostly stops all threads of an agent at once, and one of them is enough.
 */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { label } from './plain-text.ts';

export type StoppedThread = ThreadView & { readonly stopped: NonNullable<ThreadView['stopped']> };

/** What was stopped longer ago is history. */
const recent = 30 * 60_000;

export function stopsToTell(
  threads: readonly ThreadView[],
  isHere: (thread: ThreadView) => boolean,
  told: ReadonlySet<string>,
  now: number,
): { readonly tell: readonly StoppedThread[]; readonly keys: readonly string[] } {
  const fresh = threads
    .filter(hasStopped)
    .filter((thread) => (thread.live || now - thread.updatedAt < recent) && !thread.automation && isHere(thread))
    .filter((thread) => thread.stopped.resetsAt === null || thread.stopped.resetsAt > now)
    .filter((thread) => !told.has(stopKey(thread)))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  const limited = new Set<HarnessId>();
  const tell = fresh.filter((thread) => {
    if (thread.stopped.reason === 'failed') return true;
    const first = !limited.has(thread.harness);
    limited.add(thread.harness);
    return first;
  });
  return { tell, keys: fresh.map(stopKey) };
}

/** Names one stop: another turn that ends so is another one. */
export function stopKey(thread: StoppedThread): string {
  return `${thread.id}/${thread.turns}/${thread.stopped.reason}`;
}

/** `clock`: a time of day in the person's language. */
export function stopSentence(thread: StoppedThread, clock: (at: number) => string): string {
  const who = harnessNames[thread.harness];
  const { reason, resetsAt, text } = thread.stopped;
  switch (reason) {
    case 'limit':
      return `${who} hit its limit${resetsAt === null ? '' : ` (resets ${clock(resetsAt)})`}.`;
    case 'failed':
      return `${who} failed${text === '' ? '' : `: ${label(text, 160)}`}${/[.!?…]$/u.test(text) ? '' : '.'}`;
  }
}

function hasStopped(thread: ThreadView): thread is StoppedThread {
  return thread.stopped !== null;
}
