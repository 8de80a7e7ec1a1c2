/** Finds rows again after the list has changed. Rows stand in the order of their first entries' ids. */
import type { Row } from './rows.ts';

/** Where a row is now: by its entry, since the keys of joined rows may change; else the nearest row before. */
export function indexOf(rows: readonly Row[], sought: { readonly key: string; readonly entry: number }): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.entries[0]?.id ?? 0) < sought.entry) low = middle + 1;
    else high = middle;
  }
  for (let at = low; (rows[at]?.entries[0]?.id ?? -1) === sought.entry; at += 1) if (rows[at]?.key === sought.key) return at;
  if ((rows[low]?.entries[0]?.id ?? -1) === sought.entry) return low;
  return Math.max(0, Math.min(rows.length, low) - 1);
}
