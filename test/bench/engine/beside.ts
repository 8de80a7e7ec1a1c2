/**
 * What a turn costs in two sessions, measured in turns: a round in the one, a round in the other. What the machine does meanwhile
 * befalls both alike. Processor time, because the clock also runs while others work.
 */
import { median } from '../lines.ts';
import { words } from './agent-kinds.ts';
import type { Meter } from './meter.ts';
import type { Opened } from './workload.ts';
import { collapse } from './workloads/compaction.ts';
import { turn } from './workloads/turns.ts';

const rounds = 11;
const turnsPerRound = 20;

export interface Beside {
  /** Microseconds a turn, median of the rounds. */
  readonly one: number;
  readonly other: number;
}

export async function beside(meter: Meter, one: Opened, other: Opened): Promise<Beside> {
  const costs: { readonly one: number[]; readonly other: number[] } = { one: [], other: [] };
  await round(one);
  await round(other);
  await meter.measure(async () => {
    for (let i = 0; i < rounds; i++) {
      costs.one.push(await round(one));
      costs.other.push(await round(other));
      meter.look();
    }
  });
  return { one: median(costs.one), other: median(costs.other) };
}

export const besideTurns = 2 * rounds * turnsPerRound;

/** Ends with a summary, so that every round begins with a context of the same length. */
async function round(opened: Opened): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < turnsPerRound; i++) await turn(opened, `${i}: ${words.slice(0, 120)}`);
  const { user, system } = process.cpuUsage(before);
  await collapse(opened);
  return (user + system) / turnsPerRound;
}
