/** What opening a thread costs: its timeline as the window asks for it, and its baton. */
import { requests } from '../../server/protocol/requests.ts';
import type { Corpus } from './corpus.ts';
import { timed } from './settled-server.ts';
import type { Settled } from './settled-server.ts';

export interface Openings {
  readonly timelineMs: readonly number[];
  readonly batonMs: readonly number[];
  readonly largestBatonMs: number;
}

/** As many of the newest entries as a window asks for first. */
export const firstTail = 300;

export async function openings(corpus: Corpus, { server, threadOf }: Settled): Promise<Openings> {
  const apart = Math.max(1, Math.floor(corpus.files.length / 40));
  const sample = corpus.files.filter((_, index) => index % apart === 0).slice(0, 40);
  const timelineMs: number[] = [];
  const batonMs: number[] = [];
  for (const file of sample) {
    const thread = threadOf(file);
    timelineMs.push(
      await timed(() =>
        server.subscribe({ subscription: 'open', kind: 'timeline', thread, conversation: null, tail: firstTail }),
      ),
    );
    await server.unsubscribe('open');
    batonMs.push(await timed(() => server.request(requests.baton, { thread, to: 'codex', budget: null })));
  }
  const [largest] = corpus.files.toSorted((a, b) => b.bytes - a.bytes);
  if (largest === undefined) throw new Error('The corpus has no file.');
  const thread = threadOf(largest);
  return {
    timelineMs,
    batonMs,
    largestBatonMs: await timed(() => server.request(requests.baton, { thread, to: 'codex', budget: null })),
  };
}
