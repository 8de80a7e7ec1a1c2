/** The shuttles that this Loom has. Adding a harness is one folder and one line here; the conformance suite runs over it. */
import type { HarnessId } from './contract/harness.ts';
import type { Shuttle } from './contract/shuttle.ts';
import { claudeShuttle } from './claude/shuttle.ts';
import { codexShuttle } from './codex/shuttle.ts';

export const shuttles: readonly Shuttle[] = [claudeShuttle, codexShuttle];

export function shuttleOf(harness: HarnessId): Shuttle | undefined {
  return shuttles.find((shuttle) => shuttle.harness === harness);
}
