/** Messages of 1 MB that stream in 2,000 pieces to scratch and to a watcher, who sees each piece as it comes. */
import { words } from '../agent-kinds.ts';
import type { Outcome, Workload } from '../workload.ts';
import { turn } from './turns.ts';

export const streaming: Workload = {
  name: 'streaming',
  async run(bench): Promise<Outcome> {
    const pieces = bench.size(2000);
    const piece = words.slice(0, 500);
    const opened = await bench.open(() => ({ frames: Array.from({ length: pieces }, () => piece), calls: [] }));
    const watch = await opened.root.watch({ tail: 10 });
    let events = 0;
    watch.start(() => void events++);
    const messages = 5;
    await bench.meter.measure(async () => {
      for (let i = 0; i < messages; i++) {
        await turn(opened, 'say much');
        bench.meter.look();
      }
    });
    return { units: messages * pieces, unit: 'piece', figures: { 'events a piece x': events / messages / pieces } };
  },
};
