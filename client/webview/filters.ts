/** Which rows a filter keeps. With no filter on, everything is shown; several are a union. */
import type { Row } from './rows.ts';
import { isFailure } from './tool-facts.ts';

export const filterNames = ['prompts', 'answers', 'tools', 'failures'] as const;
export type FilterName = (typeof filterNames)[number];

export function keeps(filters: ReadonlySet<FilterName>, row: Row): boolean {
  if (filters.size === 0) return true;
  switch (row.kind) {
    case 'prompt':
      return filters.has('prompts');
    case 'answer':
      return filters.has('answers') || (filters.has('failures') && row.entries.some((entry) => entry.failed));
    case 'tool':
      return filters.has('tools') || (filters.has('failures') && isFailure(row));
    case 'notice':
      return filters.has('failures') && row.entries[0].level === 'error';
    case 'turn':
      return filters.has('failures') && row.entries[0].phase === 'failed';
    case 'divider':
      return true;
    case 'thinking':
    case 'aside':
    case 'plan':
    case 'marks':
      return false;
  }
}
