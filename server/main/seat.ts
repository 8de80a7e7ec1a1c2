/**
 * This process's place at the ledger: its owner, or a guest who forwards to the owner. Takes over when the owner goes, and says so
 * (`onChange`), since every subscription must then be made again. There are never two owners: the lock decides (ownership.ts).
 * A place that cannot be taken (a full disk, a folder without permission) is tried for again; one whose folder was removed, or whose
 * file turned out to be damaged, is left and taken anew. The composition root: everything that touches the machine is made here and handed down.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { worldFacts } from '../drive/world-facts.ts';
import { Handovers } from '../drive/handovers.ts';
import { recoverHandovers } from '../drive/recover.ts';
import { removeCopies } from '../ingest/containers.ts';
import { Ledger } from '../ledger/ledger.ts';
import { Fault } from '../protocol/faults.ts';
import { notifications } from '../protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { machineOf, thisSystem } from '../../shuttles/kit/machine.ts';
import { databasesIn } from './databases.ts';
import { networkFolder } from './network-folder.ts';
import { publishOwner, withdrawOwner } from './owner-record.ts';
import { tryOwn } from './ownership.ts';
import type { Owned } from './ownership.ts';
import { socketAddresses } from './platform.ts';
import type { SocketAddress } from './platform.ts';
import { ensureSecret } from './secret.ts';
import { askProgram } from './ask-program.ts';
import { Service } from './service.ts';
import { DiskSidecars } from './sidecars.ts';
import { snapshotsOf } from './snapshots-of.ts';
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
  /** Takes no snapshots of worktrees by itself. Absent: it does, while it follows. */
  readonly noSnapshots?: boolean;
  readonly log: (line: string) => void;
  /** The owner is another one now, or this process: what was subscribed to is gone. */
  readonly onChange: (reason: string) => void;
  /** Events of a subscription that a guest made through `request`. */
  readonly onEvents: (params: JsonValue) => void;
}

interface OwnerPlace {
  readonly kind: 'owner';
  readonly owned: Owned;
  readonly ledger: Ledger;
  readonly service: Service;
  readonly listening: Listening;
  readonly watch: NodeJS.Timeout;
}
type Place = OwnerPlace | { readonly kind: 'guest'; readonly connection: OwnerConnection };

/** Why the place before was left; the next one says so. */
type Left = 'removed' | 'damaged';

/** Milliseconds between two looks whether the folder still is the one that is owned, and between two attempts to take a place. */
const lookMs = 1000;
const againMs = 2000;
/** Between a request's end and the connection's, when the one is for the other. */
const leavingMs = 200;

/** The owner ended before it answered: it is not known what it did. Whoever takes its place can be asked anew. */
export class OwnerLeft extends Fault {
  constructor(cause: unknown) {
    super('L008', '');
    this.cause = cause;
  }
}

export class Seat {
  readonly #options: SeatOptions;
  #place: Promise<Place>;
  #closed = false;
  #leaving: OwnerPlace | null = null;

  constructor(options: SeatOptions) {
    this.#options = options;
    this.#place = this.#sit();
    void this.#settle(this.#place, undefined);
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

  /** Answered here or by the owner. Rejects with a `Fault`, or with `OwnerLeft` when the owner went away meanwhile. */
  async request(client: Client, method: string, params: JsonValue): Promise<JsonValue> {
    const place = await this.#place;
    if (place.kind === 'owner') return (await place.service.handle(client, method, params)) as JsonValue;
    const { connection } = place;
    try {
      return await connection.request(method, params);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const hasLeft = await Promise.race([connection.closed.then(() => true), delay(leavingMs, false)]);
      throw hasLeft ? new OwnerLeft(error) : error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const place = await this.#place.catch(() => undefined);
    if (place !== undefined) await end(place);
  }

  /** Every request hears of a place that could not be taken. One that follows the sources goes on trying. */
  async #settle(place: Promise<Place>, reason: string | undefined): Promise<void> {
    try {
      await place;
    } catch (error) {
      if (!this.#options.follow) return;
      this.#options.log(error instanceof Fault ? `${error.id}: ${error.message}` : String(error));
      await delay(againMs, undefined, { ref: false });
      if (!this.#closed && this.#place === place) await this.#again(reason);
      return;
    }
    if (reason !== undefined && !this.#closed) this.#options.onChange(reason);
  }

  /** Until there is a place, the newest refusal is the answer. */
  async #again(reason: string | undefined): Promise<void> {
    const next = this.#sit();
    try {
      const taken = await next;
      if (this.#closed) await end(taken);
      else this.#take(next, 'The ledger can be used again.');
    } catch {
      this.#take(next, reason);
    }
  }

  #take(place: Promise<Place>, reason: string | undefined): void {
    this.#place = place;
    void this.#settle(place, reason);
  }

  /** The owner gives up its place and takes one anew. */
  #sitAnew(place: OwnerPlace, left: Left): void {
    if (this.#closed || this.#leaving === place) return;
    this.#leaving = place;
    const { log } = this.#options;
    const anew = async (): Promise<Place> => {
      await leave(place).catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
      return this.#sit(left);
    };
    this.#take(anew(), left === 'removed' ? 'The ledger folder was removed.' : 'The ledger was damaged.');
  }

  async #sit(left?: Left): Promise<Place> {
    const { folder, log } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const owned = tryOwn(folder);
      if (owned !== undefined) {
        try {
          return await this.#own(owned, left);
        } catch (error) {
          owned.release();
          throw error;
        }
      }
      const connection = await connectOwner(folder, this.#addresses(), (method, params) => this.#notified(method, params));
      if (connection !== undefined) {
        void connection.closed.then(() => this.#leaveGuest());
        // Of no use to somebody who asks once.
        if (attempt > 0 && this.#options.follow) log('connected to the owner of the ledger');
        return { kind: 'guest', connection };
      }
      if (this.#closed) throw new Error('closed before there was an owner');
      // It is just starting, or just ending.
      await delay(100);
    }
  }

  async #own(owned: Owned, left: Left | undefined): Promise<Place> {
    const { folder } = this.#options;
    const now = Date.now();
    const ledger = Ledger.open(folder, { readonly: false, now, maySetAside: true, damaged: left === 'damaged' });
    try {
      return await this.#serve(owned, ledger, left);
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }

  async #serve(owned: Owned, ledger: Ledger, left: Left | undefined): Promise<Place> {
    const { folder, environment, version, follow, noSnapshots, log } = this.#options;
    const snapshots = snapshotsOf(ledger, environment, process.env['PATH'] ?? '');
    const machine = machineOf(environment.platform, thisSystem());
    let place: OwnerPlace | undefined;
    const handovers = new Handovers({ ledger, world });
    const secret = ensureSecret(folder, randomBytes);
    const service = new Service({
      ledger,
      owner: true,
      shuttles,
      environment,
      machine,
      sidecars: new DiskSidecars(),
      databases: databasesIn(folder),
      version,
      path: process.env['PATH'] ?? '',
      now: () => Date.now(),
      randomBytes: (length) => randomBytes(length),
      world,
      handovers,
      salt: secret.proof('owner', 'mask', ''),
      facts: (cwd) => worldFacts(cwd, Date.now(), process.env),
      snapshots,
      automaticSnapshots: noSnapshots !== true,
      ask: askProgram(environment, process.env),
      log,
      onDamaged: () => {
        if (place !== undefined) this.#sitAnew(place, 'damaged');
      },
    });
    const network = networkFolder(folder, environment.platform);
    if (network !== undefined) service.fault('L006', `${folder} (${network})`);
    if (left === 'removed') service.fault('L007', folder);
    if (!ledger.readonly) for (const line of await recoverHandovers(ledger, world)) log(line);
    if (!ledger.readonly)
      for (const root of (await snapshots?.recover()) ?? []) log(`a restore that was broken off was taken back: ${root}`);
    removeCopies(folder);
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
    const watch = setInterval(() => {
      if (!owned.stands && place !== undefined) this.#sitAnew(place, 'removed');
    }, lookMs);
    watch.unref();
    place = { kind: 'owner', owned, ledger, service, listening, watch };
    if (follow) service.start();
    return place;
  }

  #leaveGuest(): void {
    if (this.#closed) return;
    this.#take(this.#sit(), 'The owner of the ledger changed.');
  }

  #notified(method: string, params: JsonValue): void {
    if (method === notifications.events.method) this.#options.onEvents(params);
  }

  #addresses(): readonly SocketAddress[] {
    const { folder, environment } = this.#options;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
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

async function end(place: Place): Promise<void> {
  if (place.kind === 'guest') place.connection.close();
  else await leave(place);
}

/** Stop writing, tell the others, then let go of the lock: the next owner must find everything settled. */
async function leave({ owned, ledger, service, listening, watch }: OwnerPlace): Promise<void> {
  clearInterval(watch);
  await service.stop();
  await listening.close();
  await ledger.close();
  // What lies in a folder that was put in ours' place is not ours to take away.
  if (owned.stands) withdrawOwner(owned);
  owned.release();
}
