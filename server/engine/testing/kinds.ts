/** Kinds for the engine's own tests: one of each behaviour. Messages are strings. */
import { entryKind } from '../kinds.ts';
import type { TaskKindRoles } from '../kinds.ts';

export const note = entryKind<{ readonly text: string }, string>('note', { project: (entry) => [entry.content.text] });
/** Reaches no model. */
export const silent = entryKind<{ readonly text: string }, string>('silent');
export const summary = entryKind<{ readonly text: string; readonly retainFrom?: number }, string>('summary', {
  head: (entry) => entry.content.retainFrom ?? entry.id,
  project: (entry) => [`summary: ${entry.content.text}`],
});
export const reset = entryKind<{ readonly why: string }, string>('reset', { head: (entry) => entry.id });
export const edit = entryKind<{ readonly target: number; readonly replacement?: string }, string>('edit', {
  edit: ({ content: { target, replacement } }) => [
    replacement === undefined ? { target, action: 'omit' } : { target, action: 'replace', messages: [replacement] },
  ],
});
export const entryKinds = [note, silent, summary, reset, edit];

export const work: TaskKindRoles<{ readonly step: number; readonly note?: string }> = {
  kind: 'work',
  initialStatus: 'pending',
  roles: { pending: 'start', running: 'inflight', done: 'terminal', failed: 'terminal' },
};
/** Work that was done elsewhere. */
export const record: TaskKindRoles<{ readonly what: string }> = {
  kind: 'record',
  initialStatus: 'recorded',
  roles: { recorded: 'terminal' },
};
export const taskKinds = [work, record];
