/** Gives a command its place at the ledger: as owner (reading what is new first), or as guest beside the one who owns it. */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { Fault } from '../protocol/faults.ts';
import { requests } from '../protocol/requests.ts';
import type { IngestReport } from '../protocol/requests.ts';
import { damageIn } from '../ledger/damage.ts';
import { asFault, errorCode } from '../ledger/database.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Parsed } from './arguments.ts';
import { askedAnew } from './asked-anew.ts';
import type { CommandContext, Outcome } from './commands/command.ts';
import { commandOf } from './commands/all.ts';
import { environmentOf } from './environment.ts';
import { ledgerFolderOf } from './folder.ts';
import { growLittle, letYoungGenerationGrow } from './memory.ts';
import { Seat } from './seat.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** To be read: from here on it is kept from taking much memory. */
const muchBytes = 16 * 1024 * 1024;

export async function runCommand(parsed: Parsed, terminal: Terminal): Promise<Outcome> {
  const command = commandOf(parsed.command);
  if (command === undefined) return { usage: `Unknown command: ${parsed.command}` };
  const home = stringOption(parsed, 'home');
  const environment = environmentOf(home, process.env, process.platform);
  const folder = ledgerFolderOf(stringOption(parsed, 'ledger'), home, environment, process.env);
  const seat = new Seat({
    folder,
    environment,
    version,
    follow: parsed.options['watch'] === true,
    noSnapshots: parsed.options['no-snapshots'] === true,
    // A fault that ends the command is told once, by the command.
    log: (line) => (/^[A-Z]\d{3}: /u.test(line) ? undefined : terminal.note(line)),
    onChange: () => undefined,
    onEvents: () => undefined,
  });
  let reader: Ledger | undefined;
  let ledger: Ledger | undefined;
  let isSeated = false;
  try {
    const once = <T>(method: string, params: JsonValue): Promise<T> =>
      seat.request({ events: () => undefined }, method, params).then((value) => value as unknown as T);
    const request = <T>(method: string, params: JsonValue): Promise<T> =>
      isRepeatable(method, params) ? askedAnew(() => once<T>(method, params)) : once<T>(method, params);
    const readNew = async (): Promise<IngestReport> => {
      growLittle();
      (await seat.owner())?.onImport((progress) => {
        letYoungGenerationGrow(progress === null || progress.bytesTotal < muchBytes);
        terminal.progress(
          progress === null
            ? null
            : `reading sessions: ${progress.filesDone} of ${progress.filesTotal} files, ${Math.round(progress.bytesDone / 1e6)} MB`,
        );
      });
      return request(requests.ingest.method, {});
    };
    const report = command.fresh ? await readNew() : undefined;
    const service = await seat.owner();
    terminal.progress(null);
    ledger = (await seat.ledger()) ?? (reader = Ledger.open(folder, { readonly: true, now: Date.now(), maySetAside: false }));
    isSeated = true;
    const context: CommandContext = {
      parsed,
      terminal,
      environment,
      ledger,
      service,
      request,
      report,
      folder,
      now: () => Date.now(),
    };
    return await command.run(context);
  } catch (error) {
    terminal.progress(null);
    const damage = ledger === undefined ? undefined : damageIn(ledger, error);
    if (damage !== undefined) throw damage.fault;
    // What the file answered, in the words that a person can act on.
    if (errorCode(error).startsWith('SQLITE_')) throw asFault(error, folder);
    if (isSeated || !(error instanceof Fault) || command.withoutLedger === undefined) throw error;
    return await command.withoutLedger({ parsed, terminal, environment, folder, now: () => Date.now() }, error);
  } finally {
    await reader?.close();
    await seat.close();
  }
}

/** Nothing is done twice when it is asked twice. */
function isRepeatable(method: string, params: JsonValue): boolean {
  const { snapshotRestore, restore, endConflict } = requests;
  if ([snapshotRestore.method, restore.method, endConflict.method].includes(method)) return false;
  if (method !== requests.continueIn.method) return true;
  return typeof params === 'object' && params !== null && 'dryRun' in params && params.dryRun === true;
}

function stringOption(parsed: Parsed, name: string): string | undefined {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : undefined;
}
