/** Gives a command its place at the ledger: as owner (reading what is new first), or as guest beside the one who owns it. */
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { Fault } from '../protocol/faults.ts';
import { requests } from '../protocol/requests.ts';
import type { IngestReport } from '../protocol/requests.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Parsed } from './arguments.ts';
import type { CommandContext, Outcome } from './commands/command.ts';
import { commandOf } from './commands/all.ts';
import { environmentOf } from './environment.ts';
import { ledgerFolderOf } from './folder.ts';
import { Seat } from './seat.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

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
    // A fault that ends the command is told once, by the command.
    log: (line) => (/^[A-Z]\d{3}: /u.test(line) ? undefined : terminal.note(line)),
    onChange: () => undefined,
    onEvents: () => undefined,
  });
  let reader: Ledger | undefined;
  let isSeated = false;
  try {
    const service = await seat.owner();
    const request = <T>(method: string, params: JsonValue): Promise<T> =>
      seat.request({ events: () => undefined }, method, params).then((value) => value as unknown as T);
    service?.onImport((progress) =>
      terminal.progress(
        progress === null
          ? null
          : `reading sessions: ${progress.filesDone} of ${progress.filesTotal} files, ${Math.round(progress.bytesDone / 1e6)} MB`,
      ),
    );
    const report = command.fresh ? await request<IngestReport>(requests.ingest.method, {}) : undefined;
    terminal.progress(null);
    const ledger =
      (await seat.ledger()) ?? (reader = Ledger.open(folder, { readonly: true, now: Date.now(), maySetAside: false }));
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
    if (isSeated || !(error instanceof Fault) || command.withoutLedger === undefined) throw error;
    return command.withoutLedger({ parsed, terminal, environment, folder, now: () => Date.now() }, error);
  } finally {
    await reader?.close();
    await seat.close();
  }
}

function stringOption(parsed: Parsed, name: string): string | undefined {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : undefined;
}
