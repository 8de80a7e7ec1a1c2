/**
 * Where sessions of pi and omp lie: one folder a project below each sessions folder, or flat. Whatever ends in `.jsonl` there may be a
 * session (the reader looks for its header); what lies deeper (omp keeps artifacts in a folder beside each session) is none.
 */
import type { Environment, Find, SessionRoot } from '../contract/shuttle.ts';
import { flatSessions, ompProfiles, ompSessions, piSessions } from './folders.ts';
import { isSessionPath } from './session-name.ts';

export const piFind: Find = {
  roots(environment: Environment): readonly SessionRoot[] {
    const flat = flatSessions(environment);
    return [
      { path: piSessions(environment), depth: 1, matches: isSessionPath },
      ...(flat === undefined ? [] : [{ path: flat, depth: 0, matches: isSessionPath }]),
      { path: ompSessions(environment), depth: 1, matches: isSessionPath },
      profiles(environment),
    ];
  },
  sidecarPaths(): readonly string[] {
    return [];
  },
};

function profiles(environment: Environment): SessionRoot {
  const inner = /^[^/]+\/agent\/sessions\/(.+)$/;
  return {
    path: ompProfiles(environment),
    depth: 4,
    matches(relative) {
      const below = inner.exec(relative)?.[1];
      return below !== undefined && isSessionPath(below);
    },
    enters(relative) {
      const [, agent = 'agent', sessions = 'sessions'] = relative.split('/');
      return agent === 'agent' && sessions === 'sessions';
    },
  };
}
