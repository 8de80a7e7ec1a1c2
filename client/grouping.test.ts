import { expect, test } from 'vitest';
import { groupThreads } from './grouping.ts';
import { sampleThread } from './sample-thread.ts';

const now = new Date(2026, 8, 10, 12, 0, 0);
const daysAgo = (days: number, hour = 12): number => new Date(2026, 8, 10 - days, hour).getTime();
const groups = (...args: Parameters<typeof groupThreads>): readonly string[] =>
  groupThreads(...args).map((group) => `${group.label}: ${group.threads.map((thread) => thread.id).join(' ')}`);

test('live threads come first, then today, yesterday, weekdays and months', () => {
  const threads = [
    sampleThread({ id: 'now', live: true, state: 'working', updatedAt: daysAgo(0) }),
    sampleThread({ id: 'today', updatedAt: daysAgo(0, 0) }),
    sampleThread({ id: 'yesterday', updatedAt: daysAgo(1, 23) }),
    sampleThread({ id: 'sunday', updatedAt: daysAgo(4) }),
    sampleThread({ id: 'august', updatedAt: daysAgo(20) }),
    sampleThread({ id: 'lastYear', updatedAt: new Date(2025, 7, 1).getTime() }),
    sampleThread({ id: 'undated', updatedAt: 0 }),
  ];
  expect(groups(threads, 'time', now, 'en')).toEqual([
    'Live: now',
    'Today: today',
    'Yesterday: yesterday',
    'Sunday: sunday',
    'August: august',
    'August 2025: lastYear',
    'Undated: undated',
  ]);
});

test('a day that lasted 25 hours is still one day', () => {
  const afterChange = new Date(2026, 9, 25, 12);
  const midnight = new Date(2026, 9, 25, 0, 0, 1).getTime();
  expect(groups([sampleThread({ updatedAt: midnight })], 'time', afterChange, 'en')).toEqual(['Today: t1']);
});

test('folders of one name stay apart, and the harnesses have a fixed order', () => {
  const threads = [
    sampleThread({ id: 'a', cwd: '/home/user/one/shop' }),
    sampleThread({ id: 'b', cwd: '/home/user/two/shop', harness: 'codex' }),
    sampleThread({ id: 'c', cwd: '', harness: 'codex' }),
  ];
  expect(groups(threads, 'folder', now, 'en')).toEqual(['shop: a', 'shop: b', 'Unknown folder: c']);
  expect(groups(threads.toReversed(), 'harness', now, 'en')).toEqual(['Claude Code: a', 'Codex: c b']);
});

test('a thread with a date out of range does not break the list', () => {
  expect(
    groups([sampleThread({ updatedAt: 9e18 }), sampleThread({ id: 't2', updatedAt: Number.NaN })], 'time', now, 'en'),
  ).toEqual(['Undated: t1 t2']);
});

test('folders that are one are one group, named as the newest thread spells it', () => {
  const threads = [
    sampleThread({ id: 'a', cwd: 'C:\\Users\\dev\\Shop', project: 'c:\\users\\dev\\shop' }),
    sampleThread({ id: 'b', cwd: 'c:/users/dev/shop', project: 'c:\\users\\dev\\shop' }),
    sampleThread({ id: 'c', cwd: '/link/shop', project: '/real/shop' }),
    sampleThread({ id: 'd', cwd: '/real/shop' }),
  ];
  const made = groupThreads(threads, 'folder', now, 'en');
  expect(made.map((group) => group.threads.map(({ id }) => id).join(' '))).toEqual(['a b', 'c d']);
  expect(made.map((group) => group.path)).toEqual(['C:\\Users\\dev\\Shop', '/link/shop']);
});
