/**
 * A window's hand-over when another process owns the ledger and ends meanwhile, as a command does whose own work is done: it is asked for once
 * more, by the rules that hold for a command (asked-again.ts). A dry run changes nothing, and is simply asked again.
 */
import { knownThread } from '../ledger/lookup.ts';
import { Ledger } from '../ledger/ledger.ts';
import { requests } from '../protocol/requests.ts';
import { bool, str } from '../../shuttles/kit/fields.ts';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import { askedAgain } from './asked-again.ts';
import { askedAnew } from './asked-anew.ts';
import type { Seat } from './seat.ts';
import type { Client } from './subscriptions.ts';

/** `folder`: the ledger's. `params`: of `requests.continueIn`, checked by whoever answers. */
export function windowHandOver(
  seat: Pick<Seat, 'request' | 'ledger'>,
  folder: string,
  client: Client,
  params: JsonObject,
): Promise<JsonValue> {
  const ask = (): Promise<JsonValue> => seat.request(client, requests.continueIn.method, params);
  if (bool(params, 'dryRun') === true) return askedAnew(ask);
  return askedAgain(ask, {
    epoch: () => epochOf(seat, folder, str(params, 'thread') ?? ''),
    settled: () => askedAnew(() => seat.request(client, requests.status.method, {})),
  });
}

/** A thread that the ledger does not have yet has not changed hands. */
async function epochOf(seat: Pick<Seat, 'ledger'>, folder: string, thread: string): Promise<number> {
  const own = await seat.ledger();
  if (own !== undefined) return knownThread(own, thread)?.lease_epoch ?? 0;
  const reader = Ledger.open(folder, { readonly: true, now: Date.now(), maySetAside: false });
  try {
    return knownThread(reader, thread)?.lease_epoch ?? 0;
  } finally {
    await reader.close();
  }
}
