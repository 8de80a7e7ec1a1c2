/** What the keeper does when something of its work fails. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Ingest } from '../ingest/ingest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerKeeper } from './ledger-keeper.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('work that fails behind an import is tried again with the next turn, not at once', async () => {
  vi.useFakeTimers();
  const errors: unknown[] = [];
  const keeper = new LedgerKeeper({
    ledger: {} as Ledger,
    ingest: { archiveSome: () => Promise.reject(new Error('the disk is full')) } as unknown as Ingest,
    others: () => Promise.resolve(),
    now: () => 0,
    onError: (error) => errors.push(error),
    onLostKeys: () => undefined,
  });
  keeper.start();
  keeper.soon(64 * 1024 * 1024);
  await vi.advanceTimersByTimeAsync(59_000);
  // At the start, and after the reading.
  expect(errors).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(errors).toHaveLength(3);
  keeper.stop();
});
