/**
 * How Gemini CLI is started on a session: `--resume` takes its id and is run in the project's folder, `--prompt-interactive` goes on
 * with a prompt (0.39 to 0.61). Before 0.39 sessions were whole JSON documents, which Loom does not write.
 */
import type { Command, Launch } from '../contract/shuttle.ts';

export const geminiLaunch: Launch = {
  program: 'gemini',
  versionArgv: ['gemini', '--version'],
  oldest: '0.39.0',
  resume(nativeId: string, cwd: string, prompt?: string): Command {
    return {
      argv: ['gemini', '--resume', nativeId, ...(prompt === undefined ? [] : ['--prompt-interactive', prompt])],
      cwd,
      env: {},
    };
  },
  begin({ prompt, cwd, reads }) {
    return { argv: ['gemini', '--include-directories', reads, '--prompt-interactive', prompt], cwd, env: {} };
  },
  install: 'npm install -g @google/gemini-cli',
};
