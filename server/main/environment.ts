/** The person's machine as shuttles see it, from the process: the one place that reads its environment. */
import os from 'node:os';
import path from 'node:path';
import type { Environment } from '../../shuttles/contract/shuttle.ts';

const documented = ['CODEX_HOME', 'CLAUDE_CONFIG_DIR', 'XDG_CONFIG_HOME', 'APPDATA', 'LOCALAPPDATA'] as const;

/** `home`: a folder that stands for the person's home; the platform's own folders are then looked for below it. */
export function environmentOf(home: string | undefined, variables: NodeJS.ProcessEnv, platform: NodeJS.Platform): Environment {
  const known: Record<string, string | undefined> = {};
  for (const name of documented) {
    const ofHarness = name === 'CODEX_HOME' || name === 'CLAUDE_CONFIG_DIR';
    if (home === undefined || ofHarness) known[name] = variables[name];
  }
  return {
    platform: platform === 'darwin' || platform === 'win32' ? platform : 'linux',
    home: home === undefined ? os.homedir() : path.resolve(home),
    variables: known,
  };
}
