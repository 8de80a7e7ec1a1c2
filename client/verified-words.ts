/**
 * How sure it is that a harness's model gets everything, in words: real programs were seen to do it in certain versions, and another
 * version may be installed here. Nothing is claimed beyond what was seen.
 */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { HarnessStatus } from '../server/protocol/views.ts';
import { label } from './plain-text.ts';

/** Goes on after "native history, ". `from`: the harness that the thread is in now. */
export function verifiedWords(status: Pick<HarnessStatus, 'version' | 'verified'>, from: HarnessId): string {
  const seen = status.verified.filter((run) => run.from === from).map((run) => run.version);
  const newest = seen.toSorted(byVersion).at(-1);
  const { version } = status;
  if (newest === undefined) {
    const others = status.verified.some((run) => run.from !== from) ? ` from ${harnessNames[from]}` : '';
    return version === null ? `not verified${others}` : `not verified${others} with ${label(version, 30)}`;
  }
  if (version === null) return `verified with ${newest}; which version is here is not known`;
  if (seen.includes(version)) return `verified with ${version}`;
  return `not verified with ${label(version, 30)} (verified with ${newest})`;
}

/** By their numbers, part by part: 0.9.0 is older than 0.171.0. */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[^0-9]+/u).map(Number));
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let at = 0; at < length; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
