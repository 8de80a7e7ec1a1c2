/** A long entry read part by part: each part is cut from the same text, and is masked with what the thread gave away by then. */
import { expect, onTestFinished, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { newestEntries } from '../../server/ledger/transcript.ts';
import { Readings } from '../../server/main/readings.ts';
import { ProjectFolders } from '../../server/main/project-folder.ts';
import type { ReadParams } from '../../server/protocol/reading.ts';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, call, resultRow, sessionId, TestHome, userRow } from '../ingest/claude-session.ts';

const early = 'hunter2hunter2x9';
const late = 'tulip4garden9moss';
const lines = Array.from(
  { length: 2500 },
  (_, n) => `line ${n} of the output, ${n % 500 === 7 ? early : 'x'} and ${n % 500 === 9 ? late : 'y'}`,
);
const params = { thread: sessionId, entry: null, from: 0, around: 0, after: null, before: null, limit: 50 };

test('a long entry is told in parts that join, and a secret that is given away meanwhile is masked in the next one', async () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'Look at it.'),
    assistantRow(2, 1, [call('call_1')]),
    resultRow(3, 2, 'call_1', `DB_PASSWORD=${early}\n${lines.join('\n')}`),
    assistantRow(4, 3, 'Done.'),
  );
  const store = new HomeLedger(home.home);
  onTestFinished(() => store[Symbol.asyncDispose]());
  await store.catchUp();
  const { ledger } = store;
  const thread = findThread(ledger, sessionId);
  const { entries } = await newestEntries(ledger, thread.session, thread.current_conversation, 10);
  const entry = entries.find(({ kind }) => kind === 'tool_result')?.id ?? 0;
  const readingsOf = (): Readings =>
    new Readings({
      ledger,
      salt: 'salt',
      now: () => 0,
      catchUp: () => store.catchUp(),
      holders: () => new Map(),
      folders: new ProjectFolders('linux'),
      search: () => ({ hits: [], hint: null }),
    });
  const readings = readingsOf();
  const parts = async (
    reader: (part: number) => Readings,
    most = Infinity,
    more: Partial<ReadParams> = {},
  ): Promise<string[]> => {
    const out: string[] = [];
    for (let from: number | null = 0; from !== null && out.length < most;) {
      const { text } = await reader(out.length).read({ ...params, entry, from, ...more });
      out.push(text);
      from = Number(/from (\d+)\.$/m.exec(text)?.[1] ?? NaN);
      if (Number.isNaN(from)) from = null;
    }
    return out;
  };
  const kept = await parts(() => readings);
  expect(kept.length).toBeGreaterThan(4);
  expect(kept).toEqual(await parts(readingsOf));
  expect(await parts(() => readings, 2, { around: 1 })).toEqual(await parts(readingsOf, 2, { around: 1 }));
  const all = kept.join('\n');
  for (const line of ['line 0 of', 'line 2499 of']) expect(all).toContain(line);
  expect(all).not.toContain(early);
  expect(all).toContain(late);

  await parts(() => readings, 1);
  home.append(userRow(5, 4, `DB_PASSWORD=${late}`));
  await store.catchUp();
  const again = await parts(() => readings);
  expect(again.join('\n')).not.toContain(late);
  expect(again).toEqual(await parts(readingsOf));
});
