/**
 * The server process of a VS Code window: LSP's connection over Node's IPC (or stdio), Loom's own requests on it. Owns the
 * ledger or forwards to the window that does (seat.ts). Nothing but the protocol is ever written to stdout.
 */
import { fileURLToPath } from 'node:url';
import { createConnection, ProposedFeatures, ResponseError, type InitializeParams } from 'vscode-languageserver/node';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import { asObject } from '../../shuttles/kit/fields.ts';
import { Fault } from '../protocol/faults.ts';
import { notifications, requests } from '../protocol/requests.ts';
import { environmentOf } from './environment.ts';
import { ledgerFolderOf } from './folder.ts';
import { growLittle } from './memory.ts';
import { refuseOldRuntime } from './runtime.ts';
import type { Seat } from './seat.ts';
import type { Client } from './subscriptions.ts';
import { version } from './version.ts';
import { toResponseError } from './wire.ts';

const connection = createConnection(ProposedFeatures.all);
const log = (line: string): void => connection.console.info(line);
interface Seated {
  readonly place: Seat;
  readonly handOver: (params: JsonObject) => Promise<JsonValue>;
}
let seat: Promise<Seated> | null = null;
/** As the window's settings say. */
let takesSnapshots = true;

const client: Client = {
  events: (subscription, seq, events) =>
    void connection.sendNotification(notifications.events.method, { subscription, seq, events }),
};

connection.onInitialize(({ initializationOptions, workspaceFolders }: InitializeParams) => {
  const asked = initializationOptions as { readonly snapshots?: unknown } | undefined;
  takesSnapshots = asked?.snapshots !== false;
  seat ??= open();
  seat.catch(told);
  if (takesSnapshots) void begin((workspaceFolders ?? []).map(({ uri }) => uri));
  return { capabilities: {}, serverInfo: { name: 'loom', version } };
});

for (const { method } of Object.values(requests)) {
  connection.onRequest<JsonValue, unknown>(method, async (params: unknown) => {
    try {
      seat ??= open();
      const { place, handOver } = await seat;
      const given = asObject((params ?? undefined) as JsonValue | undefined);
      if (method === requests.continueIn.method && given !== undefined) return await handOver(given);
      return (await place.request(client, method, (params ?? null) as JsonValue)) ?? null;
    } catch (error) {
      const answer = toResponseError(error);
      throw new ResponseError(answer.code, answer.message, answer.data);
    }
  });
}

connection.onShutdown(async () => {
  if (seat !== null) await (await seat).place.close();
});
connection.listen();

/** The folders that the window works in have a snapshot to begin with, where there can be one. In the background, one after another. */
async function begin(uris: readonly string[]): Promise<void> {
  for (const uri of uris)
    try {
      if (!uri.startsWith('file:') || seat === null) continue;
      const { place } = await seat;
      await place.request(client, requests.snapshotTake.method, { folder: fileURLToPath(uri), baseline: true });
    } catch (error) {
      // A folder without a repository is nothing to tell of.
      if (!(error instanceof Fault && error.id === 'G001')) told(error);
    }
}

function told(error: unknown): void {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** SQLite's binary would crash an old Node: it is loaded only behind this check. */
async function open(): Promise<Seated> {
  refuseOldRuntime();
  growLittle();
  const [module, { windowHandOver }] = await Promise.all([import('./seat.ts'), import('./window-hand-over.ts')]);
  const environment = environmentOf(undefined, process.env, process.platform);
  const folder = ledgerFolderOf(undefined, undefined, environment, process.env);
  const place = new module.Seat({
    folder,
    environment,
    version,
    follow: true,
    noSnapshots: !takesSnapshots,
    log,
    onChange: (reason) => void connection.sendNotification(notifications.reset.method, { reason }),
    onEvents: (params) => void connection.sendNotification(notifications.events.method, params),
  });
  return { place, handOver: (params) => windowHandOver(place, folder, client, params) };
}
