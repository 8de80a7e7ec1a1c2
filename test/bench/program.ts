/** Runs the built programs from outside and measures them: wall time, what they report, peak memory. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');
export const loomProgram = path.join(root, 'dist/loom.cjs');
export const serverProgram = path.join(root, 'dist/server.cjs');

export interface Run {
  readonly ms: number;
  readonly out: string;
  /** Peak resident memory; null where the platform does not tell. */
  readonly peakMb: number | null;
}

/** Throws when the program fails: a bench of a failure would be a lie. */
export async function run(args: readonly string[], home: string): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env: environment(home), stdio: ['ignore', 'pipe', 'pipe'] });
  const peak = watchMemory(child.pid);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const ms = performance.now() - started;
  const peakMb = peak();
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err.slice(-2000)}`);
  return { ms, out, peakMb };
}

/** Nothing of the person's own agents is read: HOME is the bench's. */
export function environment(home: string, ledger?: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    USERPROFILE: home,
    TZ: 'UTC',
    ...(ledger === undefined ? {} : { LOOM_HOME: ledger }),
  };
}

/** Linux keeps the high-water mark; it is read until the process is gone. Call the result for it. */
export function watchMemory(pid: number | undefined): () => number | null {
  let peak: number | null = null;
  const look = (): void => {
    try {
      const found = /^VmHWM:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
      if (found !== null) peak = Number(found[1]) / 1024;
    } catch {
      // The process has ended, or there is no /proc.
    }
  };
  const timer = setInterval(look, 25);
  look();
  return () => {
    look();
    clearInterval(timer);
    return peak;
  };
}
