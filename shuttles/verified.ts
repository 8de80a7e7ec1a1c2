/**
 * What real programs were seen to do, by version: `verified.json` is written by the run of the real agents (test/agents) and read here. A
 * run counts for a pair when the target's own program, resumed on a session that Loom had written from the source's, sent its model the
 * earlier turns, the tool pairs and the baton.
 */
import type { HarnessId } from './contract/harness.ts';
import file from './verified.json' with { type: 'json' };

interface Run {
  readonly to: HarnessId;
  /** Of the target's program. */
  readonly version: string;
  readonly from: readonly HarnessId[];
}
const { runs } = file as { readonly runs: readonly Run[] };

export function verifiedRuns(to: HarnessId): readonly { readonly from: HarnessId; readonly version: string }[] {
  return runs.filter((run) => run.to === to).flatMap(({ version, from }) => from.map((source) => ({ from: source, version })));
}
