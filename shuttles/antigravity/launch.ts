/**
 * How the terminal program is started on a conversation of its own: `--conversation` takes its id, `--prompt-interactive` goes on with a
 * prompt; a prompt alone is ignored. It cannot open those of the desktop app and the editor, which it only imports from inside.
 */
import type { Command, Launch } from '../contract/shuttle.ts';

export const antigravityLaunch: Launch = {
  program: 'agy',
  versionArgv: ['agy', '--version'],
  resume(nativeId: string, cwd: string, prompt?: string): Command {
    return {
      argv: ['agy', '--conversation', nativeId, ...(prompt === undefined ? [] : ['--prompt-interactive', prompt])],
      cwd,
      env: {},
    };
  },
  begin({ prompt, cwd, reads }) {
    return { argv: ['agy', '--add-dir', reads, '--prompt-interactive', prompt], cwd, env: {} };
  },
  install: 'See antigravity.google for the terminal program agy',
};
