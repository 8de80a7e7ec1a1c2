/** Where Claude Code and Claude Desktop keep their files, per platform. Pure: only the given environment is looked at. */
import { posix, win32 } from 'node:path';
import type { Environment } from '../contract/shuttle.ts';

function join(environment: Environment, ...parts: readonly string[]): string {
  return (environment.platform === 'win32' ? win32 : posix).join(...parts);
}

/** A variable that is set to an absolute path of the platform; a relative one would depend on who reads it. */
function absolute(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name];
  if (value === undefined || value === '') return undefined;
  return (environment.platform === 'win32' ? win32 : posix).isAbsolute(value) ? value : undefined;
}

/** `CLAUDE_CONFIG_DIR` moves everything of `~/.claude` (2.1.332). */
export function configFolder(environment: Environment): string {
  return absolute(environment, 'CLAUDE_CONFIG_DIR') ?? join(environment, environment.home, '.claude');
}

export function projectsFolder(environment: Environment): string {
  return join(environment, configFolder(environment), 'projects');
}

export function registryFolder(environment: Environment): string {
  return join(environment, configFolder(environment), 'sessions');
}

export function below(environment: Environment, folder: string, ...parts: readonly string[]): string {
  return join(environment, folder, ...parts);
}

/** Folders that Claude Desktop may keep its own data in; the Store package of Windows has one of its own. */
export function desktopFolders(environment: Environment): readonly string[] {
  const { home } = environment;
  switch (environment.platform) {
    case 'linux':
      return [join(environment, absolute(environment, 'XDG_CONFIG_HOME') ?? join(environment, home, '.config'), 'Claude')];
    case 'darwin':
      return ['Claude', 'Claude-3p'].map((name) => join(environment, home, 'Library', 'Application Support', name));
    case 'win32': {
      const roaming = absolute(environment, 'APPDATA') ?? join(environment, home, 'AppData', 'Roaming');
      const local = absolute(environment, 'LOCALAPPDATA') ?? join(environment, home, 'AppData', 'Local');
      return [
        join(environment, roaming, 'Claude'),
        join(environment, local, 'Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming', 'Claude'),
      ];
    }
  }
}
