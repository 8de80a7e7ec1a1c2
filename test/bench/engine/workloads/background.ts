/** Many live background tasks: starting and ending them, and what a turn beside them costs against one in a session without. */
import { setImmediate } from 'node:timers/promises';
import { beside } from '../beside.ts';
import type { Outcome, Workload } from '../workload.ts';
import { script } from './turns.ts';

export const background: Workload = {
  name: 'background tasks',
  async run(bench): Promise<Outcome> {
    const provider = script(['read']);
    const without = await bench.open(provider, 'without');
    const opened = await bench.open(provider);
    const { engine, root, kinds } = opened;
    const jobs = bench.size(2000);
    await bench.meter.measure(async () => {
      await root.commit((tx) => {
        for (let i = 0; i < jobs; i++) tx.task(kinds.job, { background: true, state: { command: `watch ${i}` } });
      });
      await root.drive();
      while (engine.tasks({ live: true, role: 'start', limit: 1 }).items.length > 0) await setImmediate();
    });
    bench.meter.fullest();
    const { one, other } = await beside(bench.meter, without, opened);
    await bench.meter.measure(async () => {
      const live = engine.tasks({ live: true, limit: jobs }).items;
      await engine.commit((tx) => {
        for (const { id } of live) tx.patch(id, { abort: true });
      });
      await engine.drive();
    });
    return {
      units: jobs,
      unit: 'live task',
      figures: { 'turn without us': one, 'turn beside us': other, 'turn beside to without x': other / one },
    };
  },
};
