/**
 * Where pi and omp (its fork oh-my-pi, which writes the same records) keep sessions, per platform. Pure: only the given environment is
 * looked at. A variable that is no absolute path would depend on who reads it and is passed over. A `sessionDir` in pi's settings file
 * is not followed: folders come from the environment alone.
 */
import { posix, win32 } from 'node:path';
import type { Environment } from '../contract/shuttle.ts';
import { projectFolder } from './session-name.ts';

function join(environment: Environment, ...parts: readonly string[]): string {
  return (environment.platform === 'win32' ? win32 : posix).join(...parts);
}

function absolute(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name];
  if (value === undefined || value === '') return undefined;
  const path = environment.platform === 'win32' ? win32 : posix;
  return path.isAbsolute(value) ? path.normalize(value) : undefined;
}

/** `PI_CODING_AGENT_DIR` moves everything of `~/.pi/agent` (0.73, 1.6). */
export function piSessions(environment: Environment): string {
  const agent = absolute(environment, 'PI_CODING_AGENT_DIR') ?? join(environment, environment.home, '.pi', 'agent');
  return join(environment, agent, 'sessions');
}

/** `PI_CODING_AGENT_SESSION_DIR`: the files lie flat in it. */
export function flatSessions(environment: Environment): string | undefined {
  return absolute(environment, 'PI_CODING_AGENT_SESSION_DIR');
}

/** Where pi would make a session of that folder, at that time: below the folder's own name, or flat where the variable says so. */
export function sessionPath(environment: Environment, cwd: string, at: Date, id: string): string {
  const folder = flatSessions(environment) ?? join(environment, piSessions(environment), projectFolder(cwd));
  return join(environment, folder, `${at.toISOString().replaceAll(/[:.]/g, '-')}_${id}.jsonl`);
}

export function ompSessions(environment: Environment): string {
  return join(environment, environment.home, '.omp', 'agent', 'sessions');
}

/** Named profiles of omp, each with an `agent/sessions` of its own. */
export function ompProfiles(environment: Environment): string {
  return join(environment, environment.home, '.omp', 'profiles');
}

/** Is it one of omp's files, by the folder that a listing found it in? */
export function isOmpPath(path: string): boolean {
  return path.replaceAll('\\', '/').includes('/.omp/');
}
