/**
 * A long session: what a turn in it costs beside one in a short session, what opening it costs, and whether memory grew with it. Compaction
 * bounds the context of both, as it does in real ones.
 */
import { median } from '../../lines.ts';
import { user, words } from '../agent-kinds.ts';
import { beside, besideTurns } from '../beside.ts';
import type { Bench, Opened, Outcome, Workload } from '../workload.ts';
import { collapse } from './compaction.ts';
import { script } from './turns.ts';

export const history: Workload = {
  name: 'long session',
  async run(bench): Promise<Outcome> {
    const provider = script(['read']);
    const short = await bench.open(provider, 'short');
    await growTo(short, bench.size(1000));
    await growTo(await bench.open(provider, 'long'), bench.size(100_000));
    const openings: number[] = [];
    for (let i = 0; i < 9; i++) openings.push((await bench.open(provider, 'long')).ms);
    const long = await bench.open(provider, 'long');
    const { one, other } = await beside(bench.meter, short, long);
    const [small, large] = [await residentAlone(bench, 'short'), await residentAlone(bench, 'long')];
    const grown = small === null || large === null ? null : large - small;
    return {
      units: besideTurns,
      unit: 'turn',
      figures: {
        'turn when short us': one,
        'turn when long us': other,
        'turn when long to short x': other / one,
        'reopen ms': median(openings),
        ...(grown === null ? {} : { 'memory grown MB': grown }),
      },
    };
  },
};

/** There is one owner a session: it is let go while the other process has it. */
async function residentAlone(bench: Bench, session: string): Promise<number | null> {
  await bench.close(session);
  return bench.resident(session);
}

/** Entries in batches of 200, with a summary now and then. */
async function growTo(opened: Opened, entries: number): Promise<void> {
  const { root, engine } = opened;
  for (let have = engine.countEntries(root.id); have < entries; have += 200) {
    await root.commit((tx) => {
      for (let i = 0; i < Math.min(200, entries - have); i++) tx.entry(user, { text: `${have + i} ${words.slice(0, 200)}` });
    });
    if (have % 1000 === 0) await collapse(opened);
  }
  await collapse(opened);
}
