/**
 * `loom continue`: moves the thread to another harness and prints what left and how to start it there, or starts it (--launch). A person at
 * a terminal is asked before a thread leaves for another vendor; in a script, running the command is the agreement.
 */
import fs from 'node:fs';
import { knownThread } from '../../ledger/lookup.ts';
import { Fault } from '../../protocol/faults.ts';
import { requests } from '../../protocol/requests.ts';
import type { ContinueMode, ContinueParams, ContinueResult } from '../../protocol/requests.ts';
import type { Parsed } from '../arguments.ts';
import { askedAgain } from '../asked-again.ts';
import { quoteCommand } from '../quoting.ts';
import { plain } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { done, flag, harnessOption, isUsage, numberOption, oneThread } from './command.ts';
import type { Command } from './command.ts';
import { carriedLines, disclosureLines } from './continue-words.ts';
import { whenIdle } from './when-idle.ts';

export const continueCommand: Command = {
  fresh: false,
  async run({ parsed, terminal, ledger, request, environment, now }) {
    const thread = oneThread(parsed);
    if (isUsage(thread)) return thread;
    const harness = harnessOption(parsed, 'in');
    if (isUsage(harness)) return harness;
    if (harness === undefined) return { usage: 'loom continue needs --in HARNESS.' };
    const wait = numberOption(parsed, 'wait', 1);
    if (isUsage(wait)) return wait;
    const mode = modeOf(parsed);
    if (isUsage(mode)) return mode;
    if (flag(parsed, 'launch') && flag(parsed, 'json'))
      return { usage: '--launch and --json exclude each other: the program that is started writes to the terminal.' };
    const common = { thread, harness, mode, baton: null, force: flag(parsed, 'force') };
    const ask = (dryRun: boolean, confirmed: ContinueParams['confirmed']): Promise<ContinueResult> => {
      const once = (): Promise<ContinueResult> =>
        askedAgain(() => request<ContinueResult>(requests.continueIn.method, { ...common, dryRun, confirmed }), {
          // A thread that the ledger does not have yet has not changed hands.
          epoch: () => knownThread(ledger, thread)?.lease_epoch ?? 0,
          settled: () => request(requests.status.method, {}),
        });
      return wait === undefined ? once() : whenIdle(once, wait, { now, told: (text) => terminal.note(text) });
    };
    const dry = flag(parsed, 'dry-run');
    const launches = flag(parsed, 'launch') && !dry;
    let confirmed = agreed(parsed, terminal);
    if (!dry && (launches || confirmed === null)) {
      const planned = await ask(true, confirmed);
      // Asked for a start that cannot be: refused before anything is written.
      if (launches) refuseMissing(planned.command.cwd);
      if (planned.consent === 'needed') {
        confirmed = await askPerson(planned, terminal);
        if (confirmed === null) return { status: 1 };
      }
    }
    const result = await ask(dry, confirmed);
    const { argv, cwd } = result.command;
    if (flag(parsed, 'json')) terminal.json(result);
    else {
      for (const line of carriedLines(result, dry)) terminal.line(plain(line));
      for (const warning of result.warnings) terminal.note(`! ${plain(warning)}`);
      const start = dry ? 'Nothing is written yet. It would be started with:' : 'Start it with:';
      if (argv.length > 0) terminal.line(`${start}\n  ${quoteCommand(argv, cwd, environment.platform)}`);
    }
    const [program, ...rest] = argv;
    return launches && program !== undefined ? { ...done, launch: { ...result.command, argv: [program, ...rest] } } : done;
  },
};

function modeOf(parsed: Parsed): ContinueMode | null | { readonly usage: string } {
  const [mode, ...more] = (['native', 'return', 'prompt'] as const).filter((name) => flag(parsed, name));
  return more.length === 0 ? (mode ?? null) : { usage: '--native, --return and --prompt exclude each other.' };
}

/** null: the person at the terminal has to be asked. */
function agreed(parsed: Parsed, terminal: Terminal): ContinueParams['confirmed'] {
  if (flag(parsed, 'always')) return 'always';
  return !flag(parsed, 'yes') && terminal.canAsk && !flag(parsed, 'json') ? null : 'once';
}

async function askPerson(planned: ContinueResult, terminal: Terminal): Promise<'once' | 'always' | null> {
  for (const line of disclosureLines(planned)) terminal.note(plain(line));
  const answer = (await terminal.ask('Hand it over? [y]es, [a]lways here, [N]o: ')).trim().toLowerCase();
  if (answer === 'y' || answer === 'yes') return 'once';
  if (answer === 'a' || answer === 'always') return 'always';
  terminal.note('Nothing was handed over.');
  return null;
}

function refuseMissing(folder: string): void {
  if (!fs.existsSync(folder)) throw new Fault('C007', folder);
}
