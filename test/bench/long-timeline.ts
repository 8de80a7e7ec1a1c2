/** One session of 100,000 entries in a home of its own: the first screen of its timeline through a window's requests, and a page before it. */
import path from 'node:path';
import { requests } from '../../server/protocol/requests.ts';
import { writeSession } from './corpus.ts';
import { coldImportOf } from './single-files.ts';
import { firstTail } from './opening.ts';
import { piSession } from './pi-session.ts';
import { rareWord } from './turns.ts';
import { timed, withSettledServer } from './settled-server.ts';
import { inFolder } from './temp-folder.ts';

export interface LongTimeline {
  readonly entries: number;
  readonly mb: number;
  /** The first request after the server has started, then the same again. */
  readonly firstMs: number;
  readonly againMs: readonly number[];
  /** The page before the first screen. */
  readonly olderMs: number;
}

export function longTimeline(entries: number): Promise<LongTimeline> {
  return inFolder(async (home) => {
    const now = Date.now();
    const plan = { seed: 66_001, project: 3, startedAt: now - 40 * 86_400_000, pace: 20_000, rare: rareWord(66_001) };
    const session = piSession(plan);
    const written = writeSession(path.join(home, session.path), session, { messages: entries * 1.25 }, now - 60_000);
    const ledger = path.join(home, 'ledger');
    const imported = await coldImportOf(home, ledger);
    return withSettledServer(home, ledger, async ({ server, threadOf }) => {
      const thread = threadOf(session);
      const open = { subscription: 'long', kind: 'timeline', thread, conversation: null, tail: firstTail } as const;
      const opened = (): Promise<number> =>
        timed(async () => {
          const view = await server.subscribe(open);
          if (view.kind !== 'timeline' || view.entries.length !== firstTail) throw new Error('The first screen is not whole.');
        });
      const firstMs = await opened();
      const olderMs = await timed(() => server.request(requests.older, { subscription: 'long', limit: firstTail }));
      const againMs: number[] = [];
      for (let n = 0; n < 20; n++) {
        await server.unsubscribe('long');
        againMs.push(await opened());
      }
      return { entries: imported.entries, mb: written.bytes / 1e6, firstMs, againMs, olderMs };
    });
  });
}
