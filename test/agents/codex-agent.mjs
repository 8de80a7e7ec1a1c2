/** The real Codex as one of the agents of the matrix; run-agent.mjs and world.mjs do the work. */
import { pinned } from './install.mjs';
import { heardByCodex } from './heard.mjs';
import { codexSessionFiles, runCodex } from './run-agent.mjs';

export const agent = {
  harness: 'codex',
  version: pinned.codex,
  /** It is in every world already. */
  packages: [],
  run: runCodex,
  heard: heardByCodex,
  sessionFiles: codexSessionFiles,
};
