/**
 * Who holds a session, as far as it can be told: pi writes no registry, takes no lock and keeps its file closed between two appends.
 * What it runs for a session (tools, a person's `!command`) carries that session's id in its environment (1.6), so that a pi at work is
 * found on Linux by its children. An idle pi, one that only talks to its model, older versions and omp are not found, nor is any on
 * macOS and Windows: nobody there says which session a process has open.
 */
import type { Environment, Holder, Machine, Presence } from '../contract/shuttle.ts';
import { isSessionId } from './session-name.ts';

export const piPresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    if (environment.platform !== 'linux') return [];
    return machine.list('/proc').flatMap((name) => {
      const pid = /^[1-9]\d{0,9}$/.test(name) ? Number(name) : undefined;
      // The program's title is exactly its name.
      if (pid === undefined || machine.text(`/proc/${pid}/comm`)?.trim() !== 'pi') return [];
      return held(pid, machine);
    });
  },
};

function held(pid: number, machine: Machine): readonly Holder[] {
  if (machine.processStart(pid) === undefined) return [];
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
