import { expect, test } from 'vitest';
import type { SnapshotView } from '../server/protocol/world.ts';
import { leftOutText, leftOutWords } from './left-out-words.ts';
import { causeWords, snapshotItem } from './snapshot-item.ts';

const snapshot: SnapshotView = {
  number: 7,
  worktree: '/home/user/shop',
  at: 1000,
  cause: 'turnEnd',
  thread: 't',
  head: '0123456789abcdef',
  branch: 'fix/$(x)',
  leftOut: [
    { path: 'video.mp4', reason: 'large', bytes: 48e6 },
    { path: 'lib', reason: 'nested' },
    { path: 'x', reason: 'of a later version' },
  ],
  leftOutTotal: 5,
};

test('what a snapshot does not hold is named with why, and the rest is counted', () => {
  expect(leftOutWords(snapshot)).toContain('5 files are not in the snapshots');
  expect(leftOutText(snapshot).split('\n').slice(2)).toEqual([
    'video.mp4  too large  48 MB',
    'lib  a repository of its own',
    'x  of a later version',
    'and 2 more',
    '',
  ]);
  expect(leftOutWords({ ...snapshot, leftOutTotal: 1 })).toContain('changes in it are not shown, and it cannot be restored');
});

test('a snapshot is chosen by when and why it was taken; names draw no icons', () => {
  const item = snapshotItem(
    snapshot,
    61_000,
    () => 'Fix $(zap) it',
    () => '10:04',
  );
  expect(item.label).toBe(`10:04 · ${causeWords('turnEnd')}`);
  expect(item.description).toBe('1 min ago · snapshot 7');
  expect(item.detail).not.toContain('$(');
  expect(item.detail).toContain('01234567');
});
