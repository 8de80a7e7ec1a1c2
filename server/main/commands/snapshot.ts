/** `loom snapshot`: take, list, diff and restore; each in a file of its own but the first two. */
import path from 'node:path';
import { requests } from '../../protocol/requests.ts';
import type { SnapshotView, ThreadChanges } from '../../protocol/world.ts';
import { dayAndTime, plain } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { done, flag, isUsage, numberOption, option } from './command.ts';
import type { Command, CommandContext, Outcome } from './command.ts';
import { diff } from './snapshot-diff.ts';
import { restore } from './snapshot-restore.ts';
import { changesLines, counts } from './snapshot-words.ts';

type Verb = 'take' | 'list' | 'diff' | 'restore';
/** What each takes beside what every command takes. */
const allowed: Readonly<Record<Verb, readonly string[]>> = {
  take: ['cwd'],
  list: ['cwd', 'thread', 'limit'],
  diff: ['stat'],
  restore: ['thread', 'turn', 'before', 'after', 'path', 'hunk', 'dry-run', 'force', 'overwrite'],
};
const everywhere = ['ledger', 'home', 'json', 'help'];

export const snapshotCommand: Command = {
  fresh: false,
  async run(context) {
    const [verb, ...rest] = context.parsed.positionals;
    if (verb !== 'take' && verb !== 'list' && verb !== 'diff' && verb !== 'restore')
      return { usage: 'loom snapshot takes one of take, list, diff, restore: see `loom snapshot --help`.' };
    const foreign = Object.keys(context.parsed.options).find((name) => ![...allowed[verb], ...everywhere].includes(name));
    if (foreign !== undefined) return { usage: `loom snapshot ${verb} takes no --${foreign}: see \`loom snapshot --help\`.` };
    if (verb !== 'diff' && rest.length > 0) return { usage: `loom snapshot ${verb} takes no "${rest.join(' ')}".` };
    switch (verb) {
      case 'take':
        return take(context);
      case 'list':
        return list(context);
      case 'diff':
        return diff(context, rest);
      case 'restore':
        return restore(context);
    }
  },
};

async function take({ parsed, terminal, request }: CommandContext): Promise<Outcome> {
  const folder = path.resolve(option(parsed, 'cwd') ?? '.');
  const taken = await request<SnapshotView>(requests.snapshotTake.method, { folder });
  if (flag(parsed, 'json')) terminal.json(taken);
  else {
    terminal.line(`Snapshot ${taken.number} of ${plain(taken.worktree)}${place(taken)}`);
    tellLeftOut(taken, terminal);
  }
  return done;
}

async function list({ parsed, terminal, request }: CommandContext): Promise<Outcome> {
  const limit = numberOption(parsed, 'limit', 1);
  if (isUsage(limit)) return limit;
  const thread = option(parsed, 'thread') ?? null;
  const cwd = option(parsed, 'cwd');
  const folder = cwd === undefined ? null : path.resolve(cwd);
  const snapshots = await request<readonly SnapshotView[]>(requests.snapshotList.method, {
    thread,
    folder,
    limit: limit ?? 200,
  });
  const changes = thread === null ? null : await request<ThreadChanges>(requests.threadChanges.method, { thread });
  if (flag(parsed, 'json')) {
    terminal.json({ snapshots, changes });
    return done;
  }
  if (changes !== null) {
    for (const line of changesLines(changes)) terminal.line(plain(line));
    if (changes.turns.length > 0) terminal.line();
  }
  if (snapshots.length === 0) terminal.line('No snapshots.');
  for (const one of snapshots)
    terminal.line(
      plain(
        `${String(one.number).padStart(5)}  ${dayAndTime(one.at)}  ${one.cause.padEnd(9)}  ${one.thread?.slice(0, 8).padEnd(8) ?? ' '.repeat(8)}  ${one.worktree}${place(one)}${one.leftOutTotal === 0 ? '' : `, ${counts(one.leftOutTotal, 'file')} left out`}`,
      ),
    );
  return done;
}

function place({ branch, head }: SnapshotView): string {
  return branch === null && head === null ? '' : ` (${plain(branch ?? head?.slice(0, 8) ?? '')})`;
}

function tellLeftOut({ leftOut, leftOutTotal }: SnapshotView, terminal: Terminal): void {
  for (const { path: name, reason, bytes } of leftOut.slice(0, 20))
    terminal.note(plain(`left out: ${name} (${reason}${bytes === undefined ? '' : `, ${bytes} bytes`})`));
  if (leftOutTotal > 20) terminal.note(`… and ${leftOutTotal - 20} more`);
}
