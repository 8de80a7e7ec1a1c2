import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { Fault } from '../protocol/faults.ts';
import { publishOwner } from './owner-record.ts';
import { tryOwn, type Owned } from './ownership.ts';
import type { SocketAddress } from './platform.ts';
import { connectOwner, listenOwner, type Listening, type OwnerConnection, type OwnerHandler } from './socket.ts';

let folder: string;
let owned: Owned;
let at: readonly SocketAddress[];
const closing: (() => unknown)[] = [];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-socket-'));
  const mine = tryOwn(path.join(folder, 'ledger'));
  if (mine === undefined) throw new Error('not owned');
  owned = mine;
  const run = path.join(folder, 'run');
  at = [
    process.platform === 'win32'
      ? { address: `\\\\.\\pipe\\${path.basename(folder)}`, folder: undefined }
      : { address: path.join(run, 's.sock'), folder: run },
  ];
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  owned.release();
  fs.rmSync(folder, { recursive: true, force: true });
});

const address = (): string => at[0]?.address ?? '';
async function listen(handler: OwnerHandler): Promise<Listening> {
  const listening = await listenOwner(owned, at, handler);
  closing.push(listening.close);
  return listening;
}
async function meet(notified: (method: string, params: JsonValue) => void = () => undefined): Promise<OwnerConnection> {
  const connection = await connectOwner(owned.folder, at, notified);
  if (connection === undefined) throw new Error('no owner');
  closing.push(connection.close);
  return connection;
}
const echo: OwnerHandler = { request: (method, params) => ({ method, params }) };

test('a request is answered, whatever JSON it carries', async () => {
  await listen(echo);
  const owner = await meet();
  for (const params of [null, 1, 'text', [], [1, [2]], { a: { b: null } }, false]) {
    expect(await owner.request('loom/any', params)).toEqual({ method: 'loom/any', params });
  }
});

test('what the owner sends unasked arrives in order and before the answer that was given after it', async () => {
  await listen({
    request(_method, _params, peer) {
      for (let i = 0; i < 100; i++) peer.notify('loom/events', i);
      return 'done';
    },
  });
  const seen: JsonValue[] = [];
  const owner = await meet((_method, params) => seen.push(params));
  expect(await owner.request('go', null)).toBe('done');
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

test('each connection hears only what is sent to it, and the owner is told when one is gone', async () => {
  const gone: number[] = [];
  let told: (() => void) | undefined;
  let hear: ((params: JsonValue) => void) | undefined;
  const heardNotification = new Promise<JsonValue>((resolve) => {
    hear = resolve;
  });
  await listen({
    request: (_method, _params, peer) => {
      peer.notify('you', peer.number);
      return peer.number;
    },
    notified: (_method, params) => hear?.(params),
    closed: (peer) => {
      gone.push(peer.number);
      told?.();
    },
  });
  const heard: JsonValue[][] = [[], []];
  const first = await meet((_method, params) => heard[0]?.push(params));
  const second = await meet((_method, params) => heard[1]?.push(params));
  expect([await first.request('who', null), await second.request('who', null)]).toEqual([1, 2]);
  expect(heard).toEqual([[1], [2]]);
  second.notify('said', { a: 1 });
  expect(await heardNotification).toEqual({ a: 1 });
  const closed = new Promise<void>((resolve) => {
    told = resolve;
  });
  first.close();
  await closed;
  expect(gone).toEqual([1]);
});

test('a fault of the owner arrives as that fault, a bug as an error', async () => {
  await listen({
    request(method) {
      if (method === 'fault') throw new Fault('T001', 'thread 7');
      throw new Error('a broken invariant');
    },
  });
  const owner = await meet();
  const fault: unknown = await owner.request('fault', null).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ id: 'T001', detail: 'thread 7' });
  await expect(owner.request('bug', null)).rejects.toThrow('a broken invariant');
});

test('when the owner ends, waiting requests fail and the connection says so', async () => {
  let arrive: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const listening = await listen({
    request: async () => {
      arrive?.();
      return await new Promise<JsonValue>(() => undefined);
    },
  });
  const owner = await meet();
  const waiting = owner.request('forever', null);
  const failed = expect(waiting).rejects.toThrow();
  await reached;
  await listening.close();
  await owner.closed;
  await failed;
  expect(await connectOwner(owned.folder, at, () => undefined)).toBeUndefined();
});

test('where nobody listens there is no owner', async () => {
  expect(await connectOwner(path.join(folder, 'none'), at, () => undefined)).toBeUndefined();
  const listening = await listen(echo);
  await listening.close();
  expect(await connectOwner(owned.folder, at, () => undefined)).toBeUndefined();
});

test('the owner is found where it says that it listens', async () => {
  await listen(echo);
  publishOwner(owned, { pid: process.pid, start: '', socket: address(), since: 0 });
  const owner = await connectOwner(owned.folder, [], () => undefined);
  expect(await owner?.request('x', 1)).toEqual({ method: 'x', params: 1 });
  owner?.close();
});

/** A frame of JSON-RPC. */
const frame = (message: unknown): string => {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
/** Sends raw bytes and waits for the end of the connection. */
async function raw(bytes: string): Promise<void> {
  const socket = net.connect(address());
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(bytes);
  await once(socket, 'close');
}

/** Sends the owner's own proof back to it, in the same connection, and waits for the end of it. */
async function mirror(): Promise<void> {
  const socket = net.connect(address());
  socket.on('error', () => undefined);
  socket.write(frame({ jsonrpc: '2.0', id: 1, method: 'loom/hello', params: { body: { challenge: 'x' } } }));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  const proof = /"proof":"(\w{64})"/.exec(answer.toString())?.[1] ?? '';
  expect(proof).not.toBe('');
  socket.write(frame({ jsonrpc: '2.0', id: 2, method: 'loom/prove', params: { body: { proof } } }));
  await once(socket, 'close');
}

test('who does not know the secret gets no answer and is not served', async () => {
  const served: string[] = [];
  await listen({
    request: (method) => {
      served.push(method);
      return null;
    },
    notified: (method) => void served.push(method),
    closed: () => void served.push('closed'),
  });
  await raw(frame({ jsonrpc: '2.0', id: 1, method: 'loom/status', params: {} }));
  await raw(frame({ jsonrpc: '2.0', method: 'loom/notice', params: {} }));
  await raw(frame({ jsonrpc: '2.0', id: 1, method: 'loom/prove', params: { body: { proof: '0'.repeat(64) } } }));
  await mirror();
  expect(served).toEqual([]);
  fs.writeFileSync(path.join(owned.folder, 'owner.key'), '00'.repeat(32));
  expect(await connectOwner(owned.folder, at, () => undefined)).toBeUndefined();
  expect(served).toEqual([]);
});

test('rubbish, an endless header and a message that is too long end the connection, and the next one is served', async () => {
  await listen(echo);
  await raw('rubbish\r\n\r\n');
  await raw('x'.repeat(5000));
  await raw('Content-Length: 4097\r\n\r\n');
  await raw('Content-Length: 99999999999\r\n\r\n');
  await raw('Content-Length: -5\r\n\r\n');
  await raw('Content-Length: 5\r\n\r\n{{{{{');
  const owner = await meet();
  expect(await owner.request('x', 1)).toEqual({ method: 'x', params: 1 });
});

test('an answer that is too long is an error of its request; the connection goes on', async () => {
  await listen({ request: (method) => (method === 'big' ? 'x'.repeat(65 * 1024 * 1024) : 'small') });
  const owner = await meet();
  await expect(owner.request('big', null)).rejects.toThrow('is too long');
  await expect(owner.request('x', 'y'.repeat(65 * 1024 * 1024))).rejects.toThrow('is too long');
  expect(await owner.request('small', null)).toBe('small');
  // And one of 20 MB is no problem.
  expect(await owner.request('x', 'y'.repeat(20 * 1024 * 1024))).toBe('small');
});

const unix = process.platform !== 'win32';

test.runIf(unix)('the socket and its folder are closed to other people', async () => {
  await listen(echo);
  expect(fs.statSync(path.join(folder, 'run')).mode & 0o777).toBe(0o700);
  expect(fs.statSync(address()).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.join(owned.folder, 'owner.key')).mode & 0o777).toBe(0o600);
});

test.runIf(unix)('a file that is no socket is never replaced, and a folder that cannot be used is passed over', async () => {
  fs.mkdirSync(path.join(folder, 'run'));
  fs.writeFileSync(address(), 'precious');
  await expect(listenOwner(owned, at, echo)).rejects.toThrow(expect.objectContaining({ id: 'L005' }));
  expect(fs.readFileSync(address(), 'utf8')).toBe('precious');
  fs.symlinkSync(path.join(folder, 'run'), path.join(folder, 'linked'));
  const linked = { address: path.join(folder, 'linked', 'b.sock'), folder: path.join(folder, 'linked') };
  const good = { address: path.join(folder, 'other', 's.sock'), folder: path.join(folder, 'other') };
  const listening = await listenOwner(owned, [...at, linked, good], echo);
  expect(listening.address).toBe(good.address);
  await listening.close();
});

test('the socket of an owner that was killed is replaced by the next owner, and those who were connected find it', async () => {
  owned.release();
  const here = pathToFileURL(import.meta.dirname).href;
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { tryOwn } = await import('${here}/ownership.ts');
       const { listenOwner } = await import('${here}/socket.ts');
       const owned = tryOwn(${JSON.stringify(owned.folder)});
       await listenOwner(owned, ${JSON.stringify(at)}, { request: (method, params, peer) => { peer.notify('from', process.pid); return { pid: process.pid, params }; } });
       console.log('ready');`,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  closing.push(() => child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('the child has no output');
  await once(child.stdout, 'data');
  const heard: JsonValue[] = [];
  const first = await meet((method, params) => heard.push([method, params]));
  expect(await first.request('x', [1])).toEqual({ pid: child.pid, params: [1] });
  expect(heard).toEqual([['from', child.pid]]);

  child.kill('SIGKILL');
  await first.closed;
  await once(child, 'exit');
  if (unix) expect(fs.existsSync(address())).toBe(true);
  const heir = tryOwn(owned.folder);
  if (heir === undefined) throw new Error('not owned');
  owned = heir;
  await listen(echo);
  expect(await (await meet()).request('y', null)).toEqual({ method: 'y', params: null });
});
