/**
 * `loom mcp`: Loom's MCP server, which a harness starts and keeps for as long as its session lasts. The protocol is a bundle of its own
 * (server/mcp); nothing of the ledger is loaded before the first call, so that a session starts as fast with it as without. Ends when its
 * input ends or its parent is gone.
 */
import type { JsonObject } from '../../shuttles/contract/json.ts';
import type { serve as serveOf } from '../mcp/serve.ts';
import { Fault } from '../protocol/faults.ts';
import type { Told } from '../protocol/reading.ts';
import type { FaultView } from '../protocol/views.ts';
import type { Parsed } from './arguments.ts';
import type { BriefSeat } from './brief-seat.ts';
import { environmentOf } from './environment.ts';
import { ledgerFolderOf } from './folder.ts';
import { version } from './version.ts';

interface Protocol {
  readonly serve: typeof serveOf;
}

/** Milliseconds between two looks whether the parent is still there. */
const parentMs = 2000;
/** For the answers that are still being made when the client is gone, and for letting go of the ledger. */
const lastMs = 15_000;

export async function runMcp({ options }: Parsed, log: (line: string) => void): Promise<void> {
  const { serve } = await protocol();
  let seat: Promise<BriefSeat> | undefined;
  const end = new AbortController();
  const parent = process.ppid;
  // On Windows the number of a parent that is gone stays; the end of the input tells it there.
  const look = setInterval(() => {
    if (process.ppid !== parent) end.abort();
  }, parentMs);
  look.unref();
  if (process.stdin.isTTY) log('An agent starts this and speaks MCP with it; see `loom mcp --help`. Ctrl-D ends it.');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end.abort());
  const ask = async (method: string, params: JsonObject): Promise<Told | FaultView> => {
    try {
      const place = await (seat ??= openSeat(options, log));
      return (await place.request(method, params)) as unknown as Told;
    } catch (error) {
      if (error instanceof Fault) return { id: error.id, message: error.message, fix: error.fix };
      throw error;
    }
  };
  await serve({ version, variables: process.env, input: process.stdin, output: process.stdout, ask, log, end: end.signal });
  clearInterval(look);
  setTimeout(() => process.exit(0), lastMs).unref();
  await (await seat)?.close();
}

/** From the bundle beside this one, or from the source when this is not bundled. */
async function protocol(): Promise<Protocol> {
  const here = import.meta.url;
  const file = new URL(here.endsWith('.ts') ? '../mcp/serve.ts' : './mcp.cjs', here);
  return (await import(file.href)) as Protocol;
}

async function openSeat(options: Parsed['options'], log: (line: string) => void): Promise<BriefSeat> {
  const [{ BriefSeat: Brief }, { Seat }] = await Promise.all([import('./brief-seat.ts'), import('./seat.ts')]);
  const text = (name: string): string | undefined => (typeof options[name] === 'string' ? options[name] : undefined);
  const environment = environmentOf(text('home'), process.env, process.platform);
  const folder = ledgerFolderOf(text('ledger'), text('home'), environment, process.env);
  const open = (): InstanceType<typeof Seat> =>
    new Seat({ folder, environment, version, follow: false, log, onChange: () => undefined, onEvents: () => undefined });
  return new Brief({ open, log });
}
