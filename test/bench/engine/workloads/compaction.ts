/** Turns whose context is summarised every few of them, and sessions that are closed and opened again between. */
import { median } from '../../lines.ts';
import { words } from '../agent-kinds.ts';
import type { Opened, Outcome, Workload } from '../workload.ts';
import { script, turn } from './turns.ts';

/** Summarises what is older than the last two exchanges. */
export async function collapse({ root, kinds }: Opened): Promise<void> {
  const retainFrom = root.contextIds().at(-8);
  if (retainFrom === undefined) return;
  await root.commit((tx) => tx.task(kinds.collapse, { state: { retainFrom, text: words.slice(0, 600) } }));
  await root.drive();
}

const perRound = 10;

export const compaction: Workload = {
  name: 'compaction and reopen',
  async run(bench): Promise<Outcome> {
    const provider = script(['read']);
    const count = bench.size(1000);
    let opened = await bench.open(provider);
    const openings: number[] = [];
    for (let round = 1; round <= count / perRound; round++) {
      await bench.meter.measure(async () => {
        for (let i = 0; i < perRound; i++) await turn(opened, `${round}.${i}: ${words.slice(0, 120)}`);
        await collapse(opened);
      });
      if (round % 5 !== 0) continue;
      opened = await bench.open(provider);
      openings.push(opened.ms);
    }
    return { units: Math.floor(count / perRound) * perRound, unit: 'turn', figures: { 'reopen ms': median(openings) } };
  },
};
