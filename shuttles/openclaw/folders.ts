/**
 * Where OpenClaw keeps its agents, per platform. Pure: only the given environment is looked at. `OPENCLAW_STATE_DIR` is the state folder
 * itself, `OPENCLAW_HOME` stands for the person's home; both may begin with `~`. A value that is no absolute path would depend on who
 * reads it and is passed over. Of named profiles (`~/.openclaw-<name>`) only `dev` has a name that is known beforehand.
 */
import { posix, win32 } from 'node:path';
import type { Environment } from '../contract/shuttle.ts';

function paths(environment: Environment): typeof posix {
  return environment.platform === 'win32' ? win32 : posix;
}

function absolute(environment: Environment, name: string, home: string): string | undefined {
  const value = environment.variables[name]?.trim();
  if (value === undefined || value === '') return undefined;
  const path = paths(environment);
  const whole = value === '~' || /^~[\\/]/.test(value) ? path.join(home, value.slice(1)) : value;
  return path.isAbsolute(whole) ? path.normalize(whole) : undefined;
}

/** The folders that hold one folder an agent. Nothing of the state folder beside them is looked at: it holds tokens. */
export function agentFolders(environment: Environment): readonly string[] {
  const path = paths(environment);
  const home = absolute(environment, 'OPENCLAW_HOME', environment.home) ?? environment.home;
  const state = absolute(environment, 'OPENCLAW_STATE_DIR', home);
  const states = state === undefined ? ['.openclaw', '.openclaw-dev'].map((name) => path.join(home, name)) : [state];
  return states.map((folder) => path.join(folder, 'agents'));
}

export function below(environment: Environment, ...parts: readonly string[]): string {
  return paths(environment).join(...parts);
}
