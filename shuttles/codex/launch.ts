/** How Codex is started on a thread: its own terminal UI, which appends to the same rollout (0.39 to 0.171). */
import type { Command, Launch } from '../contract/shuttle.ts';

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

/**
 * A rollout that Codex did not write is found by `codex resume <id>` at once, and its first turn there puts it into Codex's index, with the
 * person's own provider: from then on the picker, lists and `--last` have it. For a session that nobody starts at once, one `thread/read`
 * puts it there without a turn and without a model, but without a provider: the picker shows it, `--last` passes it over (0.171). To be
 * run as a child with these lines on its standard input, one answer awaited after each request; failing is harmless.
 */
export function visibilityNudge(nativeId: string, cwd: string): { readonly command: Command; readonly lines: readonly string[] } {
  const messages = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'loom', title: 'Loom', version: '0.1.0' } } },
    { method: 'initialized' },
    { id: 2, method: 'thread/read', params: { threadId: nativeId, includeTurns: false } },
  ];
  return { command: { argv: ['codex', 'app-server'], cwd, env: {} }, lines: messages.map((message) => JSON.stringify(message)) };
}
