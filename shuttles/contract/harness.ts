/** The harnesses that Loom knows, and where inside a harness a session was held. */

/** A program that runs an agent. The order is the order in pickers. */
export const harnessIds = ['claude', 'codex', 'pi', 'antigravity', 'gemini', 'openclaw'] as const;
export type HarnessId = (typeof harnessIds)[number];

/** The name that a person knows a harness by. */
export const harnessNames: Readonly<Record<HarnessId, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  pi: 'pi',
  antigravity: 'Antigravity',
  gemini: 'Gemini CLI',
  openclaw: 'OpenClaw',
};

/** Where in the harness the session was held: terminal, desktop app, editor extension, SDK or headless run. */
export type Surface = 'cli' | 'desktop' | 'editor' | 'sdk' | 'headless' | 'cowork' | 'unknown';
