/** A conflict of a thread in words: a session that lost the lease with a hand-over went on all the same. */
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { age, counted } from './amounts.ts';

type Conflict = NonNullable<ThreadView['conflict']>;

/** "Claude Code went on in its old session: 3 entries". */
export function conflictSentence(conflict: Conflict): string {
  return `${harnessNames[conflict.harness]} went on in its old session: ${counted(conflict.entries, 'entry', 'entries')}`;
}

/** What the two ways out are called. */
export function conflictChoices(thread: ThreadView, conflict: Conflict): { readonly keep: string; readonly follow: string } {
  const holder = harnessNames[thread.lease?.holder ?? thread.harness];
  const other = harnessNames[conflict.harness];
  // The same agent twice: its name alone would not tell which of its sessions is meant.
  return holder === other
    ? { keep: 'Keep the current session', follow: 'Follow the old session' }
    : { keep: `Keep ${holder}`, follow: `Follow ${other}` };
}

/** What each does, for tooltips and screen readers. */
export const conflictMeanings = {
  keep: 'Who holds the thread keeps it; what the old session wrote stays as a line of its own',
  follow: 'The old session gets the thread back; what was done since the hand-over stays as a line of its own',
};

/** "Codex has held it since a hand-over 12 min ago"; '' when it never changed hands. */
export function leaseSentence(thread: ThreadView, now: number): string {
  const { lease } = thread;
  if (lease === null) return '';
  const ago = age(lease.since, now);
  return `${harnessNames[lease.holder]} holds it since a hand-over ${ago === 'now' ? 'just now' : `${ago} ago`}`;
}

/** Conflicts that began, or that were not known before. */
export function newConflicts(
  threads: readonly ThreadView[],
  told: ReadonlySet<string>,
): readonly { readonly thread: ThreadView; readonly conflict: Conflict; readonly key: string }[] {
  return threads.flatMap((thread) => {
    const { conflict } = thread;
    if (conflict === null) return [];
    const key = `${thread.id}/${conflict.nativeId}/${conflict.since}`;
    return told.has(key) ? [] : [{ thread, conflict, key }];
  });
}
