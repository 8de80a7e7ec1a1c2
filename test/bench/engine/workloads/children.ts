/** A session with many finished child conversations: making them, and what a turn in it costs beside one in a session without. */
import { user, words } from '../agent-kinds.ts';
import { beside } from '../beside.ts';
import type { Opened, Outcome, Workload } from '../workload.ts';
import { framesOf, script } from './turns.ts';

export const children: Workload = {
  name: 'finished children',
  async run(bench): Promise<Outcome> {
    const provider = script([], { frames: framesOf(0) });
    const without = await bench.open(provider, 'without');
    const opened = await bench.open(provider);
    const count = bench.size(5000);
    await bench.meter.measure(async () => {
      for (let i = 0; i < count; i++) {
        await finishedChild(opened, i);
        if (i % 100 === 0) bench.meter.look();
      }
    });
    const { one, other } = await beside(bench.meter, without, opened);
    return {
      units: count,
      unit: 'child',
      figures: { 'turn without us': one, 'turn with us': other, 'turn with to without x': other / one },
    };
  },
};

/** Runs to its end in a conversation of its own that a task of the root owns. */
async function finishedChild({ root, engine, kinds }: Opened, index: number): Promise<void> {
  await root.commit((tx) => {
    const child = tx.createConversation();
    tx.task(kinds.record, { state: { what: `child ${index}` }, owns: [child] });
    const inside = tx.in(child);
    const input = inside.entry(user, { text: `${index}: ${words.slice(0, 80)}` });
    inside.task(kinds.generation, { state: { input } });
  });
  await engine.drive();
}
