/** The person's machine as shuttles see it, from the process: the one place that reads its environment. */
import os from 'node:os';
import path from 'node:path';
import type { Environment } from '../../shuttles/contract/shuttle.ts';

/** Variables that name harnesses' own folders. */
export const ofHarnesses = [
  'CODEX_HOME',
  'CLAUDE_CONFIG_DIR',
  'PI_CODING_AGENT_DIR',
  'PI_CODING_AGENT_SESSION_DIR',
  'OPENCLAW_STATE_DIR',
  'OPENCLAW_HOME',
] as const;
const ofPlatforms = ['XDG_CONFIG_HOME', 'APPDATA', 'LOCALAPPDATA'] as const;

/** `home`: a folder that stands for the person's home; the platform's own folders are then looked for below it. */
export function environmentOf(home: string | undefined, variables: NodeJS.ProcessEnv, platform: NodeJS.Platform): Environment {
  const known: Record<string, string | undefined> = {};
  for (const name of home === undefined ? [...ofHarnesses, ...ofPlatforms] : ofHarnesses) known[name] = variables[name];
  return {
    platform: platform === 'darwin' || platform === 'win32' ? platform : 'linux',
    home: home === undefined ? os.homedir() : path.resolve(home),
    variables: known,
  };
}
