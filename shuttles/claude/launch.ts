/**
 * How Claude Code is started on a session. Its version is asked with `--version`; a prompt is one argument of its own. Whether somebody is
 * logged in is not asked: 2.0.77 takes `auth status` for a prompt and asks its model.
 */
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
  /** The oldest that was run (test/agents/older.mjs). */
  oldest: '2.0.77',
  install: 'npm install -g @anthropic-ai/claude-code',
};
