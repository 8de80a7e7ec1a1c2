/**
 * How Codex is started on a thread: its own terminal UI, which appends to the same rollout (0.39 to 0.171). One that Codex did not write is
 * found by its id at once; its first turn there puts it into Codex's index, so that the picker, lists and `--last` have it from then on.
 */
import type { Launch } from '../contract/shuttle.ts';

export const codexLaunch: Launch = {
  program: 'codex',
  versionArgv: ['codex', '--version'],
  resume(nativeId, cwd, prompt) {
    // `--` ends the options: a prompt may begin with a dash.
    const argv: [string, ...string[]] =
      prompt === undefined ? ['codex', 'resume', nativeId] : ['codex', 'resume', nativeId, '--', prompt];
    return { argv, cwd, env: {} };
  },
  /** Its sandbox may read everywhere. */
  begin({ prompt, cwd }) {
    return { argv: ['codex', '--', prompt], cwd, env: {} };
  },
  /** The oldest that was run (test/agents/older.mjs); 0.20 has another form of rollouts. */
  oldest: '0.39.0',
  loginArgv: ['codex', 'login', 'status'],
  install: 'npm install -g @openai/codex',
};
