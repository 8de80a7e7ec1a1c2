/** A snapshot as a row of a picker. Pure. */
import type { SnapshotCause, SnapshotView } from '../server/protocol/world.ts';
import { age } from './amounts.ts';
import { label, oneLine } from './plain-text.ts';

export interface SnapshotItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** `titleOf`: of a thread by its id; `clock`: a time as people write it. */
export function snapshotItem(
  snapshot: SnapshotView,
  now: number,
  titleOf: (thread: string) => string,
  clock: (at: number) => string,
): SnapshotItem {
  const { at, cause, thread, branch, head, number } = snapshot;
  return {
    label: `${clock(at)} · ${causeWords(cause)}`,
    description: `${age(at, now)} ago · snapshot ${number}`,
    detail: [
      thread === null ? '' : label(titleOf(thread), 80),
      branch === null ? '' : `branch ${label(oneLine(branch, 60), 60)}`,
      head === null ? '' : head.slice(0, 8),
    ]
      .filter((part) => part !== '')
      .join(' · '),
  };
}

export function causeWords(cause: SnapshotCause): string {
  switch (cause) {
    case 'turnStart':
      return 'a turn began';
    case 'turnEnd':
      return 'a turn ended';
    case 'safety':
      return 'around a restore';
    case 'handoff':
      return 'before a hand-over';
    case 'baseline':
      return 'first seen';
    case 'asked':
      return 'asked for';
  }
}
