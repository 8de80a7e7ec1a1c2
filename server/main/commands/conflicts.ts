/** `loom conflicts`: threads whose earlier session was gone on with although another agent holds them, and how a person ends that. */
import type { ConflictChoice, ConflictRow } from '../../ledger/conflicts-table.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findThread } from '../../ledger/lookup.ts';
import { Fault } from '../../protocol/faults.ts';
import { requests } from '../../protocol/requests.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import { dayAndTime, oneLine, plain } from '../terminal.ts';
import { done, flag } from './command.ts';
import type { Command, CommandContext, Outcome } from './command.ts';

export const conflictsCommand: Command = {
  fresh: true,
  async run(context) {
    const [verb, ...names] = context.parsed.positionals;
    if (verb === 'list')
      return names.length === 0 ? list(context) : { usage: `loom conflicts list takes no "${names.join(' ')}".` };
    if (verb !== 'keep' && verb !== 'follow')
      return { usage: 'loom conflicts takes one of list, keep, follow: see `loom conflicts --help`.' };
    const [name, ...more] = names;
    if (name === undefined || more.length > 0)
      return { usage: `loom conflicts ${verb} takes one THREAD: see \`loom conflicts list\`.` };
    return end(context, name, verb);
  },
};

/** Also what `--json` prints of each. */
interface Conflict {
  readonly thread: string;
  readonly title: string;
  /** Who holds the thread. */
  readonly holder: HarnessId;
  /** Whose session went on. */
  readonly harness: HarnessId | null;
  readonly nativeId: string | null;
  readonly entries: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

function list({ parsed, terminal, ledger }: CommandContext): Outcome {
  const conflicts = ledger.snapshot(() => (ledger.conflicts?.allOpen() ?? []).flatMap((row) => conflictOf(ledger, row)));
  if (flag(parsed, 'json')) {
    terminal.json(conflicts);
    return done;
  }
  if (conflicts.length === 0) terminal.line('No thread is in conflict.');
  for (const { thread, title, holder, harness, entries, since } of conflicts) {
    const head = `${thread}  ${dayAndTime(since)}  `;
    const tail = `  held by ${harnessNames[holder]}; ${nameOf(harness)} went on (${entries} ${entries === 1 ? 'entry' : 'entries'})`;
    terminal.line(`${head}${oneLine(title, Math.max(20, terminal.width - head.length - tail.length))}${tail}`);
  }
  return done;
}

function conflictOf(ledger: Ledger, { thread, native, entries, began_at: since }: ConflictRow): readonly Conflict[] {
  const row = ledger.threads.byNumber(thread);
  const session = ledger.natives.byNumber(native);
  if (row === undefined) return [];
  const { id, title, harness: holder } = row;
  return [{ thread: id, title, holder, harness: session?.harness ?? null, nativeId: session?.native_id ?? null, entries, since }];
}

/** The oldest of the thread's: the one that is listed first, and shown. */
async function end(
  { parsed, terminal, ledger, request }: CommandContext,
  name: string,
  choice: ConflictChoice,
): Promise<Outcome> {
  const thread = findThread(ledger, name);
  const [before] = openOf(ledger, thread.number);
  if (before === undefined) throw new Fault('T005', thread.id);
  await request(requests.endConflict.method, { thread: thread.id, choice });
  const open = openOf(ledger, thread.number).length;
  const holder = ledger.threads.byNumber(thread.number)?.harness ?? thread.harness;
  if (flag(parsed, 'json')) terminal.json({ thread: thread.id, choice, holder, open });
  else {
    const went = nameOf(ledger.natives.byNumber(before.native)?.harness ?? null);
    const kept = choice === 'keep' ? `what ${went} wrote stays a branch` : `its branch is the thread's now`;
    terminal.line(plain(`${thread.id} is held by ${harnessNames[holder]}; ${kept}.`));
    if (open > 0) terminal.note(`${open} more ${open === 1 ? 'session' : 'sessions'} of it went on too.`);
  }
  return done;
}

function openOf(ledger: Ledger, thread: number): readonly ConflictRow[] {
  return ledger.conflicts?.openOf(thread) ?? [];
}

function nameOf(harness: HarnessId | null): string {
  return harness === null ? 'another session' : harnessNames[harness];
}
