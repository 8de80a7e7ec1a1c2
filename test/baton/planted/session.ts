/** A planted session: what happens in it, the fourteen facts that its baton must hold, and what must not get out. */
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import type { Beat } from './beat.ts';

export const factNames = [
  'goal',
  'firstConstraint',
  'secondConstraint',
  'decision',
  'rejected',
  'failedCommand',
  'revertedEdit',
  'refusal',
  'openTodo',
  'doneTodo',
  'changedFile',
  'lastTest',
  'openQuestion',
  'nextStep',
] as const;
export type FactName = (typeof factNames)[number];

export interface PlantedSession {
  readonly name: string;
  readonly harness: HarnessId;
  readonly beats: readonly Beat[];
  /** What shows in the packet that the fact is told. */
  readonly facts: Readonly<Record<FactName, RegExp>>;
  readonly secrets: readonly [string, string, string];
  /** An order in the text of a tool, a file or the web. */
  readonly injection: string;
}
