/** `loom continue`: moves the thread to another harness and prints how to start it there, or starts it (--launch). */
import fs from 'node:fs';
import { Fault } from '../../protocol/faults.ts';
import { requests } from '../../protocol/requests.ts';
import type { ContinueResult } from '../../protocol/requests.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { quoteCommand } from '../quoting.ts';
import { plain } from '../terminal.ts';
import { done, flag, harnessOption, isUsage, oneThread } from './command.ts';
import type { Command } from './command.ts';

export const continueCommand: Command = {
  fresh: false,
  async run({ parsed, terminal, request, environment }) {
    const thread = oneThread(parsed);
    if (isUsage(thread)) return thread;
    const harness = harnessOption(parsed, 'in');
    if (isUsage(harness)) return harness;
    if (harness === undefined) return { usage: 'loom continue needs --in HARNESS.' };
    if (flag(parsed, 'launch') && flag(parsed, 'json'))
      return { usage: '--launch and --json exclude each other: the program that is started writes to the terminal.' };
    if (flag(parsed, 'native') && flag(parsed, 'prompt')) return { usage: '--native and --prompt exclude each other.' };
    const ask = (dryRun: boolean): Promise<ContinueResult> =>
      request<ContinueResult>(requests.continueIn.method, {
        thread,
        harness,
        mode: flag(parsed, 'prompt') ? 'prompt' : flag(parsed, 'native') ? 'native' : null,
        dryRun,
        baton: null,
        force: flag(parsed, 'force'),
        confirmed: 'once',
      });
    const launches = flag(parsed, 'launch') && !flag(parsed, 'dry-run');
    // Asked for a start that cannot be: refused before anything is written.
    if (launches) refuseMissing((await ask(true)).command.cwd);
    const result = await ask(flag(parsed, 'dry-run'));
    const { argv, cwd } = result.command;
    if (flag(parsed, 'json')) terminal.json(result);
    else {
      const { disclosure } = result;
      terminal.line(
        `${flag(parsed, 'dry-run') ? 'Would carry' : 'Carried'} ${disclosure.messages} messages (${(disclosure.bytes / 1000).toFixed(1)} KB, ${disclosure.masked} secrets masked, ${disclosure.quoted} sources quoted) from ${harnessNames[disclosure.from]} to ${harnessNames[disclosure.to]}.`,
      );
      for (const warning of result.warnings) terminal.note(`! ${plain(warning)}`);
      if (argv.length > 0) terminal.line(`Start it with:\n  ${quoteCommand(argv, cwd, environment.platform)}`);
    }
    const [program, ...rest] = argv;
    return launches && program !== undefined ? { ...done, launch: { ...result.command, argv: [program, ...rest] } } : done;
  },
};

function refuseMissing(folder: string): void {
  if (!fs.existsSync(folder)) throw new Fault('C007', folder);
}
