/** Searches as the window's search box asks them: a word that one session has, two words that thousands of entries have. */
import { requests } from '../../server/protocol/requests.ts';
import type { Corpus } from './corpus.ts';
import { cpuMsOf } from './process-facts.ts';
import { timed } from './settled-server.ts';
import type { Settled } from './settled-server.ts';
import { vocabulary } from './vocabulary.ts';
import { Words } from './words.ts';

export interface Asked {
  readonly ms: readonly number[];
  /** Of the server, a search of them on average: less noisy than the clock when the machine has more to do. */
  readonly cpuMs: number | null;
}
export interface Searches {
  readonly rare: Asked;
  readonly common: Asked;
}

/** The most frequent words that are no mere grammar. */
const common = vocabulary.slice(20, 180).filter((word) => word.length > 3);

export async function searches(corpus: Corpus, settled: Settled, count: number): Promise<Searches> {
  const words = new Words(98);
  const rare = Array.from({ length: count }, () => words.pick(corpus.files).rare);
  const two = Array.from({ length: count }, () => `${words.pick(common)} ${words.pick(common)}`);
  return { rare: await asked(settled, rare, 1), common: await asked(settled, two, Infinity) };
}

/** Throws when something is not found, or more than `most` times. */
async function asked({ server }: Settled, queries: readonly string[], most: number): Promise<Asked> {
  const before = cpuMsOf(server.pid);
  const ms: number[] = [];
  for (const query of queries)
    ms.push(
      await timed(async () => {
        const { hits } = await server.request(requests.search, { words: query, limit: 60 });
        if (hits.length === 0 || hits.length > most) throw new Error(`"${query}" was found ${hits.length} times.`);
      }),
    );
  const after = cpuMsOf(server.pid);
  return { ms, cpuMs: before === null || after === null ? null : (after - before) / queries.length };
}
