/**
 * Runs the git program for snapshots. Nothing of this process's environment reaches it but PATH: no GIT_ variable, no configuration of
 * the person or the system (unless a run asks for the person's, to read their repository), no hook, no prompt, no lock that is optional, no
 * input but what is given. Every run is bounded in time and output, and is ended by its own pid; whoever starts one that stays ends it.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';

export interface GitProgram {
  /** Absolute path, or the name on PATH. */
  readonly file: string;
  /** PATH of the child. */
  readonly path: string;
  /** HOME of runs that read the person's repository: their `safe.directory` and `core.excludesFile` count there. */
  readonly home: string;
  /** An empty folder: HOME of all other runs, so that versions that know no GIT_CONFIG_GLOBAL read nothing of the person's either. */
  readonly nowhere: string;
}
export interface GitRun {
  readonly cwd: string;
  readonly input?: Uint8Array;
  readonly variables?: Readonly<Record<string, string>>;
  /** Reads the person's own configuration. */
  readonly asPerson?: boolean;
  readonly timeoutMs?: number;
  /** Bytes of standard output; more ends the run. */
  readonly most?: number;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
}
export interface GitEnd {
  readonly ok: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** `missing`: there is no git; `slow`: it was ended for its time; `large`: for its output; `ended`: by its signal; `failed`: its own exit code. */
  readonly failure: 'missing' | 'slow' | 'large' | 'ended' | 'failed' | null;
}

const timeoutMs = 60_000;
const most = 256 * 1024 * 1024;

/** Settings that hold whatever a repository's own configuration says. */
const always = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
];

export function runGit(program: GitProgram, argv: readonly string[], run: GitRun): Promise<GitEnd> {
  if (run.signal?.aborted === true) return Promise.resolve({ ok: false, stdout: Buffer.alloc(0), stderr: '', failure: 'ended' });
  return new Promise((resolve) => {
    const child = startGit(program, argv, run);
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure: GitEnd['failure'] = null;
    const end = (reason: 'slow' | 'large' | 'ended'): void => {
      failure ??= reason;
      child.kill('SIGKILL');
    };
    const stop = (): void => end('ended');
    run.signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => end('slow'), run.timeoutMs ?? timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > (run.most ?? most)) end('large');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 16_384) stderr += chunk.toString('latin1');
    });
    // A child that ends early closes its input under the writer; its exit code says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input);
    child.on('error', () => {
      failure ??= 'missing';
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', stop);
      if (failure === null && code !== 0) failure = 'failed';
      resolve({ ok: failure === null, stdout: Buffer.concat(chunks), stderr, failure });
    });
  });
}

/** A run that goes on until its input ends, or until it is killed. */
export function startGit(
  program: GitProgram,
  argv: readonly string[],
  { cwd, asPerson, variables }: Pick<GitRun, 'cwd' | 'asPerson' | 'variables'>,
): ChildProcessWithoutNullStreams {
  return spawn(program.file, [...always.flatMap((setting) => ['-c', setting]), ...argv], {
    cwd,
    env: { ...environmentOf(program, asPerson === true), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function environmentOf({ path, home, nowhere }: GitProgram, asPerson: boolean): Record<string, string> {
  return {
    PATH: path,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_PAGER: '',
    ...(asPerson
      ? { HOME: home, USERPROFILE: home }
      : {
          HOME: nowhere,
          USERPROFILE: nowhere,
          XDG_CONFIG_HOME: nowhere,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
          GIT_ATTR_NOSYSTEM: '1',
        }),
  };
}

/** The oldest git whose plumbing the snapshots use. */
export const oldestGit: readonly [number, number] = [2, 25];

/** `git version 2.39.5`; null: no version was said. */
export function parseVersion(text: string): readonly [number, number] | null {
  const match = /(\d+)\.(\d+)/u.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

export function isOld([major, minor]: readonly [number, number]): boolean {
  return major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1]);
}
