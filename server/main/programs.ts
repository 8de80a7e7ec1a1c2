/**
 * The harnesses' programs on this machine: which are there, in which version, and whether somebody is logged in. A program is asked for its
 * version once for as long as its file stays the same, and nobody who lists threads waits for that.
 */
import fs from 'node:fs';
import type { HarnessStatus } from '../protocol/views.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Environment, Launch, Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { AskProgram } from './ask-program.ts';
import { harnessStatus } from './harnesses.ts';

export interface ProgramsOptions {
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  /** PATH of this process. */
  readonly path: string;
  /** Absent: no program is started, and no version is known. */
  readonly ask?: AskProgram | undefined;
}

const versionMs = 5000;
const loginMs = 5000;

export class Programs {
  readonly #options: ProgramsOptions;
  /** By the program's file as it is. */
  readonly #versions = new Map<string, string | null>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  /** Of all harnesses, with the versions that are known by now. */
  statuses(): readonly HarnessStatus[] {
    const { shuttles, environment, path } = this.#options;
    return shuttles.map((shuttle) => {
      const status = harnessStatus(shuttle, environment, path);
      const key = status.installed === null ? undefined : keyOf(status.installed);
      return { ...status, version: (key === undefined ? undefined : this.#versions.get(key)) ?? null };
    });
  }

  /** Asks those that have not been asked as they are. true: something is known now that was not. */
  async askAll(): Promise<boolean> {
    const before = this.#versions.size;
    await Promise.all(this.#options.shuttles.map(({ harness }) => this.know(harness)));
    return this.#versions.size > before;
  }

  /** Until the program's version is known, or is known not to be had: some seconds at most. */
  async know(harness: HarnessId): Promise<void> {
    const found = this.#found(harness);
    const key = found === undefined ? undefined : keyOf(found.installed);
    if (found === undefined || key === undefined || this.#versions.has(key)) return;
    const { launch, installed } = found;
    const asking = this.#asking.get(key) ?? this.#learn(key, installed, launch);
    this.#asking.set(key, asking);
    await asking;
  }

  async #learn(key: string, file: string, { versionArgv, program }: Launch): Promise<void> {
    const answer = await this.#ask(file, versionArgv, program, versionMs, true);
    this.#versions.set(key, answer?.status === 0 ? versionIn(answer.output) : null);
    this.#asking.delete(key);
  }

  /** null: the program cannot tell, or is not there. */
  async isLoggedIn(harness: HarnessId): Promise<boolean | null> {
    const found = this.#found(harness);
    if (found?.launch.loginArgv === undefined) return null;
    const answer = await this.#ask(found.installed, found.launch.loginArgv, found.launch.program, loginMs, false);
    return answer === null ? null : answer.status === 0;
  }

  /** Shuttles name the program in front of the words or not. */
  #ask(file: string, argv: readonly string[], program: string, ms: number, apart: boolean): ReturnType<AskProgram> {
    const words = argv[0] === program ? argv.slice(1) : argv;
    return this.#options.ask?.(file, words, ms, apart) ?? Promise.resolve(null);
  }

  #found(harness: HarnessId) {
    const { shuttles, environment, path, ask } = this.#options;
    const shuttle = shuttles.find((candidate) => candidate.harness === harness);
    if (ask === undefined || shuttle === undefined || 'absent' in shuttle.launch) return undefined;
    const { installed } = harnessStatus(shuttle, environment, path);
    return installed === null ? undefined : { launch: shuttle.launch, installed };
  }
}

/** undefined: it is gone just now. */
function keyOf(file: string): string | undefined {
  try {
    const { mtimeMs, size } = fs.statSync(file);
    return `${file} ${mtimeMs} ${size}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** The first dotted number in what the program says. */
export function versionIn(output: string): string | null {
  return /\d+(?:\.\d+)+(?:-[\w.]+)?/u.exec(output)?.[0] ?? null;
}
