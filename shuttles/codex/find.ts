/**
 * Where Codex keeps its sessions: `$CODEX_HOME` or `~/.codex`, below it `sessions/` (date folders, but any folder and the
 * flat form count) and `archived_sessions/`. Seen with 0.20 to 0.171. Paths come from the environment and from listings only.
 */
import { posix, win32 } from 'node:path';
import type { Environment, Find } from '../contract/shuttle.ts';
import { isRolloutName } from './rollout-name.ts';

export const codexFind: Find = {
  roots(environment) {
    const join = joining(environment);
    const home = codexHome(environment);
    return [
      { path: join(home, 'sessions'), depth: 8, matches: isSession },
      { path: join(home, 'archived_sessions'), depth: 2, matches: isSession },
    ];
  },
  sidecarPaths(environment) {
    const join = joining(environment);
    const home = codexHome(environment);
    return [join(home, 'session_index.jsonl'), join(home, 'external_agent_session_imports.json')];
  },
};

/** Codex's own folder. A relative `CODEX_HOME` depends on each process's cwd and cannot be followed: the default is taken. */
export function codexHome(environment: Environment): string {
  const named = environment.variables['CODEX_HOME'];
  const path = environment.platform === 'win32' ? win32 : posix;
  return named !== undefined && path.isAbsolute(named) ? path.normalize(named) : path.join(environment.home, '.codex');
}

export function joining(environment: Environment): (...parts: string[]) => string {
  const path = environment.platform === 'win32' ? win32 : posix;
  return (...parts) => path.join(...parts);
}

function isSession(relative: string): boolean {
  return isRolloutName(relative.slice(relative.lastIndexOf('/') + 1));
}
