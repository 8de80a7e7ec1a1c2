/**
 * Every fault that reaches a person, in one place: what happened and what to do. Ids are stable and shown. A message that ends in a colon is
 * always followed by what it is about.
 */

export const faults = {
  L001: {
    message: 'The ledger is locked by another program:',
    fix: 'Close the other program that has the ledger open (a database browser, a backup), or give another folder with --ledger. Loom goes on by itself when it is free.',
  },
  L002: {
    message: 'The ledger is damaged:',
    fix: 'The damaged file is set aside beside the ledger and kept, and Loom reads the sessions that are still there again into a new one. What an agent has deleted is only in the damaged file.',
  },
  L003: {
    message: 'The ledger was written by a newer Loom:',
    fix: 'Update Loom. Until then the ledger is opened for reading only.',
  },
  L004: {
    message: 'The disk is full, and nothing more can be taken in:',
    fix: 'Free some space; Loom goes on by itself where it stopped.',
  },
  L005: {
    message: 'The ledger folder cannot be written:',
    fix: 'Check the permissions of the folder, or give another one with --ledger or LOOM_HOME.',
  },
  L006: {
    message: 'The ledger is on a network file system:',
    fix: 'Give a folder on a local disk with --ledger or LOOM_HOME: locks do not hold between computers there, and two of them could write the ledger at once. The sessions may stay where they are.',
  },
  L007: {
    message: 'The ledger folder was removed or replaced while Loom was running:',
    fix: 'Loom has begun a new ledger there and reads the sessions again. To keep the old one, close Loom before its folder is moved or restored.',
  },
  L008: {
    message: 'The Loom that had the ledger ended before it answered.',
    fix: 'See `loom threads` for where the thread stands now, and try again.',
  },
  L009: {
    message: 'A part of the ledger is damaged and cannot be read. It stands in these threads:',
    fix: 'Everything else is read and found, and what the session files or the archive still tell is put right by itself: try again. `loom doctor --deep` looks at the whole ledger and names every thread that is hurt.',
  },
  L010: {
    message: 'A part of the names by which the ledger knows records again was damaged, and is lost:',
    fix: 'Every thread is still read, found and carried. A copy, a fork or a rewind that is read from now on may be shown with records twice, or at the end of its thread. To have it all anew, see `loom doctor --deep`.',
  },
  W001: {
    message: 'The system gives no more file watches:',
    fix: 'New entries come some seconds later. For more watches: `sysctl fs.inotify.max_user_watches=524288` and `fs.inotify.max_user_instances=512` (Linux), or close programs that watch many files.',
  },
  F001: { message: 'A session folder cannot be read:', fix: 'Check its permissions; everything else was read.' },
  F002: { message: 'A session file cannot be read:', fix: 'Check its permissions; it is tried again when it changes.' },
  F003: {
    message: 'A session file could not be understood; what was read of it before stays, and everything else was read.',
    fix: 'Please report it with these words. It is tried again when it changes.',
  },
  T001: { message: 'There is no such thread:', fix: 'See `loom threads --all` for the ids.' },
  T003: { message: 'The thread has no such conversation:', fix: 'See `conversations` in `loom show THREAD --json`.' },
  T004: { message: 'The thread has no such entry:', fix: 'See `loom show THREAD` for the ids.' },
  T002: { message: 'The name fits several threads:', fix: 'Give more letters of the id.' },
  T005: { message: 'The thread is in no conflict:', fix: 'See `loom conflicts list`.' },
  C001: { message: 'The target harness is not installed.', fix: 'Then try again, or continue in another harness.' },
  C002: {
    message: 'The thread is being driven right now.',
    fix: 'Wait until it is idle (watch it in Loom meanwhile), close it there, or fork from its last turn with --force.',
  },
  C003: { message: 'There is nothing to carry.', fix: 'Choose another thread.' },
  C004: {
    message: 'Loom cannot write sessions for this harness.',
    fix: 'Continue in another harness, hand over the brief alone (--prompt), or copy the baton.',
  },
  C005: { message: 'The native session could not be written.', fix: 'Nothing was changed; see the reason and try again.' },
  C006: {
    message: 'What was written does not read back as what was sent.',
    fix: 'Nothing was started; the file was removed. Please report this.',
  },
  C007: {
    message: 'The folder of the thread does not exist any more:',
    fix: 'Recreate it, or continue without --launch and start the program from a copy of the work.',
  },
  C008: {
    message: 'The thread is being continued already.',
    fix: 'Wait until that is over; then it can be continued from where it is.',
  },
  C009: {
    message: 'The thread went on while it was being carried.',
    fix: 'Nothing was changed; try again, and what is new goes with it.',
  },
  C010: {
    message: 'This would hand the thread to another vendor, and nobody has agreed to that:',
    fix: 'See what leaves with --dry-run, then agree with --yes, or with --always for this pair of agents in this folder.',
  },
  C011: {
    message: 'The session that the thread was in before cannot be gone on with.',
    fix: 'Continue without --return: it goes on in a new session of that agent, in the best way that there is.',
  },
  C012: {
    message: 'The installed program is too old for what Loom writes:',
    fix: 'Update it, or continue in another agent.',
  },
  R001: {
    message: 'Nothing of the thread can be restored:',
    fix: 'The thread itself is whole: it can be read, searched and continued.',
  },
  R002: {
    message: 'That is where an agent keeps its own sessions:',
    fix: 'Choose another folder, or have each file put back where it lay (--in-place), never over one that is there.',
  },
  G001: {
    message: 'No snapshot can be taken here:',
    fix: 'Threads are read and carried as before; only their files are not kept turn by turn.',
  },
  G002: {
    message: 'The snapshot could not be taken:',
    fix: 'Nothing was changed; it is tried again at the next turn.',
  },
  G003: {
    message: 'An agent is at work in this worktree:',
    fix: 'Wait until it is idle or stop it, or go on with --force; it may then write over what is restored.',
  },
  G004: {
    message: 'These files changed since in a way that cannot be kept:',
    fix: 'Restore the others alone, or agree to lose the later changes with --overwrite; a snapshot of everything is taken first.',
  },
  G005: { message: 'There is no such snapshot:', fix: 'See `loom snapshot list`. Old snapshots are dropped by age and size.' },
  G006: {
    message: 'The files could not be restored:',
    fix: 'They are as they were before; see the reason and try again.',
  },
  N001: { message: 'This Node is too old for Loom.', fix: 'Use Node 22.14 or newer.' },
} as const;
export type FaultId = keyof typeof faults;

/** An expected failure at a boundary, for those who must answer a person. `detail` names the thing, in one line. */
export class Fault extends Error {
  readonly id: FaultId;
  readonly detail: string;
  constructor(id: FaultId, detail: string) {
    super(`${faults[id].message} ${detail}`.trim());
    this.id = id;
    this.detail = detail;
  }
  get fix(): string {
    return faults[this.id].fix;
  }
}
