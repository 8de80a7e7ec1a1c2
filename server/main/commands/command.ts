/** What every command of the program gets, and how it ends. */
import type { Ledger } from '../../ledger/ledger.ts';
import type { Fault } from '../../protocol/faults.ts';
import type { IngestReport } from '../../protocol/requests.ts';
import type { JsonValue } from '../../../shuttles/contract/json.ts';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import { harnessIds } from '../../../shuttles/contract/harness.ts';
import type { Command as LaunchCommand, Environment } from '../../../shuttles/contract/shuttle.ts';
import type { Parsed } from '../arguments.ts';
import type { Service } from '../service.ts';
import type { Terminal } from '../terminal.ts';

/** `launch`: to be started in this terminal once the ledger is let go of. */
export type Outcome = { readonly status: number; readonly launch?: LaunchCommand } | { readonly usage: string };
export const done: Outcome = { status: 0 };

export interface CommandContext {
  readonly parsed: Parsed;
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly ledger: Ledger;
  /** Set when this process owns the ledger. */
  readonly service: Service | undefined;
  /** Asks the owner, which may be this process. */
  readonly request: <T>(method: string, params: JsonValue) => Promise<T>;
  /** What reading the sources gave, for commands that need the newest state. */
  readonly report: IngestReport | undefined;
  readonly folder: string;
  readonly now: () => number;
}
export interface Command {
  /** Reads what is new of the sources before it runs. */
  readonly fresh: boolean;
  readonly run: (context: CommandContext) => Promise<Outcome>;
  /** Runs instead when there is no place at the ledger to be had; absent: the fault is the answer. */
  readonly withoutLedger?: (
    context: Omit<CommandContext, 'ledger' | 'service' | 'request' | 'report'>,
    fault: Fault,
  ) => Outcome | Promise<Outcome>;
}

export function option(parsed: Parsed, name: string): string | undefined {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : undefined;
}
export function flag(parsed: Parsed, name: string): boolean {
  return parsed.options[name] === true;
}
/** A whole number of at least `least`; undefined when the option is absent; a usage when it is anything else. */
export function numberOption(parsed: Parsed, name: string, least: number): number | undefined | { readonly usage: string } {
  const text = option(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= least
    ? value
    : { usage: `--${name} takes a whole number of at least ${least}, not "${text}".` };
}
export function harnessOption(parsed: Parsed, name: string): HarnessId | undefined | { readonly usage: string } {
  const text = option(parsed, name);
  if (text === undefined) return undefined;
  const harness = harnessIds.find((id) => id === text);
  return harness ?? { usage: `--${name} takes one of ${harnessIds.join(', ')}, not "${text}".` };
}
export function oneThread(parsed: Parsed): string | { readonly usage: string } {
  const [thread, ...rest] = parsed.positionals;
  if (thread === undefined) return { usage: `loom ${parsed.command} needs a THREAD: see \`loom threads\`.` };
  return rest.length === 0 ? thread : { usage: `loom ${parsed.command} takes one THREAD, not ${parsed.positionals.length}.` };
}
export function isUsage(value: unknown): value is { readonly usage: string } {
  return typeof value === 'object' && value !== null && 'usage' in value;
}
