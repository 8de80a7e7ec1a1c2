/** `loom continue`: moves the thread to another harness and prints how to start it there, or starts it (--launch). */
import { spawnSync } from 'node:child_process';
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
    if (flag(parsed, 'native') && flag(parsed, 'prompt')) return { usage: '--native and --prompt exclude each other.' };
    const result = await request<ContinueResult>(requests.continueIn.method, {
      thread,
      harness,
      mode: flag(parsed, 'prompt') ? 'prompt' : 'native',
      dryRun: flag(parsed, 'dry-run'),
      baton: null,
      force: flag(parsed, 'force'),
    });
    const { argv, cwd, env } = result.command;
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
    if (!flag(parsed, 'launch') || flag(parsed, 'dry-run') || program === undefined) return done;
    if (!fs.existsSync(cwd)) throw new Fault('C007', cwd);
    const ended = spawnSync(program, rest, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
    if (ended.error !== undefined) throw new Fault('C001', `${program}: ${ended.error.message}`);
    return { status: ended.status ?? 1 };
  },
};
