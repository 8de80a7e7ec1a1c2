/** `loom baton`: the hand-over packet; Markdown, or with --json its parts, each statement with the entries it came from. */
import { compileThread } from '../../drive/compile.ts';
import { liveProcesses } from '../../drive/live-processes.ts';
import { worldFacts } from '../../drive/world-facts.ts';
import { findThread } from '../../ledger/lookup.ts';
import { machineOf, thisSystem } from '../../../shuttles/kit/machine.ts';
import { ensureSecret } from '../secret.ts';
import { randomBytes } from 'node:crypto';
import { done, flag, harnessOption, isUsage, numberOption, oneThread } from './command.ts';
import type { Command } from './command.ts';

export const batonCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, environment, folder, now }) {
    const name = oneThread(parsed);
    if (isUsage(name)) return name;
    const to = harnessOption(parsed, 'to');
    if (isUsage(to)) return to;
    const budget = numberOption(parsed, 'budget', 100);
    if (isUsage(budget)) return budget;
    const since = numberOption(parsed, 'since', 1);
    if (isUsage(since)) return since;
    const salt = ensureSecret(folder, randomBytes).proof('owner', 'mask', '');
    const compiled = await compileThread(ledger, findThread(ledger, name), {
      to: to ?? null,
      budget: budget ?? null,
      now: now(),
      salt,
      facts: (cwd) => worldFacts(cwd, now(), process.env),
      processes: (pids) => liveProcesses(machineOf(environment.platform, thisSystem()), environment.platform, pids),
      ...(since === undefined ? {} : { since }),
      keep: true,
    });
    if (flag(parsed, 'json')) {
      const { markdown, ...sizes } = compiled.result;
      terminal.json({ ...compiled.baton, markdown, ...sizes });
    } else terminal.line(compiled.result.markdown);
    return done;
  },
};
