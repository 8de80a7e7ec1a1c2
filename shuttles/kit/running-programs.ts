/**
 * Programs that run now, each with its working folder, as far as a platform tells it to anybody: Linux in `/proc` (proc(5)), macOS through
 * `ps` and `lsof`. Windows tells no folder, and answers nothing. Only runtimes and programs with a title of their own are looked at.
 */
import type { Environment, Machine, RunningProgram } from '../contract/shuttle.ts';
import { linuxStart } from './process-start.ts';
import type { System } from './machine.ts';

/** What the kernel calls them: programs of their own, and the runtimes that agents run in. */
const names: ReadonlySet<string> = new Set(['pi', 'gemini', 'node', 'MainThread', 'bun']);

/** One listing answers for so long, in milliseconds; macOS starts programs for it. */
const lives = { linux: 1000, darwin: 10_000 } as const;

type Listed = Omit<RunningProgram, 'cwd'>;

/** A process that was none of these twice is passed over, and looked at again in every so manieth listing: it may have become another. */
const rounds = 10;

export function runningPrograms(
  platform: Environment['platform'],
  system: System,
  list: Machine['list'],
): NonNullable<Machine['programs']> {
  if (platform === 'win32') return () => [];
  let all: readonly Listed[] = [];
  let takenAt = -Infinity;
  const folders = new Map<number, string | undefined>();
  let others = new Map<string, number>();
  let round = 0;
  const linux = (): readonly Listed[] => {
    const whole = round++ % rounds === 0;
    const before = others;
    others = new Map();
    const entries = list('/proc').filter((name) => /^[1-9]\d{0,9}$/.test(name));
    const asked = entries.filter((name) => whole || (before.get(name) ?? 0) < 2);
    for (const name of entries) others.set(name, before.get(name) ?? 0);
    const found = linuxPrograms(asked, system.text);
    for (const name of asked) others.set(name, (before.get(name) ?? 0) + 1);
    for (const { pid } of found) others.delete(String(pid));
    return found;
  };
  return (fits) => {
    if (system.now() - takenAt >= lives[platform]) {
      all = platform === 'linux' ? linux() : darwinPrograms(system.run(darwinListing) ?? '');
      takenAt = system.now();
      folders.clear();
    }
    const fitting = all.filter(({ argv }) => fits(argv));
    const unknown = fitting.filter(({ pid }) => !folders.has(pid));
    if (platform === 'linux') for (const { pid } of unknown) folders.set(pid, system.link?.(`/proc/${pid}/cwd`));
    else if (unknown.length > 0) {
      const found = darwinFolders(system.run(darwinFoldersOf(unknown.map(({ pid }) => pid))) ?? '');
      for (const { pid } of unknown) folders.set(pid, found.get(pid));
    }
    return fitting.flatMap((program) => {
      const cwd = folders.get(program.pid);
      return cwd?.startsWith('/') === true ? [{ ...program, cwd }] : [];
    });
  };
}

/** Starts are in ticks of a hundredth of a second since boot, which `/proc/stat` has in seconds. */
export function linuxPrograms(entries: readonly string[], text: System['text']): readonly Listed[] {
  const boot = /^btime (\d+)$/m.exec(text('/proc/stat') ?? '')?.[1];
  if (boot === undefined) return [];
  return entries.flatMap((name): readonly Listed[] => {
    const pid = /^[1-9]\d{0,9}$/.test(name) ? Number(name) : undefined;
    if (pid === undefined || !names.has(text(`/proc/${pid}/comm`)?.trim() ?? '')) return [];
    const stat = text(`/proc/${pid}/stat`) ?? '';
    const start = linuxStart(stat);
    const parent = stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[1];
    if (start === undefined || parent === undefined) return [];
    const argv = (text(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((part) => part !== '');
    return [{ pid, parent: Number(parent), argv, startedAt: Number(boot) * 1000 + Number(start) * 10 }];
  });
}

/** `  501     1 Thu Sep  3 09:05:00 2026 node /usr/local/bin/gemini`. */
const darwinListing = ['/bin/ps', '-axww', '-o', 'pid=,ppid=,lstart=,args='] as const;
const darwinLine = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d{4})\s+(\S.*)$/;

export function darwinPrograms(output: string): readonly Listed[] {
  return output.split('\n').flatMap((line): readonly Listed[] => {
    const [, pid, parent, start = '', args = ''] = darwinLine.exec(line) ?? [];
    const argv = args.trim().split(/\s+/);
    const startedAt = Date.parse(start);
    const name = argv[0]?.slice(argv[0].lastIndexOf('/') + 1) ?? '';
    if (pid === undefined || parent === undefined || Number.isNaN(startedAt) || !names.has(name)) return [];
    return [{ pid: Number(pid), parent: Number(parent), argv, startedAt }];
  });
}

function darwinFoldersOf(pids: readonly number[]): readonly [string, ...string[]] {
  return ['/usr/sbin/lsof', '-a', '-d', 'cwd', '-Fpn', '-p', pids.join(',')];
}

/** Lines `p501`, `fcwd`, `n/Users/me/shop`. */
export function darwinFolders(output: string): ReadonlyMap<number, string> {
  const folders = new Map<number, string>();
  let pid = 0;
  for (const line of output.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    else if (line.startsWith('n') && pid > 0) folders.set(pid, line.slice(1));
  }
  return folders;
}
