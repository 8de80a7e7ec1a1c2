/**
 * Who holds an exclusive advisory lock on a file, from `/proc/locks` (proc(5)), without taking the lock. Seen there are
 * flock, fcntl and open-file-description locks of all processes of this pid namespace.
 */

export interface LockState {
  readonly held: boolean;
  /** null: not held, or the kernel names no single process. */
  readonly pid: number | null;
}

/** `dev` as stat gives it. */
export function lockState(locks: string, dev: bigint, ino: bigint): LockState {
  for (const line of locks.split('\n')) {
    const lock = parseLock(line);
    if (lock !== undefined && lock.ino === ino && sameDevice(lock, dev))
      return { held: true, pid: lock.pid > 0 ? lock.pid : null };
  }
  return { held: false, pid: null };
}

/** `1: FLOCK  ADVISORY  WRITE 4711 08:02:1234 0 EOF`. Lines with an arrow are of those who still wait. */
const lockForm = /^\d+:\s+(?:FLOCK|POSIX|OFDLCK)\s+\S+\s+WRITE\s+(-?\d+)\s+([0-9a-f]+):([0-9a-f]+):(\d+)\s/;

interface Lock {
  readonly pid: number;
  readonly major: bigint;
  readonly minor: bigint;
  readonly ino: bigint;
}

function parseLock(line: string): Lock | undefined {
  const [, pid, major, minor, ino] = lockForm.exec(line) ?? [];
  if (pid === undefined || major === undefined || minor === undefined || ino === undefined) return undefined;
  return { pid: Number(pid), major: BigInt(`0x${major}`), minor: BigInt(`0x${minor}`), ino: BigInt(ino) };
}

function sameDevice(lock: Lock, dev: bigint): boolean {
  // The packing of makedev(3).
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  // btrfs and overlay give stat another number than the kernel's own, but both without a real device (major 0).
  return lock.major === major && (lock.minor === minor || major === 0n);
}
