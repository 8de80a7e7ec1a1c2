/**
 * The server process, as a `Link`. It is started by the first request, not by activation; a crash restarts it, at most
 * five times in three minutes, and every subscription is then made anew. When it is given up, the person is told once,
 * with a way to start it again. The server speaks LSP over Node's IPC, so that nothing can write into its stream by accident.
 */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { serverFlags, serverVariables } from '../server/protocol/server-process.ts';
import { notifications, type EventsNotification, type Method } from '../server/protocol/requests.ts';
import { ServerGone, type Closeable, type Link } from './link.ts';

export type ConnectionState = 'idle' | 'starting' | 'running' | 'failed';

const crashesAllowed = 5;
const crashWindow = 3 * 60_000;

export class Connection implements Link, vscode.Disposable {
  readonly #module: string;
  readonly #log: vscode.LogOutputChannel;
  readonly #ledgerFolder: () => string;
  readonly #takesSnapshots: () => boolean;
  readonly #events = new vscode.EventEmitter<EventsNotification>();
  readonly #renew = new vscode.EventEmitter<void>();
  readonly #stateChange = new vscode.EventEmitter<ConnectionState>();
  readonly onState = this.#stateChange.event;
  #state: ConnectionState = 'idle';
  #client: LanguageClient | null = null;
  #started: Promise<LanguageClient> | null = null;
  #crashes: number[] = [];
  #launches = 0;
  #disposed = false;

  /** `module`: absolute path of the bundled server. */
  constructor(module: string, log: vscode.LogOutputChannel, ledgerFolder: () => string, takesSnapshots: () => boolean) {
    this.#module = module;
    this.#log = log;
    this.#ledgerFolder = ledgerFolder;
    this.#takesSnapshots = takesSnapshots;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Starts the server unless it runs or is starting. */
  async start(): Promise<void> {
    await this.#running();
  }

  async request<Params, Result>(method: Method<Params, Result>, params: Params): Promise<Result> {
    const client = await this.#running();
    try {
      return await client.sendRequest<Result>(method.method, params);
    } catch (error) {
      throw isDisconnection(error) ? new ServerGone() : error;
    }
  }

  onEvents(listener: (notification: EventsNotification) => void): Closeable {
    return this.#events.event(listener);
  }

  onRenew(listener: () => void): Closeable {
    return this.#renew.event(listener);
  }

  /** Ends the server; it is a child of this process and would end with it in any case. */
  dispose(): void {
    this.#disposed = true;
    const client = this.#client;
    this.#client = null;
    this.#started = null;
    if (client !== null) void client.dispose(2000).catch(() => undefined);
    this.#events.dispose();
    this.#renew.dispose();
    this.#stateChange.dispose();
  }

  async #running(): Promise<LanguageClient> {
    if (this.#disposed) throw new ServerGone();
    this.#started ??= this.#launch();
    return this.#started;
  }

  async #launch(): Promise<LanguageClient> {
    this.#enter('starting');
    this.#launches += 1;
    const begun = Date.now();
    try {
      // Loaded here and not at the top: activation shall not pay for it.
      const library = await import('vscode-languageclient/node');
      const { CloseAction, ErrorAction, LanguageClient: Client, State, TransportKind } = library;
      const ledger = this.#ledgerFolder();
      const options = {
        execArgv: [...serverFlags],
        env: { ...process.env, ...serverVariables(process.platform), ...(ledger === '' ? {} : { LOOM_HOME: ledger }) },
      };
      let ranBefore = false;
      const run = { module: this.#module, transport: TransportKind.ipc, options };
      const client = new Client(
        'loom',
        'Loom',
        { run, debug: run },
        {
          documentSelector: [],
          outputChannel: this.#log,
          initializationOptions: { locale: vscode.env.language, snapshots: this.#takesSnapshots() },
          initializationFailedHandler: () => false,
          errorHandler: {
            error: (error) => {
              this.#log.error(`The connection to the server failed: ${error.message}`);
              return { action: ErrorAction.Continue, handled: true };
            },
            closed: () => {
              // A server that never ran would not run the next time either: the start has failed, and says so.
              if (!ranBefore) return { action: CloseAction.DoNotRestart, handled: true };
              const again = this.#mayRestart();
              if (!again) this.#giveUp();
              return { action: again ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
            },
          },
        },
      );
      client.onNotification(notifications.events.method, (notification: EventsNotification) => {
        this.#events.fire(notification);
      });
      client.onNotification(notifications.reset.method, (notification: { readonly reason: string }) => {
        this.#log.info(`Subscribing anew: ${notification.reason}`);
        this.#renew.fire();
      });
      client.onDidChangeState(({ newState }) => {
        if (newState !== State.Running || this.#disposed || this.#client !== client) return;
        this.#enter('running');
        // Whoever asked an earlier server for a view has to ask this one.
        if (ranBefore || this.#launches > 1) this.#renew.fire();
        ranBefore = true;
      });
      this.#client = client;
      await client.start();
      this.#log.info(`The server runs, ${Date.now() - begun} ms after it was asked for.`);
      return client;
    } catch (error) {
      this.#started = null;
      this.#client = null;
      this.#log.error(`The server could not be started: ${error instanceof Error ? error.message : String(error)}`);
      this.#enter('failed');
      throw new ServerGone();
    }
  }

  #mayRestart(): boolean {
    if (this.#disposed) return false;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < crashWindow), now];
    const again = this.#crashes.length <= crashesAllowed;
    this.#log.warn(
      `The server ended unexpectedly (${this.#crashes.length} in three minutes)${again ? '; starting it again.' : '.'}`,
    );
    if (again) this.#enter('starting');
    return again;
  }

  #giveUp(): void {
    this.#client = null;
    this.#started = null;
    if (this.#disposed) return;
    this.#enter('failed');
    void this.#offerRestart();
  }

  async #offerRestart(): Promise<void> {
    const again = 'Start Again';
    const log = 'Show log';
    const text =
      'The Loom server ended several times in a row and was not started again. The sessions of your agents are untouched.';
    const chosen = await vscode.window.showErrorMessage(text, again, log);
    if (chosen === log) this.#log.show();
    if (chosen !== again || this.#disposed) return;
    this.#crashes = [];
    try {
      await this.start();
    } catch {
      // Logged and shown by the view's state already.
    }
  }

  #enter(state: ConnectionState): void {
    if (this.#state === state || this.#disposed) return;
    this.#state = state;
    this.#stateChange.fire(state);
  }
}

/** JSON-RPC's codes for a connection that went away: pending response rejected, connection inactive (vscode-jsonrpc 10). */
function isDisconnection(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && (error.code === -32_097 || error.code === -32_096);
}
