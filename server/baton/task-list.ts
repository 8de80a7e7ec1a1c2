/** A plan that an agent writes into its answer as a Markdown list of tasks, where the harness has no tool for one. */
import type { PlanItem } from '../../shuttles/contract/entry.ts';
import { ownLines } from './sentences.ts';

/** The newest list in the text: items behind each other, at least two, blank lines between them or not. `undefined`: there is none. */
export function taskListIn(text: string): readonly PlanItem[] | undefined {
  // Most answers hold none.
  if (!/\[[ xX~/-]\] /.test(text)) return undefined;
  let list: PlanItem[] = [];
  let found: readonly PlanItem[] | undefined;
  for (const line of [...ownLines(text), 'end']) {
    const [, mark, task] = /^\s{0,12}(?:[-*+]|\d{1,3}[.)]) \[([ xX~/-])\] {1,4}(\S.*)$/.exec(line) ?? [];
    if (mark !== undefined && task !== undefined) list.push({ text: task.trim(), status: statusOf(mark) });
    else if (line.trim() !== '') {
      if (list.length >= 2) found = list;
      list = [];
    }
  }
  return found;
}

function statusOf(mark: string): PlanItem['status'] {
  if (mark === 'x' || mark === 'X') return 'completed';
  return mark === ' ' ? 'pending' : 'inProgress';
}
