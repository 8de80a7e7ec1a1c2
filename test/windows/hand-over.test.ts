/** A window that hands a thread over while another process owns the ledger, and that one ends before it has answered. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf } from '../../server/main/environment.ts';
import { OwnerLeft, Seat } from '../../server/main/seat.ts';
import { windowHandOver } from '../../server/main/window-hand-over.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import { homeWith, paramsOf } from '../handover/hand-over.ts';

const client = { events: () => undefined };

function place(): { readonly folder: string; readonly sit: (follow?: boolean) => Seat } {
  const home = homeWith({ exchanges: [['Build the cart.', 'Built.']] });
  fs.mkdirSync(path.join(home, '.codex/sessions'), { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-seats-'));
  const seats: Seat[] = [];
  onTestFinished(async () => {
    for (const seat of seats) await seat.close();
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  const sit = (): Seat => {
    const quiet = { log: () => undefined, onChange: () => undefined, onEvents: () => undefined };
    const environment = environmentOf(home, {}, 'linux');
    const seat = new Seat({ folder, environment, version: '0', follow: false, noSnapshots: true, ...quiet });
    seats.push(seat);
    return seat;
  };
  return { folder, sit };
}

const params = (over: Parameters<typeof paramsOf>[0] = {}): JsonObject => ({ ...paramsOf(over) });

test('it is asked for again of who owns the ledger then, and carried once', async () => {
  const { folder, sit } = place();
  const owner = sit();
  await owner.request(client, requests.ingest.method, {});
  const guest = sit();
  expect(await guest.ledger()).toBeUndefined();
  let ended: Promise<void> | undefined;
  const asked: string[] = [];
  // The owner goes when it has heard of it and before it answers.
  const going: Pick<Seat, 'request' | 'ledger'> = {
    ledger: () => guest.ledger(),
    request: (to, method, given) => {
      asked.push(method);
      const answer = guest.request(to, method, given);
      if (method === requests.continueIn.method) ended ??= owner.close();
      return answer;
    },
  };
  const result = await windowHandOver(going, folder, client, params());
  await ended;
  expect(result).toMatchObject({ harness: 'codex', mode: 'native', lease: { epoch: 1, holder: 'codex' } });
  expect(asked).toEqual([requests.continueIn.method, requests.status.method, requests.continueIn.method]);
  const row = (await guest.ledger())?.threads.newest(10) ?? [];
  expect(row.map(({ harness, lease_epoch: epoch }) => [harness, epoch])).toEqual([['codex', 1]]);
});

test('one that was carried before the answer was lost is told as lost, and a dry run is asked again', async () => {
  const { folder, sit } = place();
  const seat = sit();
  await seat.request(client, requests.ingest.method, {});
  let losses = 0;
  const losing: Pick<Seat, 'request' | 'ledger'> = {
    ledger: () => seat.ledger(),
    async request(to, method, given): Promise<JsonValue> {
      const answer = await seat.request(to, method, given);
      if (method !== requests.continueIn.method || losses++ > 0) return answer;
      throw new OwnerLeft(new Error('lost'));
    },
  };
  expect(await windowHandOver(losing, folder, client, params({ dryRun: true }))).toMatchObject({ lease: null });
  losses = 0;
  await expect(windowHandOver(losing, folder, client, params())).rejects.toMatchObject({ id: 'L008' });
  const rows = (await seat.ledger())?.threads.newest(10) ?? [];
  expect(rows.map(({ lease_epoch: epoch }) => epoch)).toEqual([1]);
});

test('a refusal is the answer', async () => {
  const { folder, sit } = place();
  const seat = sit();
  await expect(windowHandOver(seat, folder, client, params({ thread: 'nobody' }))).rejects.toMatchObject({ id: 'T001' });
});
