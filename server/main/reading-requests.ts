/** The requests of `loom mcp`, from parameters that are looked at before use to the readings. */
import { readingBounds } from '../protocol/reading.ts';
import { requests } from '../protocol/requests.ts';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Readings } from './readings.ts';

type Params = Readonly<Record<string, unknown>>;

/** undefined: the request is about something else. */
export function answerReading(readings: Readings, method: string, p: Params): Promise<unknown> | undefined {
  const { around, entries, threads, hits } = readingBounds;
  switch (method) {
    case requests.read.method:
      return readings.read({
        thread: text(p, 'thread') ?? '',
        entry: whole(p, 'entry'),
        from: whole(p, 'from') ?? 0,
        around: bounded(p, 'around', around, 0),
        after: whole(p, 'after'),
        before: whole(p, 'before'),
        limit: bounded(p, 'limit', entries, 1),
      });
    case requests.readList.method:
      return readings.list({
        harness: harness(p),
        cwd: text(p, 'cwd'),
        live: p['live'] === true,
        limit: bounded(p, 'limit', threads, 1),
      });
    case requests.readSearch.method:
      return readings.search({
        words: text(p, 'words') ?? '',
        harness: harness(p),
        cwd: text(p, 'cwd'),
        thread: text(p, 'thread'),
        limit: bounded(p, 'limit', hits, 1),
      });
    default:
      return undefined;
  }
}

function text(p: Params, name: string): string | null {
  const value = p[name];
  return typeof value === 'string' ? value : null;
}
function whole(p: Params, name: string): number | null {
  const value = p[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
function bounded(
  p: Params,
  name: string,
  { most, usual }: { readonly most: number; readonly usual: number },
  least: number,
): number {
  return Math.min(most, Math.max(least, whole(p, name) ?? usual));
}
function harness(p: Params): HarnessId | null {
  return harnessIds.find((id) => id === p['harness']) ?? null;
}
