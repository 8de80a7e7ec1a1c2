/** Which files a snapshot does not hold, in words. Pure. */
import type { SnapshotView } from '../server/protocol/world.ts';
import { bytes, counted } from './amounts.ts';
import { visible } from './plain-text.ts';

export function leftOutWords({ leftOutTotal }: SnapshotView): string {
  const [are, they] = leftOutTotal === 1 ? ['is', 'it'] : ['are', 'they'];
  return `${counted(leftOutTotal, 'file')} ${are} not in the snapshots of this folder: changes in ${leftOutTotal === 1 ? 'it' : 'them'} are not shown, and ${they} cannot be restored.`;
}

/** One line a file, with why. */
export function leftOutText(snapshot: SnapshotView): string {
  const lines = snapshot.leftOut.map(({ path, reason, bytes: size }) =>
    [visible(path), reasonWords(reason), size === undefined ? '' : bytes(size)].filter((part) => part !== '').join('  '),
  );
  const more = snapshot.leftOutTotal - lines.length;
  return `${leftOutWords(snapshot)}\n\n${lines.join('\n')}\n${more > 0 ? `and ${more} more\n` : ''}`;
}

/** A reason that this version does not know is said as it is. */
function reasonWords(reason: string): string {
  return reasons.get(reason) ?? reason;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['large', 'too large'],
  ['nested', 'a repository of its own'],
  ['changing', 'it changed while it was read'],
  ['unreadable', 'it cannot be read'],
  ['special', 'no plain file'],
  ['budget', 'the snapshot had become too large, or took too long'],
]);
