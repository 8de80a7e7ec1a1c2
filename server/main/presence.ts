/** Which native sessions live processes hold now, over all shuttles. A read of the machine: takes no lock, waits for none. */
import type { Environment, Machine, Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { Holder } from '../../shuttles/contract/shuttle.ts';
import { holderKey } from './thread-view.ts';
import type { Holders } from './thread-view.ts';

export function readHolders(shuttles: readonly Shuttle[], environment: Environment, machine: Machine): Holders {
  const holders = new Map<string, Holder[]>();
  for (const { harness, presence } of shuttles) {
    if ('absent' in presence) continue;
    for (const holder of presence.holders(environment, machine)) {
      const key = holderKey(harness, holder.nativeId);
      const known = holders.get(key);
      if (known === undefined) holders.set(key, [holder]);
      else known.push(holder);
    }
  }
  return holders;
}

/** Keys whose holders differ between two readings. */
export function changedHolders(before: Holders, after: Holders): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const key of new Set([...before.keys(), ...after.keys()])) if (text(before, key) !== text(after, key)) changed.add(key);
  return changed;
}

function text(holders: Holders, key: string): string {
  return JSON.stringify((holders.get(key) ?? []).map(({ pid, activity }) => [pid, activity]));
}
