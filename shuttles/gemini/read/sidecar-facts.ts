/**
 * The project's folder, as files beside the session say it: the marker in the project's own folder, or the list of all projects, in
 * which older folders are known by the hash of the path.
 */
import { createHash } from 'node:crypto';
import type { SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { asStr, obj, parseObject } from '../../kit/fields.ts';
import { placeOf } from '../folders.ts';

export function sidecarFacts(_: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  const place = placeOf(path);
  if (place === undefined) return {};
  const { separator, project, projectName } = place;
  const marked = sidecars.text(`${project}${separator}.project_root`)?.trim();
  const home = project.split(separator).slice(0, -2).join(separator);
  const cwd = isPath(marked) ? marked : listed(sidecars.text(`${home}${separator}projects.json`), projectName);
  return cwd === undefined ? {} : { startCwd: cwd, cwd };
}

function listed(text: string | undefined, name: string): string | undefined {
  const projects = obj(parseObject(text ?? ''), 'projects') ?? {};
  const byHash = /^[0-9a-f]{64}$/.test(name);
  return Object.entries(projects).find(
    ([path, slug]) => isPath(path) && (byHash ? sha256(path) === name : asStr(slug) === name),
  )?.[0];
}

function isPath(text: string | undefined): text is string {
  return text !== undefined && text.length < 4096 && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(text) && !text.includes('\n');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
