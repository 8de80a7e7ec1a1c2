/** `loom consents`: of which agent threads may go to which other vendor's in which folder without being asked, and taking that back. */
import path from 'node:path';
import { requests } from '../../protocol/requests.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { dayAndTime, plain } from '../terminal.ts';
import { world } from '../world.ts';
import { done, flag, option } from './command.ts';
import type { Command, CommandContext, Outcome } from './command.ts';

export const consentsCommand: Command = {
  fresh: false,
  async run(context) {
    const [verb, ...rest] = context.parsed.positionals;
    if (verb !== 'list' && verb !== 'forget')
      return { usage: 'loom consents takes one of list, forget: see `loom consents --help`.' };
    if (rest.length > 0) return { usage: `loom consents ${verb} takes no "${rest.join(' ')}".` };
    if (verb === 'list' && flag(context.parsed, 'all'))
      return { usage: 'loom consents list takes no --all: it lists all of them.' };
    // As a script gives it whose variable is not set: it must not mean the folder in which it runs.
    if (option(context.parsed, 'cwd') === '') return { usage: `loom consents ${verb} --cwd needs the name of a folder.` };
    return verb === 'list' ? list(context) : forget(context);
  },
};

function list({ parsed, terminal, ledger }: CommandContext): Outcome {
  const cwd = option(parsed, 'cwd');
  const real = cwd === undefined ? undefined : (world.realFolder(path.resolve(cwd)) ?? path.resolve(cwd));
  const consents = ledger.consents.all().filter(({ folder }) => real === undefined || folder === real);
  if (flag(parsed, 'json')) terminal.json(consents);
  else if (consents.length === 0) terminal.line('Nothing is agreed to for good.');
  else
    for (const { folder, from, to, at } of consents)
      terminal.line(plain(`${dayAndTime(at)}  ${harnessNames[from]} to ${harnessNames[to]}  in ${folder}`));
  return done;
}

async function forget({ parsed, terminal, ledger, request }: CommandContext): Promise<Outcome> {
  const cwd = option(parsed, 'cwd');
  const all = flag(parsed, 'all');
  if (all === (cwd !== undefined)) return { usage: 'loom consents forget takes --cwd DIR or --all.' };
  const folders = cwd === undefined ? [...new Set(ledger.consents.all().map(({ folder }) => folder))] : [path.resolve(cwd)];
  let forgotten = 0;
  for (const folder of folders) forgotten += await request<number>(requests.forgetConsents.method, { folder });
  if (flag(parsed, 'json')) terminal.json({ forgotten });
  else terminal.line(forgotten === 1 ? '1 agreement is taken back.' : `${forgotten} agreements are taken back.`);
  return done;
}
