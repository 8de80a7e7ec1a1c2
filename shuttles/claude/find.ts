/**
 * Where sessions of Claude Code lie: its own projects folder, and the folders of Claude Desktop's Cowork, each with a
 * projects folder of its own. `memory/`, `tool-results/`, journals, indexes and audit logs are never sessions.
 */
import type { Environment, Find, SessionRoot } from '../contract/shuttle.ts';
import { below, desktopFolders, projectsFolder } from './folders.ts';
import { fileName, titleFile } from './names.ts';

export const claudeFind: Find = {
  roots(environment: Environment): readonly SessionRoot[] {
    return [projects(environment), ...desktopFolders(environment).map((folder) => cowork(environment, folder))];
  },
  sidecarPaths(environment: Environment): readonly string[] {
    return desktopFolders(environment).flatMap((folder) => [
      below(environment, folder, 'claude-code-sessions'),
      below(environment, folder, 'local-agent-mode-sessions'),
    ]);
  },
  besides: (path) => [titleFile(path)],
};

function projects(environment: Environment): SessionRoot {
  return {
    path: projectsFolder(environment),
    depth: 5,
    matches: (relative) => fileName(relative) !== undefined,
    enters: entersProject,
  };
}

/** `<account>/<organisation>/local_<id>/.claude/projects/…`; the order of the two is told differently by version. */
const coworkForm = /^(?:[^/]+\/){1,3}local_[^/]+\/\.claude\/projects\/(.+)$/;

function cowork(environment: Environment, folder: string): SessionRoot {
  return {
    path: below(environment, folder, 'local-agent-mode-sessions'),
    depth: 11,
    matches(relative) {
      const inner = coworkForm.exec(relative)?.[1];
      return inner !== undefined && fileName(inner) !== undefined;
    },
    // A Cowork session keeps what it works on beside its transcript: whole trees that are none of our business.
    enters(relative) {
      const parts = relative.split('/');
      const session = parts.findIndex((part) => part.startsWith('local_'));
      if (session < 0) return parts.length <= 3;
      const [claude = '.claude', projectsName = 'projects', ...inner] = parts.slice(session + 1);
      return claude === '.claude' && projectsName === 'projects' && entersProject(inner.join('/'));
    },
  };
}

function entersProject(relative: string): boolean {
  const [, session, subagents = 'subagents', workflows = 'workflows'] = relative.split('/');
  return session !== 'memory' && session !== 'tool-results' && subagents === 'subagents' && workflows === 'workflows';
}
