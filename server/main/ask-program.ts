/**
 * Asks an installed program a small question (its version, whether somebody is logged in): bounded in time and output, with no terminal and
 * no input, never through a shell of ours. A program that cannot be started, or does not answer in time, gives no answer.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ofHarnesses } from './environment.ts';
import type { Environment } from '../../shuttles/contract/shuttle.ts';

export interface Answer {
  readonly status: number;
  readonly output: string;
}
/** `apart`: the program has an empty folder for its own files, which goes afterwards: asking for a version must leave nothing behind. */
export type AskProgram = (file: string, args: readonly string[], timeoutMs: number, apart: boolean) => Promise<Answer | null>;

/** `variables`: of this process; the home is the one that Loom looks at. */
export function askProgram({ platform, home }: Environment, variables: NodeJS.ProcessEnv): AskProgram {
  return (file, args, timeout, apart) =>
    new Promise((resolve) => {
      const folder = apart ? fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ask-')) : undefined;
      const [program, words, verbatim] =
        platform === 'win32' && /\.(?:cmd|bat)$/iu.test(file) ? batch(file, args) : [file, args, false];
      const child = execFile(
        program,
        words,
        {
          cwd: home,
          env: {
            ...own(variables),
            HOME: home,
            NO_COLOR: '1',
            ...(folder === undefined
              ? {}
              : Object.fromEntries([...ofHarnesses, 'GEMINI_CLI_HOME'].map((name) => [name, folder]))),
          },
          timeout,
          killSignal: 'SIGKILL',
          maxBuffer: 1024 * 1024,
          windowsHide: true,
          windowsVerbatimArguments: verbatim,
        },
        (error, out, err) => {
          if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
          const status = error === null ? 0 : typeof error.code === 'number' && !error.killed ? error.code : null;
          resolve(status === null ? null : { status, output: `${out}\n${err}` });
        },
      );
      child.stdin?.end();
    });
}

/** Without what an editor sets for its own processes: another program would start as a part of it. */
function own(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^(?:ELECTRON_|VSCODE_|NODE_OPTIONS$)/u.test(name)));
}

/** Windows starts batch files only through its command processor. Their arguments are words of shuttles: no quotes, no percent signs. */
function batch(file: string, args: readonly string[]): readonly [string, readonly string[], boolean] {
  return ['cmd.exe', ['/d', '/s', '/c', `""${file}" ${args.join(' ')}"`], true];
}
