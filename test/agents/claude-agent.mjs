/** The real Claude Code as one of the agents of the matrix; run-agent.mjs and world.mjs do the work. */
import { pinned } from './install.mjs';
import { heardByClaude } from './heard.mjs';
import { claudeSessionFiles, runClaude } from './run-agent.mjs';

export const agent = {
  harness: 'claude',
  version: pinned.claude,
  /** It is in every world already. */
  packages: [],
  run: runClaude,
  heard: heardByClaude,
  sessionFiles: claudeSessionFiles,
};
