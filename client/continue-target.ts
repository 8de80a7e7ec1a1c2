/** Where to a thread is to be continued, when whoever calls the command says so: a button of a timeline does, a menu or a key does not. */
import { harnessIds, type HarnessId } from '../shuttles/contract/harness.ts';
import type { ContinueMode } from '../server/protocol/requests.ts';

export interface ContinueTarget {
  readonly harness: HarnessId;
  /** null: the best that there is. */
  readonly mode: ContinueMode | null;
}

/** `argument`: whatever a command was called with; `{ thread, harness, mode }` names a target. */
export function targetOf(argument: unknown): ContinueTarget | undefined {
  if (typeof argument !== 'object' || argument === null || !('harness' in argument)) return undefined;
  const { harness } = argument;
  if (!isHarness(harness)) return undefined;
  const mode = 'mode' in argument ? argument.mode : null;
  return { harness, mode: mode === 'native' || mode === 'return' || mode === 'prompt' ? mode : null };
}

export function isHarness(value: unknown): value is HarnessId {
  return harnessIds.some((id) => id === value);
}
