/** Folders as sessions name them: of this machine or of another, so by either system's rules. */
import path from 'node:path';

/** A relative path, or none, would mean another folder in each process that reads it. */
export function isAbsolute(folder: string): boolean {
  return path.posix.isAbsolute(folder) || path.win32.isAbsolute(folder);
}
