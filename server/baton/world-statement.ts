/**
 * What is known of the worktree, each fact with its age: git's state as the caller found it, the newest checks of the thread and
 * what was changed since, and what the thread left running.
 */
import type { BatonThread, ProcessFact, Statement, WorldFacts } from './baton.ts';
import type { BatonState, CheckNote, ProcessNote } from './baton-state.ts';
import { changedAfter } from './changed-since.ts';
import { clip, oneLine } from './clean-text.ts';
import { codeSpan } from './quote.ts';

/** Dirty files that are named; the rest is counted. */
const namedFiles = 12;

export interface WorldFrame {
  readonly world: WorldFacts | null;
  readonly now: number;
  readonly processes?: readonly ProcessFact[] | null;
}

export function worldStatements(
  state: BatonState,
  thread: BatonThread,
  { world, now, processes }: WorldFrame,
  sieve: (text: string) => string,
): readonly Statement[] {
  const out: Statement[] = [];
  const span = (text: string): string => codeSpan(sieve(clip(oneLine(text), 200)));
  const place = thread.cwd === '' ? '' : `Folder ${codeSpan(thread.cwd)}. `;
  if (world === null) {
    if (place !== '' || thread.branch !== null)
      out.push(
        loom(
          `${place}${thread.branch === null ? '' : `Branch ${codeSpan(thread.branch)} as the session recorded it. `}The worktree itself was not looked at.`,
        ),
      );
  } else {
    const branch = world.branch === null ? 'No branch (detached or no repository)' : `Branch ${span(world.branch)}`;
    const head = world.head === null ? '' : ` at ${span(world.head.slice(0, 12))}`;
    const apart = [
      world.ahead === undefined || world.ahead === 0 ? '' : `${world.ahead} ahead`,
      world.behind === undefined || world.behind === 0 ? '' : `${world.behind} behind`,
    ]
      .filter((text) => text !== '')
      .join(', ');
    out.push(loom(`${place}${branch}${head}${apart === '' ? '' : ` (${apart})`}, as found ${age(now - world.at)} ago.`));
    const total = Math.max(world.dirtyTotal ?? 0, world.dirtyFiles.length);
    const names = world.dirtyFiles.slice(0, namedFiles).map((file) => `${oneLine(file.change).slice(0, 12)} ${span(file.path)}`);
    out.push(
      loom(
        total === 0
          ? 'Nothing is uncommitted.'
          : `Uncommitted: ${names.join(', ')}${total > names.length ? ` and ${total - names.length} more` : ''}.`,
      ),
    );
  }
  if (state.checks.test !== null) out.push(check('test run', state.checks.test, state, now, sieve));
  if (state.checks.build !== null) out.push(check('build or lint', state.checks.build, state, now, sieve));
  for (const process of state.processes) out.push(leftRunning(process, processes ?? null, now, sieve));
  return out;
}
const loom = (text: string): Statement => ({ text: text.trim(), entries: [], trust: 'loom' });

/** A process that began so much later than the transcript says is another one with the same number. Milliseconds. */
const sameStart = 120_000;

function leftRunning(
  note: ProcessNote,
  facts: readonly ProcessFact[] | null,
  now: number,
  sieve: (text: string) => string,
): Statement {
  const marks = [note.pid === null ? '' : `pid ${note.pid}`, note.port === null ? '' : `port ${note.port}`].filter(
    (mark) => mark !== '',
  );
  const fact = facts?.find((process) => process.pid === note.pid);
  const isOther =
    fact?.startedAt !== undefined && fact.startedAt !== null && note.at !== null && fact.startedAt > note.at + sameStart;
  const state =
    facts === null || note.pid === null
      ? 'whether it still runs was not looked at'
      : fact === undefined || isOther
        ? 'it no longer runs'
        : 'it still runs';
  const started = note.at === null ? '' : `, started ${age(now - note.at)} ago`;
  return {
    text: `Left running: ${codeSpan(sieve(note.command))}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}${started}; ${state}.`,
    entries: [note.entry],
    trust: 'tool',
  };
}

function check(name: string, note: CheckNote, state: BatonState, now: number, sieve: (text: string) => string): Statement {
  const code = note.exitCode === null ? '' : `, exit ${note.exitCode}`;
  const line = note.line === '' ? '' : `: ${codeSpan(sieve(note.line))}`;
  const when = note.at === null ? '' : ` (${age(now - note.at)} ago)`;
  const changed = changedAfter(state.files, note.entry);
  const names = changed.slice(0, 3).map((file) => codeSpan(sieve(file.path)));
  const more = changed.length > names.length ? ` and ${changed.length - names.length} more` : '';
  const since = changed.length === 0 ? '' : `; changed since: ${names.join(', ')}${more}`;
  return {
    text: `Last ${name}: ${codeSpan(sieve(note.command))} ${note.outcome}${code}${line}${when}${since}`,
    entries: [note.entry],
    trust: 'tool',
  };
}

/** "40 s", "12 min", "3 h", "2 days". A clock that went backwards gives 0 s. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
