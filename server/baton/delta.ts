/**
 * What a reader must be told that drove the thread until the entry `since`: the state of what came after, with what stands now
 * taken from the whole thread's. The person's older rules still stand and are told in short.
 */
import type { BatonState, Note } from './baton-state.ts';
import { clip } from './clean-text.ts';

/** Characters of what the reader knows already. */
const reminder = 160;

export function mergedDelta(whole: BatonState, part: BatonState, since: number): BatonState {
  const isNew = (note: { readonly entries: readonly number[] }): boolean => (note.entries.at(-1) ?? 0) > since;
  const oneLineOf = (note: Note): Note => ({ ...note, text: clip(note.text.replace(/\s+/g, ' '), reminder) });
  const inShort = (note: Note): Note => (isNew(note) ? note : { ...note, text: clip(note.text, reminder) });
  return {
    ...part,
    entries: whole.entries,
    firstEntry: whole.firstEntry,
    lastEntry: whole.lastEntry,
    prompts: whole.prompts,
    answers: whole.answers,
    actions: whole.actions,
    cwd: whole.cwd,
    // Several asks came since: they are told, and the one that the reader knows is not.
    goal: isOther(part.goal, part.ask) || whole.goal === null || isNew(whole.goal) ? part.goal : oneLineOf(whole.goal),
    ask: part.ask,
    constraints: whole.constraints.map(inShort),
    plan: whole.plan,
    approvedPlan: whole.plan === null && whole.approvedPlan !== null && isNew(whole.approvedPlan) ? whole.approvedPlan : null,
    next: part.next,
    questions: whole.questions,
    // What failed before and was mended since is news, and so is an older edit that was taken back.
    failures: [
      ...whole.failures.filter((failure) => isNew(failure) || failure.resolvedBy > since),
      ...part.failures.filter((failure) => !whole.failures.some((other) => other.same === failure.same)),
    ],
    open: whole.open,
    processes: whole.processes,
    checks: whole.checks,
    summary: part.summary,
    handoffs: whole.handoffs,
  };
}

const isOther = (first: Note | null, newest: Note | null): boolean =>
  first !== null && newest !== null && first.entries[0] !== newest.entries[0];
