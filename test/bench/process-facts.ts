/** What Linux tells of a running process; null elsewhere and when it has ended. */
import fs from 'node:fs';

/** Milliseconds of processor time of all its threads since its start, user and system. */
export function cpuMsOf(pid: number | undefined): number | null {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // Behind the name in parentheses; user and system time are fields 14 and 15, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' ? null : (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMbOf(pid: number | undefined): number | null {
  return statusMb(pid, 'VmRSS');
}

/** The most that was ever resident. */
export function peakMbOf(pid: number | undefined): number | null {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number | undefined, name: string): number | null {
  const kb = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return kb === undefined ? null : Number(kb) / 1024;
}

export function readOrEmpty(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
