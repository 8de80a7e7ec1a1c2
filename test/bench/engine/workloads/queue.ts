/** Input that comes while the model is busy: it is queued, some of it taken back, the rest lands; some turns are cancelled in the middle. */
import { bound } from '../../../../server/engine/address.ts';
import { inbox, user, untilAborted, words } from '../agent-kinds.ts';
import type { Provider } from '../agent-kinds.ts';
import type { Opened, Outcome, Workload } from '../workload.ts';
import { framesOf } from './turns.ts';

/** Holds the models of one round until they are let go, so that there is a moment to be busy in. */
class Gate {
  readonly #open = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();

  async pass(signal: AbortSignal): Promise<void> {
    this.#reached.resolve();
    await Promise.race([this.#open.promise, untilAborted(signal)]);
  }
  async reached(): Promise<void> {
    return this.#reached.promise;
  }
  release(): void {
    this.#open.resolve();
  }
}

export const queue: Workload = {
  name: 'queue and cancellation',
  async run(bench): Promise<Outcome> {
    let gate: Gate | undefined = new Gate();
    const provider: Provider = async (messages, signal) => {
      await gate?.pass(signal);
      return { frames: framesOf(messages.length), calls: [] };
    };
    const opened = await bench.open(provider);
    const rounds = bench.size(500);
    await bench.meter.measure(async () => {
      for (let i = 0; i < rounds; i++) {
        gate = new Gate();
        await round(opened, gate, i);
        if (i % 50 === 0) bench.meter.look();
      }
    });
    return { units: rounds, unit: 'round' };
  },
};

/** A prompt; three more of which one is taken back; then every fourth model is cancelled and the others go on with what waits. */
async function round({ root, engine, kinds }: Opened, gate: Gate, index: number): Promise<void> {
  const task = await root.commit((tx) =>
    tx.task(kinds.generation, { state: { input: tx.entry(user, { text: words.slice(0, 120) }) } }),
  );
  const driven = root.drive();
  await gate.reached();
  const queued: number[] = [];
  for (let i = 0; i < 3; i++) queued.push(await root.list(inbox).append({ text: `${index}.${i} ${words.slice(0, 60)}` }));
  await root.list(inbox).remove(queued[1] ?? 0);
  if (index % 4 === 0) {
    await engine.commit((tx) => {
      tx.patch(task, { abort: true });
      for (const { id } of root.list(inbox).read().items) tx.list(bound(inbox, root.id)).remove(id);
    });
  } else gate.release();
  await driven;
}
