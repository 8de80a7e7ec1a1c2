/**
 * The groups of the list: what is live first, whatever the grouping, then by day, folder or harness. Pure: the time and
 * the names of days come in. Groups keep the order of the threads given (newest first).
 */
import { harnessIds, harnessNames } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { baseName, oneLine } from './plain-text.ts';

export type Grouping = 'time' | 'folder' | 'harness';

export interface ThreadGroup {
  /** Stays the same while the group is there, so that folding survives a refresh. */
  readonly id: string;
  readonly label: string;
  /** The whole path of a folder, for its tooltip. */
  readonly path?: string;
  readonly threads: readonly ThreadView[];
}

export function groupThreads(
  threads: readonly ThreadView[],
  grouping: Grouping,
  now: Date,
  locale: string | undefined,
): readonly ThreadGroup[] {
  const live = threads.filter((thread) => thread.live);
  const rest = threads.filter((thread) => !thread.live);
  const groups = new Map<string, { label: string; path?: string; threads: ThreadView[] }>();
  const names = dayNames(now, locale);
  for (const thread of rest) {
    const { id, ...head } = headOf(thread, grouping, names);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { ...head, threads: [thread] });
    else group.threads.push(thread);
  }
  const ordered = [...groups].map(([id, group]) => ({ id, ...group }));
  if (grouping === 'harness') ordered.sort((a, b) => harnessRank(a.id) - harnessRank(b.id));
  return live.length === 0 ? ordered : [{ id: 'live', label: 'Live', threads: live }, ...ordered];
}

type GroupHead = { readonly id: string; readonly label: string; readonly path?: string };

function headOf(thread: ThreadView, grouping: Grouping, day: (time: number) => GroupHead): GroupHead {
  switch (grouping) {
    case 'time':
      return day(thread.updatedAt);
    case 'harness':
      return { id: `harness:${thread.harness}`, label: harnessNames[thread.harness] };
    case 'folder':
      if (thread.cwd === '') return { id: 'folder:', label: 'Unknown folder' };
      return { id: `folder:${thread.project ?? thread.cwd}`, label: oneLine(baseName(thread.cwd), 80), path: thread.cwd };
  }
}

function harnessRank(groupId: string): number {
  return harnessIds.findIndex((id) => groupId === `harness:${id}`);
}

/** Today, Yesterday, the weekday within a week, then the month, with its year when that is another one. */
function dayNames(now: Date, locale: string | undefined): (time: number) => GroupHead {
  const today = startOfDay(now, 0);
  const yesterday = startOfDay(now, 1);
  const week = startOfDay(now, 6);
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' });
  const month = new Intl.DateTimeFormat(locale, { month: 'long' });
  const monthOfYear = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });
  return (time) => {
    const date = new Date(time);
    if (!(time > 0) || Number.isNaN(date.getTime())) return { id: 'day:unknown', label: 'Undated' };
    if (time >= today) return { id: 'day:today', label: 'Today' };
    if (time >= yesterday) return { id: 'day:yesterday', label: 'Yesterday' };
    if (time >= week) return { id: `day:${date.getDay()}`, label: weekday.format(date) };
    const label = (date.getFullYear() === now.getFullYear() ? month : monthOfYear).format(date);
    return { id: `month:${date.getFullYear()}-${date.getMonth()}`, label };
  };
}

/** Midnight in the machine's own zone, so many days back; days are not always 24 hours long. */
function startOfDay(now: Date, daysBack: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack).getTime();
}
