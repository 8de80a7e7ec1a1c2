/** Several who continue at the same time, over the place at the ledger that every window and program has. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf } from '../../server/main/environment.ts';
import { Seat } from '../../server/main/seat.ts';
import type { ContinueParams, ContinueResult } from '../../server/protocol/requests.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { Ledger } from '../../server/ledger/ledger.ts';
import { copyHome, fixtures } from '../home-ledger.ts';
import { paramsOf } from './hand-over.ts';

const session = '6d4156ad-cac4-4341-89eb-59b76b9343d8';

/** The owner's seat at the ledger of a home with both agents' sessions. */
async function seatOf(...names: readonly string[]) {
  const home = copyHome(path.join(fixtures, 'codex/01-exec-basic'));
  for (const name of names) fs.cpSync(path.join(fixtures, name), home, { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const seat = new Seat({
    folder,
    environment: environmentOf(home, {}, 'linux'),
    version: '0',
    follow: false,
    log: () => undefined,
    onChange: () => undefined,
    onEvents: () => undefined,
  });
  onTestFinished(async () => {
    await seat.close();
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  const ledger = await seat.ledger();
  if (ledger === undefined) throw new Error('this process does not own the ledger');
  const ask = async (params: Partial<ContinueParams>): Promise<ContinueResult> =>
    (await seat.request({ events: () => undefined }, requests.continueIn.method, {
      ...paramsOf(params),
    })) as unknown as ContinueResult;
  const ingest = async (): Promise<void> => void (await seat.request({ events: () => undefined }, requests.ingest.method, {}));
  return { ledger, ask, ingest, home };
}

async function outcomes(asked: readonly Promise<ContinueResult>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(asked);
  return settled.map((one) =>
    one.status === 'fulfilled' ? 'done' : ((one.reason as { readonly id?: string }).id ?? String(one.reason)),
  );
}

function writtenByLoom(ledger: Ledger, thread: string): number {
  const row = ledger.threads.byId(thread);
  return ledger.natives.byThread(row?.number ?? 0).filter((native) => native.written_by_loom === 1).length;
}

test.for([true, false])(
  'of several who continue one thread at once exactly one does, whether it is known yet or not (known: %s)',
  async (known) => {
    const { ledger, ask, ingest } = await seatOf('claude/02-print-tools');
    if (known) await ingest();
    const told = await outcomes([
      ask({ thread: session, harness: 'codex' }),
      ask({ thread: session, harness: 'codex' }),
      ask({ thread: session, harness: 'codex', force: true }),
    ]);
    expect(told.toSorted()).toEqual(['C008', 'C008', 'done']);
    const again = await ask({ thread: session, harness: 'claude' });
    expect(again.lease).toEqual({ epoch: 2, holder: 'claude' });
    expect(writtenByLoom(ledger, again.thread)).toBe(2);
  },
);

test('who asks while a thread is being continued is refused, and who asks afterwards is not', async () => {
  const { ask, ingest } = await seatOf('claude/02-print-tools');
  await ingest();
  const first = ask({ thread: session, harness: 'codex' });
  await expect(ask({ thread: session, harness: 'codex' })).rejects.toMatchObject({ id: 'C008' });
  const { thread } = await first;
  expect((await ask({ thread, harness: 'claude' })).lease).toEqual({ epoch: 2, holder: 'claude' });
});

test('a refusal gives the thread free again, and a dry run takes it from nobody', async () => {
  const { ask, ingest } = await seatOf('claude/02-print-tools');
  await ingest();
  await expect(ask({ thread: session, harness: 'openclaw' })).rejects.toMatchObject({ id: 'C004' });
  const told = await outcomes([
    ask({ thread: session, harness: 'codex', dryRun: true }),
    ask({ thread: session, harness: 'codex' }),
    ask({ thread: session, harness: 'codex', dryRun: true }),
  ]);
  expect(told).toEqual(['done', 'done', 'done']);
});

test('threads of one family are continued at the same time', async () => {
  const { ledger, ask, ingest } = await seatOf('claude/09-forks');
  await ingest();
  const families = Map.groupBy(ledger.threads.newest(100), (row) => row.session);
  const family = [...families.values()].find((rows) => rows.length > 1) ?? [];
  expect(family.length).toBeGreaterThan(1);
  const told = await outcomes(family.map(({ id }) => ask({ thread: id, harness: 'codex' })));
  expect(new Set(told)).toEqual(new Set(['done']));
  for (const { id } of family) {
    expect(ledger.threads.byId(id)).toMatchObject({ harness: 'codex', lease_epoch: 1, lease_harness: 'codex' });
    expect(writtenByLoom(ledger, id)).toBe(1);
  }
  expect(ledger.liveSessions()).toEqual([]);
});
