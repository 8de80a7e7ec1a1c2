/**
 * How the terminal program is started. `--conversation` takes the id of a conversation of its own, `-i` a first prompt behind which it
 * stays open; a prompt alone is ignored, and a new conversation cannot be given an id. It cannot open conversations of the desktop app and
 * the editor, which it only imports from inside. In a folder that it does not know it asks first whether the folder is trusted.
 */
import type { Command, Launch } from '../contract/shuttle.ts';

export const antigravityLaunch: Launch = {
  program: 'agy',
  versionArgv: ['agy', '--version'],
  resume(nativeId: string, cwd: string, prompt?: string): Command {
    return { argv: ['agy', '--conversation', nativeId, ...(prompt === undefined ? [] : ['-i', prompt])], cwd, env: {} };
  },
  /** The brief lies outside of the project: its folder is one more that may be read. */
  begin({ prompt, cwd, reads }) {
    return { argv: ['agy', '--add-dir', reads, '-i', prompt], cwd, env: {} };
  },
  install: 'See antigravity.google for the terminal program agy',
};
