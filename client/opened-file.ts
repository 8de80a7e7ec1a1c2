/**
 * Where a file that a transcript names may be opened from. The name is data: it is joined to known folders as a path, it
 * is never read as a URI, and only a file that is there is opened. On Windows a network path is opened only inside the
 * workspace: merely looking at one would send the person's credentials to its server.
 */
import type { PathRules } from './workspace-scope.ts';
import { isInWorkspace } from './workspace-scope.ts';

/** Absolute paths to try, in order. `folders`: the thread's own folder first, then the workspace's. */
export function pathsToTry(
  named: string,
  folders: readonly string[],
  workspace: readonly string[],
  rules: PathRules,
  join: (folder: string, name: string) => string,
): readonly string[] {
  if (named.includes('\0') || named.trim() === '') return [];
  const found = isAbsolute(named, rules)
    ? [join(named, '.')]
    : folders.filter((folder) => isAbsolute(folder, rules)).map((folder) => join(folder, named));
  return [...new Set(found)].filter((path) => !isNetworkPath(path, rules) || isInWorkspace(path, workspace, rules));
}

function isAbsolute(path: string, rules: PathRules): boolean {
  return rules === 'windows' ? /^(?:[a-z]:[\\/]|[\\/]{2})/iu.test(path) : path.startsWith('/');
}

/** `\\server\share`, with either slash, and device paths such as `\\?\`. */
function isNetworkPath(path: string, rules: PathRules): boolean {
  return rules === 'windows' && /^[\\/]{2}/u.test(path);
}
