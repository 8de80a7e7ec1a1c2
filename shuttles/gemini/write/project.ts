/**
 * The folder that Gemini CLI looks for a project's sessions in, found as 0.61 finds it: the list of projects, else a folder whose marker
 * names the project, else a name made of the last part of the path that nobody else has. The list and the markers are the program's own
 * and are only read. Sessions of versions before 0.30 lie below the hash of the path, and are taken over only by a new folder: while that
 * is still to come, a session put beside them comes along. Pure but for what `beside` reads.
 */
import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';
import type { Sidecars } from '../../contract/read.ts';
import type { Environment } from '../../contract/shuttle.ts';
import { obj, parseObject, str } from '../../kit/fields.ts';
import { geminiHome, sessionsRoot } from '../folders.ts';

const marker = '.project_root';
const slugForm = /^[a-z0-9-]+$/;
const mostTries = 1000;

/** Also what a session's header calls `projectHash`. */
export function projectHash(cwd: string): string {
  return createHash('sha256').update(cwd).digest('hex');
}

/** Absolute path of the folder that the project's `chats` is in. */
export function projectFolder(cwd: string, environment: Environment, beside: Sidecars | undefined): string {
  const paths = environment.platform === 'win32' ? win32 : posix;
  const root = sessionsRoot(environment);
  const folder = paths.join(root, beside === undefined ? slugOf(paths.basename(cwd)) : known(cwd, environment, beside));
  const older = paths.join(root, projectHash(cwd));
  const isToBeMade = beside !== undefined && beside.list(folder).every((name) => name === marker);
  return isToBeMade && beside.list(older).length > 0 ? older : folder;
}

function known(cwd: string, environment: Environment, beside: Sidecars): string {
  const paths = environment.platform === 'win32' ? win32 : posix;
  const normal = (path: string): string => (environment.platform === 'win32' ? path.toLowerCase() : path);
  const bases = [sessionsRoot(environment), paths.join(geminiHome(environment), 'history')];
  const ownerOf = (base: string, slug: string): string | undefined => {
    const text = beside.text(paths.join(base, slug, marker));
    return text === undefined ? undefined : normal(paths.resolve(text.trim()));
  };
  const path = normal(cwd);
  const isFree = (slug: string): boolean => bases.every((base) => [undefined, path].includes(ownerOf(base, slug)));

  const projects = obj(parseObject(beside.text(paths.join(geminiHome(environment), 'projects.json')) ?? ''), 'projects');
  const listed = str(projects, path);
  if (listed !== undefined && slugForm.test(listed) && isFree(listed)) return listed;
  for (const base of bases)
    for (const slug of beside.list(base)) if (slugForm.test(slug) && ownerOf(base, slug) === path) return slug;
  const taken = new Set(Object.values(projects ?? {}));
  const slug = slugOf(paths.basename(cwd));
  for (let n = 0; n < mostTries; n++) {
    const candidate = n === 0 ? slug : `${slug}-${n}`;
    if (!taken.has(candidate) && isFree(candidate)) return candidate;
  }
  return slug;
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'project' : slug;
}
