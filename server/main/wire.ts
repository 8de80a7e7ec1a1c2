/**
 * One connection of JSON-RPC over a local socket, for both sides: bounded messages, bounded waiting output, and faults
 * that arrive as faults. What the other side sends is checked here and nowhere believed.
 */
import type { Socket } from 'node:net';
import {
  createMessageConnection,
  Message,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import { asObject, field, str } from '../../shuttles/kit/fields.ts';
import { Fault, faults, type FaultId } from '../protocol/faults.ts';
import { FrameLimit } from './frame-limit.ts';

/** Bytes of one message. A longer answer becomes an error of its request; a longer message from outside ends the connection. */
export const longestMessage = 64 * 1024 * 1024;
/** Of a request: what stands around its parameters. */
const roomForHead = 4096;
/** Output that waits for a side that does not read. Beyond it the connection ends: the other side can make a new one. */
const mostWaiting = 2 * longestMessage;

/** Own error codes, outside of those that JSON-RPC reserves. */
const faultCode = 1;
const tooLongCode = 2;

export interface Wire {
  readonly connection: MessageConnection;
  /** Settles when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>;
  /** Rejects with the other side's `Fault`, or with an error: too long, not understood, or the connection is gone. */
  readonly request: (method: string, params: JsonValue) => Promise<JsonValue>;
  readonly notify: (method: string, params: JsonValue) => void;
  /** The other side has proved itself: it may send messages of full length from now on. */
  readonly trust: () => void;
  readonly close: () => void;
}

/** What a side may send that has not proved itself yet. */
const longestHello = 4096;

/** The caller registers its handlers and calls `connection.listen()`. */
export function createWire(socket: Socket, limit = longestMessage): Wire {
  const frames = new FrameLimit(longestHello);
  const end = (): void => void socket.destroy();
  // An error of a socket is only its end; an unheard one would be thrown.
  socket.on('error', end);
  frames.on('error', end);
  socket.pipe(frames);
  const reader = new StreamMessageReader(frames);
  const writer = new StreamMessageWriter(socket, {
    contentTypeEncoder: { name: 'application/json', encode: (message) => encode(message, limit) },
  });
  const connection = createMessageConnection(reader, writer);
  connection.onError(end);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      // Every request that still waits is answered with an error by this.
      connection.dispose();
      resolve();
    });
  });
  return {
    connection,
    closed,
    async request(method, params) {
      // Found out here and not while it is being written: that would be an error of the whole connection.
      const length = Buffer.byteLength(JSON.stringify(params));
      if (length > limit - roomForHead) throw new Error(tooLong(length));
      try {
        return unwrap(await connection.sendRequest(method, wrap(params)));
      } catch (error) {
        throw fromResponseError(error);
      }
    },
    notify(method, params) {
      if (socket.destroyed) return;
      // A side that went away or lags gets no more; its `closed` says so.
      connection.sendNotification(method, wrap(params)).catch(end);
      if (socket.writableLength > mostWaiting) end();
    },
    trust() {
      frames.limit = limit;
    },
    close: end,
  };
}

/** JSON-RPC takes objects and lists of parameters only, and vscode-jsonrpc wraps the rest by rules of its own. */
export function wrap(params: JsonValue): JsonObject {
  return { body: params };
}

/** What a JSON parser gave is JSON; whoever speaks another language has sent null. */
export function unwrap(params: unknown): JsonValue {
  return field(asObject(params as JsonValue | undefined), 'body') ?? null;
}

function tooLong(length: number): string {
  return `a message of ${length} bytes is too long`;
}

async function encode(message: Message, limit: number): Promise<Uint8Array> {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length <= limit) return bytes;
  const problem = tooLong(bytes.length);
  if (!Message.isResponse(message)) throw new Error(problem);
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: tooLongCode, message: problem } }));
}

/** An error as it goes over the wire: a fault keeps its id and detail, a bug its sentence. */
export function toResponseError(error: unknown): ResponseError<JsonValue> {
  if (error instanceof Fault) return new ResponseError(faultCode, error.message, { id: error.id, detail: error.detail });
  return new ResponseError(-32603, error instanceof Error ? error.message : 'unknown error');
}

/** The other direction: faults are made again, all else stays what it is. */
function fromResponseError(error: unknown): unknown {
  if (!(error instanceof ResponseError) || error.code !== faultCode) return error;
  const data = asObject(error.data as JsonValue | undefined);
  const id = str(data, 'id');
  return id !== undefined && isFaultId(id) ? new Fault(id, str(data, 'detail') ?? '') : error;
}

function isFaultId(id: string): id is FaultId {
  return Object.hasOwn(faults, id);
}
