/** The port through which the client's parts speak to the server; connection.ts is the real one. */
import type { Method, EventsNotification } from '../server/protocol/requests.ts';

export interface Closeable {
  dispose(): void;
}

export interface Link {
  /** Rejects with the server's error, or with `ServerGone` when there is no server. Starts the server if need be. */
  request<Params, Result>(method: Method<Params, Result>, params: Params): Promise<Result>;
  onEvents(listener: (notification: EventsNotification) => void): Closeable;
  /** The server is up again, or its ledger has another owner: every subscription has to be made anew. */
  onRenew(listener: () => void): Closeable;
}

/** There is no server, or it ended before it answered. */
export class ServerGone extends Error {
  constructor() {
    super('The Loom server ended before it answered, or could not be started.');
  }
}
