/** `loom baton`: the hand-over packet; Markdown, or with --json its parts, each statement with the entries it came from. */
import { compileThread } from '../../drive/compile.ts';
import { worldFacts } from '../../drive/world-facts.ts';
import { findThread } from '../../ledger/lookup.ts';
import { ensureSecret } from '../secret.ts';
import { randomBytes } from 'node:crypto';
import { done, flag, harnessOption, isUsage, numberOption, oneThread } from './command.ts';
import type { Command } from './command.ts';

export const batonCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, folder, now }) {
    const name = oneThread(parsed);
    if (isUsage(name)) return name;
    const to = harnessOption(parsed, 'to');
    if (isUsage(to)) return to;
    const budget = numberOption(parsed, 'budget', 100);
    if (isUsage(budget)) return budget;
    const salt = ensureSecret(folder, randomBytes).proof('owner', 'mask', '');
    const compiled = await compileThread(ledger, findThread(ledger, name), {
      to: to ?? null,
      budget: budget ?? null,
      now: now(),
      salt,
      facts: (cwd) => worldFacts(cwd, now(), process.env),
    });
    if (flag(parsed, 'json')) {
      const { markdown, ...sizes } = compiled.result;
      terminal.json({ ...compiled.baton, markdown, ...sizes });
    } else terminal.line(compiled.result.markdown);
    return done;
  },
};
