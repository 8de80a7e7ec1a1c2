/** A hand-over whose owner of the ledger ended before it answered. */
import { expect, test } from 'vitest';
import { Fault } from '../protocol/faults.ts';
import type { FaultId } from '../protocol/faults.ts';
import { askedAgain } from './asked-again.ts';

/** Fails so often; `carried`: the thread had changed hands by the first failure. */
function asking(failures: number, { carried = false, id = 'L008' }: { readonly carried?: boolean; readonly id?: FaultId } = {}) {
  const told: string[] = [];
  let epoch = 0;
  const done = askedAgain(
    () => {
      told.push('asked');
      if (told.filter((one) => one === 'asked').length > failures) return Promise.resolve('carried');
      if (carried) epoch = 1;
      return Promise.reject(new Fault(id, ''));
    },
    { epoch: () => epoch, settled: () => Promise.resolve(told.push('settled')) },
  );
  return { done, told };
}

test('a hand-over is asked for again when the owner of the ledger ended before it answered', async () => {
  const { done, told } = asking(2);
  expect(await done).toBe('carried');
  expect(told).toEqual(['asked', 'settled', 'asked', 'settled', 'asked']);
});

test('a thread that changed hands before the answer was lost is not handed over a second time', async () => {
  const { done, told } = asking(1, { carried: true });
  await expect(done).rejects.toMatchObject({ id: 'L008' });
  expect(told).toEqual(['asked', 'settled']);
});

test('owners that end one after the other are not asked for ever, and a refusal is the answer', async () => {
  await expect(asking(100).done).rejects.toMatchObject({ id: 'L008' });
  const refused = asking(1, { id: 'C002' });
  await expect(refused.done).rejects.toMatchObject({ id: 'C002' });
  expect(refused.told).toEqual(['asked']);
});
