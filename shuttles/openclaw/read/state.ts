/** What the reader remembers between records: what pi's does, and a little more. Bounded like it. */
import type { ReadOutput, SourceIdentity } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';
import { startState as startOfPi, type Facts, type State as PiState } from '../../pi/read/state.ts';

export type State = PiState & {
  /** A model answered since the last prompt: what is sent to the chat after it is a copy. */
  answered: boolean;
  /** People of a chat, or texts from outside, have had a say: what a model makes of the session is made of their words too. */
  relays: boolean;
};

export interface Page {
  readonly state: State;
  readonly out: ReadOutput[];
  readonly facts: Facts;
}

/**
 * Names of records are those of the session in every file and table that holds it: what a migration took into the database is the same
 * record as in the file that it came from.
 */
export function startState(identity: SourceIdentity): State {
  return { ...startOfPi(identity, `${identity.nativeId}.jsonl`), answered: false, relays: false };
}

export function draftOf(state: State): State {
  return copiedState(state);
}
