/** What an agent or a person did, as the fold looks at it: every text masked, clean and bounded. */
import type { ActionDetails, Trust } from '../../shuttles/contract/entry.ts';
import type { EditSides } from './baton-state.ts';

/** A result and a step on common ground. `entries`: the call's (if known) and the result's. */
export interface Action {
  readonly name: string;
  readonly title: string;
  /** Without what only decorates it. */
  readonly command: string;
  /** As it was run, on one line. */
  readonly line: string;
  readonly path: string;
  /** Of the call's arguments. */
  readonly sides: () => readonly EditSides[];
  readonly output: string;
  readonly isError: boolean;
  readonly details: ActionDetails;
  readonly at: number | null;
  readonly entry: number;
  readonly entries: readonly number[];
  readonly trust: Trust;
}

export const failedAction = (did: Action): boolean =>
  did.isError ||
  did.details.status === 'failed' ||
  did.details.status === 'interrupted' ||
  (did.details.exitCode !== undefined && did.details.exitCode !== 0);
