/** The real server process over its real connection, with the views kept as a window keeps them. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { applyEvent } from '../../server/protocol/events.ts';
import { serverFlags, serverVariables } from '../../server/protocol/server-process.ts';
import { notifications, requests } from '../../server/protocol/requests.ts';
import type { EventsNotification, Method } from '../../server/protocol/requests.ts';
import type { View } from '../../server/protocol/views.ts';
import { environment, serverProgram, watchProcess } from './program.ts';
import type { Spent } from './program.ts';

export class LiveServer {
  readonly startedAt = performance.now();
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #views = new Map<string, View>();
  readonly #waiting = new Set<() => void>();
  readonly #spent: () => Spent;
  /** The end of what it wrote to its error output. */
  #complaints = '';

  constructor(home: string, ledger: string) {
    this.#child = spawn(process.execPath, [...serverFlags, serverProgram, '--node-ipc'], {
      env: { ...environment(home, ledger), ...serverVariables(process.platform) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.#complaints = (this.#complaints + text).slice(-2000)));
    this.#spent = watchProcess(this.#child.pid);
    this.#connection = createMessageConnection(new IPCMessageReader(this.#child), new IPCMessageWriter(this.#child));
    this.#connection.onNotification(notifications.events.method, ({ subscription, events }: EventsNotification) => {
      const view = this.#views.get(subscription);
      if (view === undefined) return;
      this.#views.set(subscription, events.reduce(applyEvent, view));
      for (const check of this.#waiting) check();
    });
    this.#connection.listen();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async initialize(): Promise<void> {
    await this.#connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    await this.#connection.sendNotification('initialized', {});
  }

  request<P, R>(method: Method<P, R>, params: P): Promise<R> {
    return this.#connection.sendRequest<R>(method.method, params as object);
  }

  async subscribe(
    params: Parameters<typeof this.request<NonNullable<(typeof requests.subscribe)['params']>, View>>[1],
  ): Promise<View> {
    const view = await this.request(requests.subscribe, params);
    this.#views.set(params.subscription, view);
    return view;
  }
  async unsubscribe(subscription: string): Promise<void> {
    this.#views.delete(subscription);
    await this.request(requests.unsubscribe, { subscription });
  }

  /** Answers as soon as the view is so. Rejects after `limitMs`: a bench that hangs tells nothing. */
  until(subscription: string, wanted: (view: View) => boolean, limitMs: number): Promise<View> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(check);
        clearTimeout(timer);
      };
      const check = (): void => {
        const view = this.#views.get(subscription);
        if (view === undefined || !wanted(view)) return;
        end();
        resolve(view);
      };
      const timer = setTimeout(() => {
        end();
        reject(
          new Error(
            `The view ${subscription} did not become what was waited for within ${limitMs} ms. ${this.#complaints}`.trimEnd(),
          ),
        );
      }, limitMs);
      this.#waiting.add(check);
      check();
    });
  }

  /** Ends the process and gives its peak memory in MB. */
  async close(): Promise<number | null> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    const { peakMb } = this.#spent();
    await this.#connection.sendRequest('shutdown').catch(() => undefined);
    await this.#connection.sendNotification('exit').catch(() => undefined);
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(kill);
    this.#connection.dispose();
    return peakMb;
  }
}
