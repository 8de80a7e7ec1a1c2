/** The baton of one session of 100,000 entries: made from nothing, in a process of its own; then through a window's requests, by a server at rest. */
import path from 'node:path';
import { requests } from '../../server/protocol/requests.ts';
import type { FromNothing } from './baton-from-nothing.ts';
import { claudeSession } from './claude-session.ts';
import { writeSession } from './corpus.ts';
import type { Line } from './lines.ts';
import { median, percentile } from './lines.ts';
import { maskingLines } from './masking.ts';
import { coldImportOf } from './single-files.ts';
import { timed, withSettledServer } from './settled-server.ts';
import { run } from './program.ts';
import { inFolder } from './temp-folder.ts';
import { rareWord } from './turns.ts';

const fromNothingProgram = path.join(import.meta.dirname, 'baton-from-nothing.ts');

export interface Batons {
  readonly entries: number;
  readonly fromNothing: FromNothing;
  /** A server brings up long threads by itself before it rests. */
  readonly firstMs: number;
  readonly warmMs: readonly number[];
  readonly tokens: number;
}

export function batons(entries: number): Promise<Batons> {
  return inFolder(async (home) => {
    const now = Date.now();
    // Old enough that its baton is brought up for its length alone.
    const plan = { seed: 88_001, project: 3, startedAt: now - 40 * 86_400_000, pace: 20_000, rare: rareWord(88_001) };
    const session = claudeSession(plan);
    writeSession(path.join(home, session.path), session, { messages: entries }, now - 30 * 86_400_000);
    const ledger = path.join(home, 'ledger');
    const imported = await coldImportOf(home, ledger);
    const { out } = await run([fromNothingProgram, ledger], home);
    const fromNothing = JSON.parse(out) as FromNothing;
    if (fromNothing.folded !== imported.entries) throw new Error('Not every entry was folded.');
    return withSettledServer(home, ledger, async ({ server, threadOf }) => {
      const thread = threadOf(session);
      let tokens = 0;
      const asked = (): Promise<number> =>
        timed(async () => {
          const made = await server.request(requests.baton, { thread, to: 'codex', budget: null });
          if (made.tokens === 0 || (tokens !== 0 && made.tokens !== tokens)) throw new Error('The batons are not the same.');
          ({ tokens } = made);
        });
      const firstMs = await asked();
      const warmMs: number[] = [];
      for (let n = 0; n < 20; n++) warmMs.push(await asked());
      return { entries: imported.entries, fromNothing, firstMs, warmMs, tokens };
    });
  });
}

export function batonLines({ entries, fromNothing, firstMs, warmMs }: Batons): readonly Line[] {
  return [
    { name: `baton of a thread of ${entries} entries, from nothing`, value: fromNothing.ms, unit: 'ms', goal: { most: 2000 } },
    { name: 'the same, processor time', value: fromNothing.cpuMs, unit: 'ms' },
    { name: 'the same, asked for the first time of a server that came to rest', value: firstMs, unit: 'ms' },
    { name: 'the same from what is kept, 95th of 20', value: percentile(warmMs, 0.95), unit: 'ms', goal: { most: 100 } },
    { name: 'the same, median', value: median(warmMs), unit: 'ms' },
    ...maskingLines(),
  ];
}
