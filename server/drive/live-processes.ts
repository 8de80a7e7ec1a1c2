/** Which of these processes are alive, and since when: with its start a pid names one process, since pids are given again. */
import type { ProcessFact } from '../baton/baton.ts';
import type { Machine } from '../../shuttles/contract/shuttle.ts';

/** `platform` says in which unit the machine tells starts. */
export function liveProcesses(machine: Machine, platform: NodeJS.Platform, pids: readonly number[]): readonly ProcessFact[] {
  return [...new Set(pids)].flatMap((pid) => {
    const start = machine.processStart(pid);
    return start === undefined ? [] : [{ pid, startedAt: startedAt(machine, platform, start) }];
  });
}

/** Milliseconds since 1970; null where it cannot be told. */
function startedAt(machine: Machine, platform: NodeJS.Platform, start: string): number | null {
  const at = inMilliseconds(machine, platform, start);
  return Number.isFinite(at) && at > 0 ? Math.round(at) : null;
}

function inMilliseconds(machine: Machine, platform: NodeJS.Platform, start: string): number {
  if (platform === 'linux') {
    // Ticks of a hundredth of a second since boot (proc(5); USER_HZ is 100 wherever Node runs).
    const boot = /^btime (\d+)$/m.exec(machine.text('/proc/stat') ?? '')?.[1];
    return boot === undefined ? Number.NaN : Number(boot) * 1000 + Number(start) * 10;
  }
  // Tenths of a microsecond since 1601; elsewhere what `ps` prints, in the person's time zone.
  return platform === 'win32' ? Number(start) / 10_000 - 11_644_473_600_000 : Date.parse(start);
}
