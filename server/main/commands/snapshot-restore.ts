/**
 * `loom snapshot restore`: takes back what lies between two snapshots. What will change is shown before anything does, and a person at a
 * terminal is asked; in a script, running the command is the agreement.
 */
import { requests } from '../../protocol/requests.ts';
import { Fault } from '../../protocol/faults.ts';
import type { RestoreParams, ThreadChanges, WorldRestoreResult } from '../../protocol/world.ts';
import type { JsonValue } from '../../../shuttles/contract/json.ts';
import { plain } from '../terminal.ts';
import { done, flag, isUsage, numberOption, option } from './command.ts';
import type { CommandContext, Outcome } from './command.ts';
import { stepLine } from './snapshot-words.ts';

export async function restore(context: CommandContext): Promise<Outcome> {
  const { parsed, terminal, request } = context;
  const between = await spanOf(context);
  if (isUsage(between)) return between;
  const hunk = numberOption(parsed, 'hunk', 0);
  if (isUsage(hunk)) return hunk;
  const path = option(parsed, 'path');
  if (hunk !== undefined && path === undefined) return { usage: '--hunk needs the --path that it is of.' };
  const params: RestoreParams = {
    ...between,
    thread: option(parsed, 'thread') ?? null,
    paths: path === undefined ? null : [path],
    hunk: hunk ?? null,
    dryRun: true,
    force: flag(parsed, 'force'),
    overwrite: flag(parsed, 'overwrite'),
  };
  const ask = (one: RestoreParams): Promise<WorldRestoreResult> =>
    request<WorldRestoreResult>(requests.snapshotRestore.method, one as unknown as JsonValue);
  // Who is at work there is to be known as of now.
  await request(requests.ingest.method, {});
  const planned = await ask(params);
  const json = flag(parsed, 'json');
  const isDry = flag(parsed, 'dry-run');
  if (!json) {
    for (const step of planned.steps) terminal.line(plain(stepLine(step)));
    if (planned.steps.length === 0)
      terminal.note(path === undefined ? 'Nothing lies between them.' : `Nothing of ${plain(path)} lies between them.`);
  }
  if (isDry) {
    if (json) terminal.json(planned);
    return done;
  }
  const touches = planned.steps.some(({ action }) => action !== 'none' && action !== 'conflict');
  if (touches && terminal.canAsk && !json && !/^y(?:es)?$/iu.test((await terminal.ask('Do it? [y]es, [N]o: ')).trim())) {
    terminal.note('Nothing was changed.');
    return { status: 1 };
  }
  const result = await ask({ ...params, dryRun: false });
  if (json) terminal.json(result);
  else if (result.undo === null) terminal.line('Nothing was changed.');
  else terminal.line(`Done. To take it back: loom snapshot restore --before ${result.undo.before} --after ${result.undo.after}`);
  return done;
}

async function spanOf({
  parsed,
  request,
}: CommandContext): Promise<{ readonly before: number; readonly after: number } | { readonly usage: string }> {
  const [turn, before, after] = [
    numberOption(parsed, 'turn', 1),
    numberOption(parsed, 'before', 1),
    numberOption(parsed, 'after', 1),
  ];
  for (const one of [turn, before, after]) if (isUsage(one)) return one;
  const thread = option(parsed, 'thread');
  if (typeof turn === 'number' && thread !== undefined && before === undefined && after === undefined) {
    const { turns, reason } = await request<ThreadChanges>(requests.threadChanges.method, { thread });
    const told = turns.filter(({ entry }) => entry !== null);
    const found = told[turn - 1];
    if (found === undefined)
      throw new Fault('G005', `the thread has ${told.length} turns with snapshots, and no turn ${turn}. ${reason ?? ''}`.trim());
    return { before: found.before, after: found.after };
  }
  if (typeof before === 'number' && typeof after === 'number' && turn === undefined) return { before, after };
  return { usage: 'loom snapshot restore takes --thread THREAD --turn N, or --before A --after B.' };
}
