/** How Claude Code is started on a session. Its version is asked with `--version`; a prompt is one argument of its own. */
import type { Command, Launch } from '../contract/shuttle.ts';

export const claudeLaunch: Launch = {
  program: 'claude',
  versionArgv: ['--version'],
  resume(nativeId: string, cwd: string, prompt?: string): Command {
    // Session ids are UUIDs and prompts are Loom's own words: neither begins with a dash.
    const argv: readonly [string, ...string[]] = ['claude', '--resume', nativeId, ...(prompt === undefined ? [] : [prompt])];
    return { argv, cwd, env: {} };
  },
  begin({ prompt, cwd, reads }) {
    return { argv: ['claude', '--add-dir', reads, '--', prompt], cwd, env: {} };
  },
  install: 'npm install -g @anthropic-ai/claude-code',
};
