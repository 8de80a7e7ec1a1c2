/**
 * Which sessions the running programs of a folder have open, for harnesses that say it nowhere. A program is believed to have the session of
 * its folder that was written to last since it was started; with several programs there are as many sessions, and which has which is not
 * said. What was written once and never again may be anybody's, and a program that has written nothing yet is not found. Pure.
 */
import type { Holder, RunningProgram } from '../contract/shuttle.ts';

export interface FolderSession {
  readonly nativeId: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly modifiedAt: number;
}

/** Starts are known to about a second, and so are times of some file systems. */
const slack = 1000;

export interface FolderPrograms {
  readonly programs: readonly RunningProgram[];
  readonly sessionsOf: (cwd: string) => readonly FolderSession[];
  /** The session that a program was started with, when its arguments say so. */
  readonly named?: (program: RunningProgram) => string | undefined;
}

export function folderHolders({ programs, sessionsOf, named = () => undefined }: FolderPrograms): readonly Holder[] {
  // A program that starts itself again is one.
  const pids = new Set(programs.map(({ pid }) => pid));
  const folders = Map.groupBy(
    programs.filter(({ parent }) => !pids.has(parent)),
    ({ cwd }) => cwd,
  );
  return [...folders].flatMap(([cwd, running]) => {
    const sessions = sessionsOf(cwd);
    const [program] = running;
    if (program === undefined) return [];
    const oldest = Math.min(...running.map(({ startedAt }) => startedAt));
    const written = sessions
      .filter(({ madeAt, modifiedAt }) => modifiedAt >= oldest - slack && modifiedAt > madeAt + slack)
      .toSorted((a, b) => b.modifiedAt - a.modifiedAt)
      .slice(0, running.length);
    if (written.length === 0) return running.flatMap((one) => startedWith(one, named(one), sessions));
    const alone = running.length === 1;
    return written.map(({ nativeId }): Holder => ({
      nativeId,
      pid: alone ? program.pid : null,
      activity: 'unknown',
      ...(alone ? { since: program.startedAt } : {}),
      evidence: alone
        ? 'a running program of this folder, whose session was written to last since it was started'
        : `one of ${running.length} running programs of this folder, whose sessions were written to last since they were started`,
    }));
  });
}

function startedWith(program: RunningProgram, id: string | undefined, sessions: readonly FolderSession[]): readonly Holder[] {
  if (id === undefined || !sessions.some(({ nativeId }) => nativeId === id)) return [];
  const { pid, startedAt: since } = program;
  return [{ nativeId: id, pid, activity: 'unknown', since, evidence: 'a running program that was started with this session' }];
}
