/**
 * The owner's socket: other processes of the same person send requests to the one that owns the ledger. Only the holder
 * of the lock listens, so it alone may replace the socket file of an owner that is gone. A connection counts for nothing
 * until both sides have proved that they have the ledger's secret (secret.ts).
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { asObject, str } from '../../shuttles/kit/fields.ts';
import { Fault } from '../protocol/faults.ts';
import { folderFault } from './folder-fault.ts';
import { readOwner } from './owner-record.ts';
import type { Owned } from './ownership.ts';
import { privateFile, privateFolder, type SocketAddress } from './platform.ts';
import { ensureSecret, readSecret, type Secret } from './secret.ts';
import { createWire, toResponseError, unwrap, wrap, type Wire } from './wire.ts';

/** One connection, as the owner sees it. */
export interface Peer {
  /** Counts from 1. */
  readonly number: number;
  readonly notify: (method: string, params: JsonValue) => void;
}

export interface OwnerHandler {
  /** The answer, or a throw: a `Fault` arrives as a fault. `params` are whatever the other side sent. */
  request(method: string, params: JsonValue, peer: Peer): JsonValue | Promise<JsonValue>;
  notified?(method: string, params: JsonValue, peer: Peer): void;
  /** The peer is gone: what it had subscribed to ends. Only for peers that had proved themselves. */
  closed?(peer: Peer): void;
}

export interface Listening {
  readonly address: string;
  /** Ends all connections and takes the socket away. Before the ownership is released. */
  readonly close: () => Promise<void>;
}

export interface OwnerConnection {
  /** Rejects with the owner's `Fault`, or with an error when the connection is gone. */
  readonly request: (method: string, params: JsonValue) => Promise<JsonValue>;
  readonly notify: (method: string, params: JsonValue) => void;
  /** Settles when the owner is gone: look for the new one, or become it. */
  readonly closed: Promise<void>;
  readonly close: () => void;
}

/** Milliseconds in which a new connection must prove itself. */
const proofTime = 5000;
const hello = 'loom/hello';
const prove = 'loom/prove';

/**
 * Listens at the first address that can be used; publish it (owner-record.ts). Throws `Fault` L004 or L005 when none can
 * be: another person's folder or file stands there, or there is no room.
 */
export async function listenOwner(owned: Owned, candidates: readonly SocketAddress[], handler: OwnerHandler): Promise<Listening> {
  const secret = ensureSecret(owned.folder, randomBytes);
  const wires = new Set<Wire>();
  let peers = 0;
  const server = createServer((socket) => {
    const wire = createWire(socket);
    wires.add(wire);
    void wire.closed.then(() => wires.delete(wire));
    serve(wire, secret, handler, () => ++peers);
  });
  const address = await listenAtFirst(server, candidates);
  // What fails later is one connection that could not be taken; the side that wanted it tries again.
  server.on('error', () => undefined);
  return {
    address,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      for (const wire of wires) wire.close();
      await ended;
    },
  };
}

/**
 * Looks where the owner of `ledger` says it listens, then where it might. undefined: nobody listens there, or only
 * somebody who does not have the ledger's secret. `notified` hears what the owner sends unasked.
 */
export async function connectOwner(
  ledger: string,
  candidates: readonly SocketAddress[],
  notified: (method: string, params: JsonValue) => void,
): Promise<OwnerConnection | undefined> {
  const secret = readSecret(ledger);
  if (secret === undefined) return undefined;
  const published = readOwner(ledger)?.socket;
  const addresses = [...(published === undefined ? [] : [published]), ...candidates.map(({ address }) => address)];
  for (const address of new Set(addresses)) {
    const socket = await dial(address);
    const connection = socket === undefined ? undefined : await meet(createWire(socket), secret, notified);
    if (connection !== undefined) return connection;
  }
  return undefined;
}

/** The connecting side of the proof. */
async function meet(
  wire: Wire,
  secret: Secret,
  notified: (method: string, params: JsonValue) => void,
): Promise<OwnerConnection | undefined> {
  const { connection, request, notify, closed, close } = wire;
  let proved = false;
  connection.onNotification((method, params) => {
    if (proved) notified(method, unwrap(params));
  });
  connection.listen();
  const tooLate = setTimeout(close, proofTime);
  try {
    const challenge = randomBytes(16).toString('hex');
    const answer = asObject(await request(hello, { challenge }));
    const theirs = str(answer, 'challenge') ?? '';
    proved = secret.proves(str(answer, 'proof'), 'owner', theirs, challenge);
    if (proved) {
      wire.trust();
      await request(prove, { proof: secret.proof('client', theirs, challenge) });
      return { request, notify, closed, close };
    }
  } catch (error) {
    // Whatever went wrong here (it closed, it lags, it is another program): there is no owner to speak to.
    if (!(error instanceof Error)) throw error;
  } finally {
    clearTimeout(tooLate);
  }
  close();
  return undefined;
}

function serve(wire: Wire, secret: Secret, handler: OwnerHandler, nextNumber: () => number): void {
  const { connection, notify, closed, close } = wire;
  const ours = randomBytes(16).toString('hex');
  let theirs: string | undefined;
  let peer: Peer | undefined;
  const tooLate = setTimeout(close, proofTime);
  const ended = async (): Promise<void> => {
    await closed;
    clearTimeout(tooLate);
    if (peer !== undefined) handler.closed?.(peer);
  };
  void ended();

  connection.onRequest(async (method, raw) => {
    const params = unwrap(raw);
    if (peer !== undefined) {
      try {
        return wrap(await handler.request(method, params, peer));
      } catch (error) {
        throw toResponseError(error);
      }
    }
    if (method === hello && theirs === undefined) {
      theirs = str(asObject(params), 'challenge') ?? '';
      return wrap({ challenge: ours, proof: secret.proof('owner', ours, theirs) });
    }
    if (method === prove && theirs !== undefined && secret.proves(str(asObject(params), 'proof'), 'client', ours, theirs)) {
      clearTimeout(tooLate);
      wire.trust();
      peer = { number: nextNumber(), notify };
      return wrap(null);
    }
    close();
    throw toResponseError(new Error('not proved'));
  });
  connection.onNotification((method, params) => {
    if (peer === undefined) close();
    else handler.notified?.(method, unwrap(params), peer);
  });
  connection.listen();
}

async function listenAtFirst(server: Server, candidates: readonly SocketAddress[]): Promise<string> {
  let failure: unknown = new Error('there is no address to listen at');
  for (const { address, folder } of candidates) {
    try {
      if (folder !== undefined) {
        makeFolder(folder);
        removeDead(address);
      }
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(address, () => {
          server.off('error', reject);
          resolve();
        });
      });
      // The folder is closed to others already; this is for systems where only the file's own rights count.
      if (folder !== undefined) fs.chmodSync(address, privateFile);
      return address;
    } catch (error) {
      failure = folderFault(error, address);
      if (!(failure instanceof Fault)) throw failure;
    }
  }
  throw failure;
}

/** The folder of the socket must be a real one, the person's own and closed: others could put their socket in ours' place. */
function makeFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: privateFolder });
  const stats = fs.lstatSync(folder);
  const foreign = process.getuid !== undefined && stats.uid !== process.getuid();
  if (!stats.isDirectory() || foreign) throw new Fault('L005', `${folder} belongs to somebody else`);
  if ((stats.mode & 0o077) !== 0) fs.chmodSync(folder, privateFolder);
}

function removeDead(address: string): void {
  const stats = fs.lstatSync(address, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Fault('L005', `${address} is no socket`);
  fs.rmSync(address, { force: true });
}

/** undefined: nobody listens. */
async function dial(address: string): Promise<Socket | undefined> {
  const socket = connect(address);
  return await new Promise((resolve) => {
    socket.once('connect', () => {
      resolve(socket);
    });
    socket.once('error', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}
