/**
 * This process's place at the ledger: its owner, or a guest who forwards to the owner. Takes over when the owner goes, and says so
 * (`onChange`), since every subscription must then be made again. There are never two owners: the lock decides (ownership.ts).
 * The composition root: everything that touches the machine is made here and handed down.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { worldFacts } from '../drive/world-facts.ts';
import { recoverHandoffs } from '../drive/recover.ts';
import { Ledger } from '../ledger/ledger.ts';
import { notifications } from '../protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { machineOf, thisSystem } from '../../shuttles/kit/machine.ts';
import { publishOwner, withdrawOwner } from './owner-record.ts';
import { tryOwn } from './ownership.ts';
import type { Owned } from './ownership.ts';
import { socketAddresses } from './platform.ts';
import type { SocketAddress } from './platform.ts';
import { ensureSecret } from './secret.ts';
import { Service } from './service.ts';
import { DiskSidecars } from './sidecars.ts';
import { connectOwner, listenOwner } from './socket.ts';
import type { Listening, OwnerConnection } from './socket.ts';
import type { Client } from './subscriptions.ts';
import { world } from './world.ts';

export interface SeatOptions {
  readonly folder: string;
  readonly environment: Environment;
  readonly version: string;
  /** Follow the sources while owning; a short-lived program does not. */
  readonly follow: boolean;
  readonly log: (line: string) => void;
  /** The owner is another one now, or this process: what was subscribed to is gone. */
  readonly onChange: (reason: string) => void;
  /** Events of a subscription that a guest made through `request`. */
  readonly onEvents: (params: JsonValue) => void;
}

type Place =
  | {
      readonly kind: 'owner';
      readonly owned: Owned;
      readonly ledger: Ledger;
      readonly service: Service;
      readonly listening: Listening;
    }
  | { readonly kind: 'guest'; readonly connection: OwnerConnection };

export class Seat {
  readonly #options: SeatOptions;
  #place: Promise<Place>;
  #closed = false;
  #first = true;

  constructor(options: SeatOptions) {
    this.#options = options;
    this.#place = this.#sit();
    // Asked for again by every request; nobody may be there to hear it now.
    this.#place.catch(() => undefined);
  }

  /** The service, when this process owns the ledger. Waits until that is settled. */
  async owner(): Promise<Service | undefined> {
    const place = await this.#place;
    return place.kind === 'owner' ? place.service : undefined;
  }

  async ledger(): Promise<Ledger | undefined> {
    const place = await this.#place;
    return place.kind === 'owner' ? place.ledger : undefined;
  }

  /** Answered here or by the owner. Rejects with a `Fault`, or with an error when the owner went away meanwhile. */
  async request(client: Client, method: string, params: JsonValue): Promise<JsonValue> {
    const place = await this.#place;
    if (place.kind === 'owner') return (await place.service.handle(client, method, params)) as JsonValue;
    return place.connection.request(method, params);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const place = await this.#place.catch(() => undefined);
    if (place === undefined) return;
    if (place.kind === 'guest') place.connection.close();
    else await leave(place);
  }

  async #sit(): Promise<Place> {
    const { folder, log } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const owned = tryOwn(folder);
      if (owned !== undefined) {
        try {
          return await this.#own(owned);
        } catch (error) {
          owned.release();
          throw error;
        }
      }
      const connection = await connectOwner(folder, this.#addresses(), (method, params) => this.#notified(method, params));
      if (connection !== undefined) {
        void connection.closed.then(() => this.#leaveGuest());
        if (attempt > 0) log('connected to the owner of the ledger');
        return { kind: 'guest', connection };
      }
      if (this.#closed) throw new Error('closed before there was an owner');
      // It is just starting, or just ending.
      await delay(100);
    }
  }

  async #own(owned: Owned): Promise<Place> {
    const { folder, environment, version, follow, log } = this.#options;
    const machine = machineOf(environment.platform, thisSystem());
    const ledger = Ledger.open(folder, { readonly: false, now: Date.now(), maySetAside: true });
    const secret = ensureSecret(folder, randomBytes);
    const service = new Service({
      ledger,
      owner: true,
      shuttles,
      environment,
      machine,
      sidecars: new DiskSidecars(),
      version,
      path: process.env['PATH'] ?? '',
      now: () => Date.now(),
      randomBytes: (length) => randomBytes(length),
      world,
      salt: secret.proof('owner', 'mask', ''),
      facts: (cwd) => worldFacts(cwd, Date.now(), process.env),
      log,
    });
    if (!ledger.readonly) for (const line of recoverHandoffs(ledger)) log(line);
    const clients = new Map<number, Client>();
    const listening = await listenOwner(owned, this.#addresses(), {
      request: async (method, params, peer) => {
        const client: Client = clients.get(peer.number) ?? {
          events: (subscription, seq, events) =>
            peer.notify(notifications.events.method, { subscription, seq, events } as unknown as JsonValue),
        };
        clients.set(peer.number, client);
        return ((await service.handle(client, method, params)) ?? null) as JsonValue;
      },
      closed: (peer) => {
        const client = clients.get(peer.number);
        if (client !== undefined) service.drop(client);
        clients.delete(peer.number);
      },
    });
    publishOwner(owned, {
      pid: process.pid,
      start: machine.processStart(process.pid) ?? '',
      socket: listening.address,
      since: Date.now(),
    });
    if (follow) service.start();
    return { kind: 'owner', owned, ledger, service, listening };
  }

  #leaveGuest(): void {
    if (this.#closed) return;
    this.#place = this.#sit();
    this.#place.then(
      () => this.#options.onChange('The owner of the ledger changed.'),
      (error: unknown) => this.#options.log(error instanceof Error ? error.message : String(error)),
    );
  }

  #notified(method: string, params: JsonValue): void {
    if (method === notifications.events.method) this.#options.onEvents(params);
  }

  #addresses(): readonly SocketAddress[] {
    const { folder, environment } = this.#options;
    if (this.#first) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#first = false;
    return socketAddresses(
      {
        platform: environment.platform,
        variables: process.env,
        home: environment.home,
        temporary: os.tmpdir(),
        account: process.getuid?.() ?? 0,
      },
      fs.realpathSync.native(folder),
    );
  }
}

/** Stop writing, tell the others, then let go of the lock: the next owner must find everything settled. */
async function leave({ owned, ledger, service, listening }: Extract<Place, { kind: 'owner' }>): Promise<void> {
  await service.stop();
  await listening.close();
  await ledger.close();
  withdrawOwner(owned);
  owned.release();
}
