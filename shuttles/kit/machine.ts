/**
 * The machine's facts for presence (`Machine` of the contract), by the rules of each platform. Nothing is written, no
 * lock is taken, no signal is sent that does anything; every question that the system refuses is answered as "not there".
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import type { Environment, Machine } from '../contract/shuttle.ts';
import { errorCode } from './error-code.ts';
import { lockState } from './file-locks.ts';
import { darwinCommand, darwinStarts, linuxStart, windowsCommand, windowsStarts } from './process-start.ts';
import { runningPrograms } from './running-programs.ts';

/** What the rules need of the system; tests give recorded answers. */
export interface System {
  readonly text: (path: string) => string | undefined;
  /** Output of a program; undefined when it could not be run. Never through a shell. */
  readonly run: (argv: readonly [string, ...string[]]) => string | undefined;
  readonly alive: (pid: number) => boolean;
  /** Where a link leads; undefined: there is none, or it may not be read. */
  readonly link?: (path: string) => string | undefined;
  /** Milliseconds, from any start. */
  readonly now: () => number;
  /** `C:\Windows`. */
  readonly systemRoot: string;
}

/** Listing all processes costs a program start: one listing answers for this long, in milliseconds. */
const listingLives = 2000;
/** A process that is alive but younger than the listing asks for a new one, at most this often. */
const listingRests = 250;

export function machineOf(platform: Environment['platform'], system: System): Machine {
  return {
    list,
    text,
    isFile,
    processStart: processStarts(platform, system),
    isLocked: locks(platform, system),
    programs: runningPrograms(platform, system, list),
    glance,
  };
}

function processStarts(platform: Environment['platform'], system: System): (pid: number) => string | undefined {
  switch (platform) {
    case 'linux':
      return (pid) => {
        const stat = isPid(pid) ? system.text(`/proc/${pid}/stat`) : undefined;
        return stat === undefined ? undefined : linuxStart(stat);
      };
    case 'darwin':
      return listed(system, () => darwinStarts(system.run(darwinCommand) ?? ''));
    case 'win32':
      return listed(system, () => windowsStarts(system.run(windowsCommand(system.systemRoot)) ?? ''));
  }
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}

function listed(system: System, listing: () => ReadonlyMap<number, string>): (pid: number) => string | undefined {
  let starts: ReadonlyMap<number, string> = new Map();
  let takenAt = -Infinity;
  return (pid) => {
    // Costs nothing, and spares the listing for entries of processes that ended long ago.
    if (!isPid(pid) || !system.alive(pid)) return undefined;
    const age = system.now() - takenAt;
    if (age > listingLives || (age > listingRests && !starts.has(pid))) {
      starts = listing();
      takenAt = system.now();
    }
    return starts.get(pid);
  };
}

function locks(platform: Environment['platform'], system: System): Machine['isLocked'] {
  // macOS and Windows tell of a lock only to those who try to take it, and Loom takes no lock of others.
  if (platform !== 'linux') return () => undefined;
  return (path) => {
    const held = system.text('/proc/locks');
    if (held === undefined) return undefined;
    const stats = attempt(() => fs.lstatSync(path, { bigint: true }));
    return stats === undefined ? { held: false, pid: null } : lockState(held, stats.dev, stats.ino);
  };
}

/** The real system. */
export function thisSystem(): System {
  return {
    text: (path) => attempt(() => fs.readFileSync(path, 'utf8')),
    run([program, ...rest]) {
      // The C locale for dates; of the environment only what the tools need.
      const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...pick('TZ', 'SystemRoot', 'TEMP', 'TMP', 'PSModulePath') };
      const ended = spawnSync(program, rest, {
        encoding: 'utf8',
        timeout: 5000,
        maxBuffer: 8 * 1024 * 1024,
        windowsHide: true,
        env,
      });
      return ended.status === 0 ? ended.stdout : undefined;
    },
    alive(pid) {
      try {
        return process.kill(pid, 0);
      } catch (error) {
        // EPERM: it is there, and another person's.
        return errorCode(error) === 'EPERM';
      }
    },
    link: (path) => attempt(() => fs.readlinkSync(path)),
    now: () => performance.now(),
    systemRoot: process.env['SystemRoot'] ?? 'C:\\Windows',
  };
}

/** Enough for a header. */
const glanced = 4096;

function glance(path: string): ReturnType<NonNullable<Machine['glance']>> {
  const descriptor = attempt(() => fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)));
  if (descriptor === undefined) return undefined;
  try {
    return attempt(() => {
      const stats = fs.fstatSync(descriptor);
      if (!stats.isFile()) return undefined;
      const bytes = Buffer.alloc(glanced);
      const head = bytes.toString('utf8', 0, fs.readSync(descriptor, bytes, 0, glanced, 0));
      return { madeAt: stats.birthtimeMs, modifiedAt: stats.mtimeMs, head };
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Small files only: what presence reads is a few hundred bytes. */
const biggestText = 1024 * 1024;

function text(path: string): string | undefined {
  const descriptor = attempt(() => fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)));
  if (descriptor === undefined) return undefined;
  try {
    return attempt(() => {
      const stats = fs.fstatSync(descriptor);
      return stats.isFile() && stats.size <= biggestText ? fs.readFileSync(descriptor, 'utf8') : undefined;
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

function list(folder: string): readonly string[] {
  return attempt(() => fs.readdirSync(folder)) ?? [];
}

function isFile(path: string): boolean {
  return attempt(() => fs.lstatSync(path).isFile()) ?? false;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    // A path with a NUL in it is refused by Node itself, before the system sees it.
    if (errorCode(error) === undefined && !(error instanceof TypeError)) throw error;
    return undefined;
  }
}

function pick(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
