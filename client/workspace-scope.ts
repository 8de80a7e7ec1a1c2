/** Does a thread belong to this workspace? Its folder is one of the workspace's folders or lies below one. */

export type PathRules = 'posix' | 'windows';

/** `folders`: absolute paths of the workspace's folders, links resolved or not; give both forms. */
export function isInWorkspace(cwd: string, folders: readonly string[], rules: PathRules): boolean {
  if (cwd === '') return false;
  const inner = comparable(cwd, rules);
  return folders.some((folder) => {
    const outer = comparable(folder, rules);
    return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
  });
}

/** `project`: the folder's key, in lower case where its volume ignores case; absent: `cwd` itself. */
export function isThreadInWorkspace(
  cwd: string,
  project: string | undefined,
  folders: readonly string[],
  rules: PathRules,
): boolean {
  if (isInWorkspace(cwd, folders, rules)) return true;
  if (project === undefined) return false;
  const ignoresCase = project === project.toLowerCase() && cwd !== cwd.toLowerCase();
  return isInWorkspace(project, ignoresCase ? folders.map((folder) => folder.toLowerCase()) : folders, rules);
}

/** Windows compares without case, writes either separator, and harnesses write the drive letter in either case. */
function comparable(path: string, rules: PathRules): string {
  const unified = rules === 'windows' ? path.replaceAll('\\', '/').toLowerCase() : path;
  return unified.length > 1 && unified.endsWith('/') ? unified.slice(0, -1) : unified;
}
