/** One window's server side: sits at the ledger, subscribes to the list, opens a thread if one is named, and tells on stdout, a JSON line each, what it sees. */
import { Seat } from '../../server/main/seat.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { Fault } from '../../server/protocol/faults.ts';
import { notifications, requests } from '../../server/protocol/requests.ts';
import type { Client } from '../../server/main/subscriptions.ts';

const [home = '', folder = '', thread = ''] = process.argv.slice(2);
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const client: Client = { events: (subscription, seq, events) => say({ subscription, seq, events }) };
const seat = new Seat({
  folder,
  environment: environmentOf(home, {}, process.platform),
  version: '0',
  follow: true,
  log: (line) => process.stderr.write(`${line}\n`),
  onChange: (reason) => {
    say({ method: notifications.reset.method, reason });
    subscribe().catch((error: unknown) => say({ refused: String(error) }));
  },
  onEvents: (params) => say(params as object),
});
let count = 0;
async function subscribe(): Promise<void> {
  const view = await seat.request(client, requests.subscribe.method, {
    subscription: `list-${++count}`,
    kind: 'threads',
    all: true,
  });
  say({ view, owner: (await seat.owner()) !== undefined });
}
// A place that cannot be taken now is tried for again by the seat, which then says so.
await subscribe().catch((error: unknown) =>
  say({ refused: error instanceof Fault ? `${error.id} ${error.message}` : String(error) }),
);
if (thread !== '') {
  const timeline = await seat.request(client, requests.subscribe.method, { subscription: 'opened', kind: 'timeline', thread });
  say({ timeline });
}
// A window stays, whatever comes of it.
setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => {
  void seat.close().then(() => process.exit(0));
});
