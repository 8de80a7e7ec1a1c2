/** Paths as a thread's reader wants them: below the thread's folder relative to it, both kinds of separators understood. */
export function relativePath(path: string, cwd: string): string {
  if (cwd === '' || path.length <= cwd.length) return path;
  const folder = /[/\\]$/.test(cwd) ? cwd : cwd + (cwd.includes('\\') && !cwd.includes('/') ? '\\' : '/');
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
