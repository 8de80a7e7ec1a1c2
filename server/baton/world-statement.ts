/** What is known of the worktree, each fact with its age: git's state as the caller found it, and the newest checks of the thread. */
import type { BatonThread, Statement, WorldFacts } from './baton.ts';
import type { BatonState, CheckNote } from './baton-state.ts';
import { clip, oneLine } from './clean-text.ts';
import { codeSpan } from './quote.ts';

/** Dirty files that are named; the rest is counted. */
const namedFiles = 12;

export function worldStatements(
  state: BatonState,
  thread: BatonThread,
  world: WorldFacts | null,
  now: number,
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
  if (state.checks.test !== null) out.push(check('test run', state.checks.test, now, sieve));
  if (state.checks.build !== null) out.push(check('build or lint', state.checks.build, now, sieve));
  return out;
}
const loom = (text: string): Statement => ({ text: text.trim(), entries: [], trust: 'loom' });

function check(name: string, note: CheckNote, now: number, sieve: (text: string) => string): Statement {
  const code = note.exitCode === null ? '' : `, exit ${note.exitCode}`;
  const line = note.line === '' ? '' : `: ${codeSpan(sieve(note.line))}`;
  const when = note.at === null ? '' : ` (${age(now - note.at)} ago)`;
  return {
    text: `Last ${name}: ${codeSpan(sieve(note.command))} ${note.outcome}${code}${line}${when}`,
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
