/**
 * Who writes a session now, in the era of files: `<transcript>.lock` names a process. Locks outlive a killed process and numbers are given
 * again, above all in containers, so that one counts only when the process lives, was started before the lock was made (or when the lock
 * says) and, on Linux, runs OpenClaw; a lock that is empty, torn or without a transcript counts for nothing. None is ever removed. The
 * gateway of the time of the database says nothing on disk of what it works on.
 */
import type { JsonObject } from '../contract/json.ts';
import type { Environment, Holder, Machine, Presence } from '../contract/shuttle.ts';
import { count, field, isoTime, parseObject } from '../kit/fields.ts';
import { agentFolders, below } from './folders.ts';
import { sessionFile } from './names.ts';

export const openclawPresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    return agentFolders(environment).flatMap((agents) =>
      machine.list(agents).flatMap((agent) => {
        const folder = below(environment, agents, agent, 'sessions');
        return machine.list(folder).flatMap((name) => {
          const file = name.endsWith('.jsonl.lock') ? sessionFile(name.slice(0, -'.lock'.length)) : undefined;
          if (file === undefined || !machine.isFile(below(environment, folder, `${file.stem}.jsonl`))) return [];
          return holder(file.id, parseObject(machine.text(below(environment, folder, name)) ?? ''), environment, machine) ?? [];
        });
      }),
    );
  },
};

function holder(nativeId: string, lock: JsonObject | undefined, environment: Environment, machine: Machine): Holder | undefined {
  const pid = count(lock, 'pid');
  const started = pid === undefined ? undefined : machine.processStart(pid);
  if (pid === undefined || started === undefined || !runsOpenclaw(pid, environment, machine)) return undefined;
  const since = isoTime(field(lock, 'createdAt'));
  const claimed = field(lock, 'starttime') ?? field(lock, 'startTime');
  const base = { nativeId, pid, activity: 'working', ...(since === null ? {} : { since }) } as const;
  if (typeof claimed === 'number' || typeof claimed === 'string')
    return String(claimed).trim() === started
      ? { ...base, evidence: 'lock file of a running process, its start time matches' }
      : undefined;
  const startedAt = startTime(started, environment, machine);
  if (since === null || startedAt === undefined || startedAt > since + slack) return undefined;
  return { ...base, evidence: 'lock file of a running process that was started before it' };
}

/** Clocks of files and processes differ by a little. */
const slack = 2000;

/** Milliseconds since 1970, from the platform's own form. */
function startTime(started: string, { platform }: Environment, machine: Machine): number | undefined {
  switch (platform) {
    case 'linux': {
      const boot = /^btime (\d+)$/m.exec(machine.text('/proc/stat') ?? '')?.[1];
      return boot === undefined ? undefined : Number(boot) * 1000 + Number(started) * 10;
    }
    case 'darwin': {
      const time = Date.parse(started);
      return Number.isNaN(time) ? undefined : time;
    }
    case 'win32':
      return /^\d{1,20}$/.test(started) ? Number(BigInt(started) / 10_000n) - 11_644_473_600_000 : undefined;
  }
}

/** What the process calls itself; other platforms tell no command line, and their start time must do. */
function runsOpenclaw(pid: number, { platform }: Environment, machine: Machine): boolean {
  return platform !== 'linux' || /openclaw/i.test(machine.text(`/proc/${pid}/cmdline`)?.slice(0, 10_000) ?? '');
}
