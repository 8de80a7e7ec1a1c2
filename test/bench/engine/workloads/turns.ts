/**
 * Turns: an answer of the model and the tools that it calls. Short ones with and without a tool, and many tools beside and after each
 * other.
 */
import type { Answer, Message, Provider } from '../agent-kinds.ts';
import { user, words } from '../agent-kinds.ts';
import type { Bench, Opened, Outcome, Workload } from '../workload.ts';

/** One prompt, driven to its answer. */
export async function turn({ root, kinds }: Opened, text: string): Promise<void> {
  await root.commit((tx) => {
    const input = tx.entry(user, { text });
    tx.task(kinds.generation, { state: { input } });
  });
  await root.drive();
}

/** Says `calls` to a person and a few words to anything else. */
export function script(calls: readonly string[], more: Partial<Answer> = {}): Provider {
  return (messages) => {
    const last: Message | undefined = messages.at(-1);
    return { frames: framesOf(last?.text.length ?? 0), calls: last?.role === 'user' ? calls : [], ...more };
  };
}

/** Calls a tool in each of so many turns after a prompt, then answers. */
function chain(length: number): Provider {
  let turnsSoFar = 0;
  return (messages) => {
    turnsSoFar = messages.at(-1)?.role === 'user' ? 1 : turnsSoFar + 1;
    return { frames: framesOf(turnsSoFar), calls: turnsSoFar <= length ? [`read${turnsSoFar}`] : [] };
  };
}

/** A message of about 300 characters in three pieces. */
export function framesOf(salt: number): readonly string[] {
  const from = salt % 1000;
  return [words.slice(from, from + 90), words.slice(from + 90, from + 200), words.slice(from + 200, from + 300)];
}

/** `each`: how many turns a prompt leads to. */
async function turns(bench: Bench, full: number, provider: Provider, each = 1): Promise<Outcome> {
  const count = bench.size(full / each);
  const opened = await bench.open(provider);
  await bench.meter.measure(async () => {
    for (let i = 0; i < count; i++) {
      await turn(opened, `${i}: ${words.slice(0, 120)}`);
      if (i % 20 === 0) bench.meter.look();
    }
  });
  return { units: count * each, unit: 'turn' };
}

export const turnWorkloads: readonly Workload[] = [
  { name: 'turns', run: async (bench) => turns(bench, 2000, chain(10), 10) },
  { name: 'short turns', run: async (bench) => turns(bench, 2000, script([])) },
  { name: 'parallel tools', run: async (bench) => turns(bench, 200, script(Array.from({ length: 10 }, (_, i) => `read${i}`))) },
  {
    name: 'sequential tools',
    run: async (bench) =>
      turns(
        bench,
        200,
        script(
          Array.from({ length: 10 }, (_, i) => `read${i}`),
          { sequential: true },
        ),
      ),
  },
];
