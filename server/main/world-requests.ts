/** The requests on snapshots and changes, from parameters that are looked at before use to the world service. */
import { requests } from '../protocol/requests.ts';
import type { RestoreParams } from '../protocol/world.ts';
import type { WorldService } from './world-service.ts';

type Params = Readonly<Record<string, unknown>>;

/** undefined: the request is about something else. */
export function answerWorld(world: WorldService, method: string, p: Params): Promise<unknown> | undefined {
  switch (method) {
    case requests.snapshotTake.method:
      return world.take(text(p, 'folder'), p['baseline'] === true);
    case requests.snapshotList.method:
      return world.list(textOrNull(p, 'thread'), textOrNull(p, 'folder'), whole(p, 'limit') ?? 200);
    case requests.snapshotDiff.method:
      return world.diff(whole(p, 'before') ?? 0, whole(p, 'after'));
    case requests.snapshotContent.method:
      return world.content(whole(p, 'snapshot') ?? 0, text(p, 'path'));
    case requests.threadChanges.method:
      return world.changes(text(p, 'thread'));
    case requests.snapshotRestore.method:
      return world.restore(restoreParams(p));
    default:
      return undefined;
  }
}

function restoreParams(p: Params): RestoreParams {
  const paths = p['paths'];
  return {
    thread: textOrNull(p, 'thread'),
    before: whole(p, 'before') ?? 0,
    after: whole(p, 'after') ?? 0,
    paths: Array.isArray(paths) ? paths.filter((one) => typeof one === 'string') : null,
    hunk: whole(p, 'hunk'),
    dryRun: p['dryRun'] === true,
    force: p['force'] === true,
    overwrite: p['overwrite'] === true,
  };
}
function text(p: Params, name: string): string {
  const value = p[name];
  return typeof value === 'string' ? value : '';
}
function textOrNull(p: Params, name: string): string | null {
  const value = p[name];
  return typeof value === 'string' ? value : null;
}
function whole(p: Params, name: string): number | null {
  const value = p[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}
