/** Runs the built programs from outside and measures them: wall time, what they report, peak memory. */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { cpuMsOf, peakMbOf } from './process-facts.ts';

const root = path.join(import.meta.dirname, '../..');
const given = process.env['LOOM_BENCH_DIST'];
/** What is measured is built as it is packaged; `LOOM_BENCH_DIST`: another build. */
const dist = given ?? path.join(root, '.cache', 'bench-dist');
export const loomProgram = path.join(dist, 'loom.cjs');
export const serverProgram = path.join(dist, 'server.cjs');

/** Makes what is measured, where it is not given. Throws with the reason when it cannot be made. */
export function buildMeasured(): void {
  if (given !== undefined) return;
  const args = [path.join(root, 'esbuild.mjs'), '--quiet', '--production', `--out=${dist}`];
  const built = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr.trim()}`);
}

export interface Run extends Spent {
  readonly ms: number;
  readonly out: string;
}

/** Throws when the program fails: a bench of a failure would be a lie. */
export function run(args: readonly string[], home: string): Promise<Run> {
  return runProgram(process.execPath, args, environment(home));
}

export async function runProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const started = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const spent = watchProcess(child.pid);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const ms = performance.now() - started;
  const { peakMb, cpuMs } = spent();
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${err.slice(-2000)}`);
  return { ms, out, peakMb, cpuMs };
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

export interface Spent {
  /** Peak resident memory; null where the platform does not tell. */
  readonly peakMb: number | null;
  /** Processor time of all threads; less noisy than the clock on a busy machine. null likewise. */
  readonly cpuMs: number | null;
}

/** Linux tells both of any process; they are looked at until it is gone. Call the result for them. */
export function watchProcess(pid: number | undefined): () => Spent {
  let spent: Spent = { peakMb: null, cpuMs: null };
  const look = (): void => {
    const peakMb = peakMbOf(pid);
    // Nothing is told of a process that has ended.
    if (peakMb !== null) spent = { peakMb, cpuMs: cpuMsOf(pid) };
  };
  const timer = setInterval(look, 25);
  look();
  return () => {
    look();
    clearInterval(timer);
    return spent;
  };
}
