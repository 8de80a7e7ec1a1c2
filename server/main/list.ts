/** Which threads a list shows. */
import type { ThreadRow } from '../ledger/threads-table.ts';

/** Never a session in which nothing happened; subagents without their parent and automation runs only with `all`. */
export function isListed(row: ThreadRow, all: boolean): boolean {
  if (row.current_conversation === 0) return false;
  return all || (row.child === 0 && row.automation === 0);
}
