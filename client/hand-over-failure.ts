/**
 * Why a hand-over did not come about, in words: at which step it stopped, what was undone, what to do. The server answers one request
 * for all of its steps, and the number of its fault tells the step (server/drive keeps that nothing stays of a step that failed).
 */
import { faults, type FaultId } from '../server/protocol/faults.ts';
import type { Trouble } from './fault-of.ts';

export interface FailureWords {
  /** Goes on after "The hand-over stopped while ". */
  readonly step: string;
  /** A whole sentence. */
  readonly undone: string;
  /** What was sent may be sent again as it is. */
  readonly mayTryAgain: boolean;
  /** What to do, where the fault's own words are meant for a shell. */
  readonly next?: string;
}

export function failureWords(id: FaultId | null): FailureWords {
  if (id === null)
    return {
      step: 'the server worked on it',
      undone: 'What was begun is taken back, at the latest when the server starts again.',
      mayTryAgain: true,
    };
  return known[id] ?? { step: 'reading the ledger', undone: nothing, mayTryAgain: true };
}

const nothing = 'Nothing was written.';
const target = { step: 'looking at the agent that is to go on', undone: nothing, mayTryAgain: true };
const driver = {
  step: 'checking who drives the thread',
  undone: nothing,
  mayTryAgain: true,
  next: 'Wait until it is idle, close it there, or fork from its last turn.',
};

const known: Readonly<Partial<Record<FaultId, FailureWords>>> = {
  C001: target,
  C004: { ...target, next: 'Continue in another agent or with the brief alone, or copy the baton.' },
  C012: target,
  C002: driver,
  C008: { ...driver, next: faults.C008.fix },
  C003: { step: 'making the baton', undone: nothing, mayTryAgain: false },
  C007: {
    step: "looking for the thread's folder",
    undone: nothing,
    mayTryAgain: true,
    next: 'Make it again, or copy the baton and begin in a copy of the work.',
  },
  C010: {
    step: 'checking that you agree',
    undone: `${nothing} Nothing left.`,
    mayTryAgain: false,
    next: 'What was agreed to before was taken back meanwhile: begin anew with Continue in….',
  },
  C011: {
    step: 'looking at its earlier session',
    undone: 'That session is as it was.',
    mayTryAgain: false,
    next: 'Continue in a new session of that agent instead.',
  },
  C005: { step: 'writing the session', undone: 'What was begun is taken away again.', mayTryAgain: true },
  C006: { step: 'reading the session back', undone: 'The file is taken away again.', mayTryAgain: false },
  C009: { step: 'taking over the lease', undone: 'The new session is taken away again.', mayTryAgain: true },
};

/** The whole of it, in the order in which it is asked: what, where, what became of it, what now. A dry run begins nothing. */
export function failureText(trouble: Trouble, isDryRun: boolean): string {
  const words = failureWords(trouble.id);
  const { step, next = trouble.fix } = words;
  const undone = isDryRun ? nothing : words.undone;
  const id = trouble.id === null ? '' : ` (${trouble.id})`;
  // The words of some faults say already that nothing was changed.
  const said = /nothing was (?:changed|started)|was removed/iu.test(next) ? '' : undone;
  return [`The hand-over stopped while ${step}${id}. ${ended(trouble.text)}`, said, next].filter((part) => part !== '').join(' ');
}

function ended(text: string): string {
  return /[.!?…:]$/u.test(text) ? text : `${text}.`;
}
