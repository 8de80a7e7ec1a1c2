/** A chain of forks, each with a few entries and versions of state of its own, and reads of the past at every depth of it. */
import { conversationList, conversationValue } from '../../../../server/engine/address.ts';
import type { ConversationHandle } from '../../../../server/engine/conversation.ts';
import type { Message } from '../agent-kinds.ts';
import { user, words } from '../agent-kinds.ts';
import type { Bench, Outcome, Workload } from '../workload.ts';
import { script } from './turns.ts';

const mode = conversationValue<string>('bench.mode', { rewind: true });
const moves = conversationList<number>('bench.moves', { rewind: true });
const depth = 200;

export const forks: Workload = {
  name: 'deep forks',
  async run(bench): Promise<Outcome> {
    const opened = await bench.open(script([]));
    const chain = [opened.root];
    const tips: number[] = [];
    await bench.meter.measure(async () => {
      let current = opened.root;
      for (let level = 0; level < depth; level++) {
        if (level > 0) {
          current = await current.fork(tips.at(-1) ?? 'start');
          chain.push(current);
        }
        tips.push(await fill(current, level));
      }
    });
    const reads = bench.size(1000);
    await bench.meter.measure(async () => readThePast(bench, chain, tips, reads));
    return { units: reads, unit: 'read of the past' };
  },
};

async function fill(conversation: ConversationHandle<Message>, level: number): Promise<number> {
  return conversation.commit((tx) => {
    if (level % 7 === 0) tx.value(mode).set(`mode ${level}`);
    tx.list(moves).append(level);
    let last = 0;
    for (let i = 0; i < 5; i++) last = tx.entry(user, { text: `${level}.${i} ${words.slice(0, 80)}` });
    return last;
  });
}

/** The last page, a value and a list as of an entry far up the chain, and now and then a whole context. */
async function readThePast(
  bench: Bench,
  chain: readonly ConversationHandle<Message>[],
  tips: readonly number[],
  reads: number,
): Promise<void> {
  for (let i = 0; i < reads; i++) {
    const fork = chain.at(-1 - (i % 20));
    const at = tips[(i * 37) % (depth - 20)] ?? 0;
    fork?.entries({ through: at, before: Number.MAX_SAFE_INTEGER, limit: 20 });
    fork?.value(mode).get(at);
    fork?.list(moves).read({ at, limit: 10 });
    if (i % 20 === 0) fork?.contextIds(at);
    if (i % 100 === 0) bench.meter.look();
  }
}
