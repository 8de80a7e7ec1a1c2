/** For tests: the built program, as a process that may be killed at any moment, in a home of its own. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

export class LoomProgram implements Disposable {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bundle-'));
  readonly #file = path.join(this.folder, 'loom.cjs');

  constructor() {
    const root = path.join(import.meta.dirname, '../..');
    const args = [path.join(root, 'esbuild.mjs'), '--quiet', `--out=${this.folder}`];
    const built = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
  }

  /** `killAfterMs`: SIGKILL then, unless it has ended. */
  run(home: string, ledger: string, args: readonly string[], killAfterMs?: number): Promise<Ran> {
    const began = performance.now();
    const child = spawn(process.execPath, [this.#file, ...args, '--home', home, '--ledger', ledger], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: home },
    });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    return new Promise((resolve) =>
      child.on('close', (status) => {
        clearTimeout(timer);
        resolve({ status, ...texts, ms: performance.now() - began });
      }),
    );
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
