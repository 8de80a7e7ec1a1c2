/** The way to the panel: VS Code's message port and its kept state, typed. The port may be had once in a page. */
import { decodeHostMessage, type HostMessage, type Intent, type PanelState } from './messages.ts';

interface CodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): CodeApi;

export interface Host {
  readonly send: (intent: Intent) => void;
  readonly keep: (state: PanelState) => void;
  readonly listen: (listener: (message: HostMessage) => void) => void;
}

export function connectHost(): Host {
  const api = acquireVsCodeApi();
  return {
    send: (intent) => {
      // A panel's port has no target origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      api.postMessage(intent);
    },
    keep: (state) => {
      api.setState(state);
    },
    listen: (listener) => {
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        const message = decodeHostMessage(event.data);
        if (message !== undefined) listener(message);
      });
    },
  };
}
