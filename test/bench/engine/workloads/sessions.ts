/** Many sessions beside each other in one place, each with an engine of its own: what a list of threads has open. */
import { Engine } from '../../../../server/engine/engine.ts';
import type { Id } from '../../../../server/engine/records.ts';
import { agentKinds, entryKinds, user, words } from '../agent-kinds.ts';
import type { Message } from '../agent-kinds.ts';
import type { Bench, Outcome, Workload } from '../workload.ts';
import { script } from './turns.ts';

export const sessions: Workload = {
  name: 'many sessions',
  async run(bench): Promise<Outcome> {
    const count = bench.size(500);
    const created = await bench.meter.measure(async () => openAndCommit(bench, count));
    const reopened = await bench.meter.measure(async () => openAndCommit(bench, count));
    return {
      units: 2 * count,
      unit: 'session',
      figures: { 'open and commit, new us': created, 'open and commit, known us': reopened },
    };
  },
};

/** Microseconds a session: open, make or find the root, one entry. All of them stay open until the last one is. */
async function openAndCommit(bench: Bench, count: number): Promise<number> {
  const { all } = agentKinds(script([]));
  const store = bench.openStore();
  const open: Engine<Message>[] = [];
  const started = performance.now();
  for (let i = 0; i < count; i++) {
    const engine = await Engine.open<Message>(store.session(`session-${i}`), { entryKinds, taskKinds: all });
    const root = await engine.root();
    await root.commit((tx): Id => tx.entry(user, { text: words.slice(0, 120) }));
    open.push(engine);
  }
  const took = (1000 * (performance.now() - started)) / count;
  for (const engine of open) await engine.close();
  store.close();
  return took;
}
