/** Where sessions of OpenClaw lie: below each agent, its database and its transcripts of the time before it. */
import type { Environment, Find, SessionRoot } from '../contract/shuttle.ts';
import { agentFolders, below } from './folders.ts';
import { isSessionPath } from './names.ts';

export const openclawFind: Find = {
  roots(environment: Environment): readonly SessionRoot[] {
    return agentFolders(environment).map((path) => ({
      path,
      depth: 2,
      matches: isSessionPath,
      enters(relative) {
        const [, folder, ...deeper] = relative.split('/');
        return deeper.length === 0 && (folder === undefined || folder === 'sessions' || folder === 'agent');
      },
    }));
  },
  /** The main agent's list of its sessions, in the era of files. */
  sidecarPaths(environment: Environment): readonly string[] {
    return agentFolders(environment).map((folder) => below(environment, folder, 'main', 'sessions', 'sessions.json'));
  },
};
