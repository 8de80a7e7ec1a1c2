import { expect, test } from 'vitest';
import type { EntryView, TimelineView } from '../../server/protocol/views.ts';
import { sampleThread } from '../sample-thread.ts';
import { HeldTimeline } from './held-timeline.ts';
import { assistant, prompt } from './sample-entries.ts';

const entries = (from: number, to: number): readonly EntryView[] =>
  Array.from({ length: to - from + 1 }, (_, index) => prompt(from + index, 'x'));
const view = (from: number, to: number, over: Partial<TimelineView> = {}): TimelineView => ({
  kind: 'timeline',
  thread: sampleThread(),
  conversation: 1,
  conversations: [],
  entries: entries(from, to),
  older: from - 1,
  readAt: 0,
  ...over,
});
const ids = (held: HeldTimeline): readonly number[] => held.rows.map((row) => row.entries[0]?.id ?? 0);

function reading(): HeldTimeline {
  const held = new HeldTimeline();
  held.take(view(7, 10));
  held.takeEvents([{ type: 'older', entries: entries(3, 6), older: 2 }]);
  return held;
}

test('older pages stand before what is held, and what is left is counted', () => {
  const held = reading();
  expect(ids(held)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  expect(held.view?.older).toBe(2);
  expect([held.reaches(3), held.reaches(2), held.reaches('start')]).toEqual([true, false, false]);
});

test('a new view of the same line keeps the older pages', () => {
  const held = reading();
  held.take(view(9, 12));
  expect(ids(held)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(held.view?.older).toBe(2);
});

test('pages that come again after a new view change only the count, until one brings something', () => {
  const held = reading();
  held.take(view(9, 12));
  held.takeEvents([{ type: 'older', entries: entries(5, 8), older: 4 }]);
  expect(held.view?.older).toBe(2);
  held.takeEvents([{ type: 'older', entries: entries(1, 4), older: 0 }]);
  expect(ids(held)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(held.view?.older).toBe(0);
});

test('what a rewind took off the end is gone with the new view', () => {
  const held = reading();
  held.take(view(7, 8));
  expect(ids(held)).toEqual([3, 4, 5, 6, 7, 8]);
});

test('a view of another line begins anew', () => {
  const held = reading();
  held.take(view(20, 22, { conversation: 2, older: 5 }));
  expect(ids(held)).toEqual([20, 21, 22]);
  expect(held.view?.older).toBe(5);
});

test('only rows that came in at the end are news', () => {
  const held = reading();
  expect(
    held.takeEvents([
      { type: 'older', entries: entries(1, 2), older: 0 },
      { type: 'entry', entry: prompt(11, 'x') },
    ]),
  ).toBe(1);
  expect(held.takeEvents([{ type: 'entry', entry: prompt(11, 'x') }])).toBe(0);
  expect(held.takeEvents([{ type: 'entry', entry: assistant(12, {}) }])).toBe(0);
  held.setFilters(new Set(['answers']));
  expect(
    held.takeEvents([
      { type: 'entry', entry: prompt(13, 'x') },
      { type: 'entry', entry: assistant(14, { text: 'y' }) },
    ]),
  ).toBe(1);
  expect(ids(held)).toEqual([14]);
});

test('the list of rows is the same one as long as nothing changed', () => {
  const held = reading();
  const rows = held.rows;
  held.takeEvents([
    { type: 'readAt', readAt: 5 },
    { type: 'thread', thread: sampleThread({ title: 'Another' }) },
  ]);
  expect(held.rows).toBe(rows);
  expect(held.view?.thread.title).toBe('Another');
});

test('events before the first view are ignored', () => {
  const held = new HeldTimeline();
  expect(held.takeEvents([{ type: 'entry', entry: prompt(1, 'x') }])).toBe(0);
  expect(held.view).toBeNull();
});
