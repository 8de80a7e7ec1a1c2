/**
 * Who holds a session, as far as it can be told: pi writes no registry, takes no lock and keeps its file closed between two appends.
 * What it runs for a session (tools, a person's `!command`) carries that session's id in its environment (1.6), so that a pi at work is
 * found on Linux by its children. Any other pi is found by its title and folder, when it has written to a session since it was started
 * (kit/folder-holders.ts); the header of a session says whose folder it is. Not found are one that has written nothing yet, omp, sessions
 * that lie flat in one folder, and any pi on Windows.
 */
import type { Environment, Holder, Machine, Presence } from '../contract/shuttle.ts';
import { parseObject, str } from '../kit/fields.ts';
import { folderHolders } from '../kit/folder-holders.ts';
import type { FolderSession } from '../kit/folder-holders.ts';
import { piSessions } from './folders.ts';
import { isSessionId, projectFolder, sessionFile } from './session-name.ts';

export const piPresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    const sessions = piSessions(environment);
    if (environment.platform === 'win32' || machine.list(sessions).length === 0) return [];
    // The program's title is exactly its name.
    const programs = machine.programs?.(([title, ...rest]) => title === 'pi' && rest.length === 0) ?? [];
    const working = environment.platform === 'linux' ? programs.flatMap(({ pid }) => atWork(pid, machine)) : [];
    const found = new Set(working.map(({ pid }) => pid));
    const others = folderHolders({
      programs: programs.filter(({ pid }) => !found.has(pid)),
      sessionsOf: (cwd) => sessionsOf(cwd, sessions, machine),
    });
    const ids = new Set(working.map(({ nativeId }) => nativeId));
    return [...working, ...others.filter(({ nativeId }) => !ids.has(nativeId))];
  },
};

function atWork(pid: number, machine: Machine): readonly Holder[] {
  const children = machine.text(`/proc/${pid}/task/${pid}/children`)?.match(/\d+/g) ?? [];
  const sessions = new Set(children.flatMap((child) => sessionOf(machine.text(`/proc/${child}/environ`) ?? '') ?? []));
  return [...sessions].map((nativeId) => ({
    nativeId,
    pid,
    activity: 'working',
    evidence: 'runs a command that was started for this session',
  }));
}

function sessionOf(environment: string): string | undefined {
  const id = /(?:^|\0)PI_SESSION_ID=([^\0]{1,128})(?:\0|$)/.exec(environment)?.[1];
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** Folders' names are lossy: sessions of another folder may lie there. */
function sessionsOf(cwd: string, sessions: string, machine: Machine): readonly FolderSession[] {
  const folder = `${sessions}/${projectFolder(cwd)}`;
  return machine.list(folder).flatMap((name) => {
    const { id } = sessionFile(name);
    const glance = id === undefined || !name.endsWith('.jsonl') ? undefined : machine.glance?.(`${folder}/${name}`);
    if (id === undefined || glance === undefined) return [];
    const header = parseObject(glance.head.slice(0, glance.head.indexOf('\n')));
    return str(header, 'cwd') === cwd ? [{ nativeId: str(header, 'id') ?? id, ...glance }] : [];
  });
}
