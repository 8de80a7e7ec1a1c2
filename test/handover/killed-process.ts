/** For tests: `continue-process.ts` in one file, since it starts many times and two hundred sources would cost a second each time. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { ContinueMode } from '../../server/protocol/requests.ts';

export interface Place {
  readonly home: string;
  readonly folder: string;
}
export interface Carried {
  readonly session: string;
  readonly to: string;
  readonly mode?: ContinueMode;
}

export class KilledProcess {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** `name`: of the tests that use it. It stands beside the packages that it needs. */
  static async build(name: string): Promise<KilledProcess> {
    const outfile = path.join(import.meta.dirname, `../../.cache/continue-process-${name}-${process.pid}.mjs`);
    await build({
      entryPoints: [path.join(import.meta.dirname, 'continue-process.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
    });
    return new KilledProcess(outfile);
  }

  /** Runs until it kills itself at that step; by which signal it ended. */
  run({ home, folder }: Place, { session, to, mode = 'native' }: Carried, step: string): Promise<unknown> {
    const argv = [this.#program, home, folder, session, to, step, mode];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
    return new Promise((resolve) => child.once('close', (_status, by) => resolve(by)));
  }

  remove(): void {
    fs.rmSync(this.#program, { force: true });
  }
}
