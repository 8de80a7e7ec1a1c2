import { expect, test } from 'vitest';
import type { ConversationView } from '../server/protocol/views.ts';
import { holdsEntry } from './lineage.ts';

const conversation = (id: number, parent: ConversationView['parent']): ConversationView => ({
  id,
  parent,
  owner: null,
  current: false,
  title: '',
  harness: 'claude',
  last: 0,
  entries: 1,
});

test('a fork shows its own entries and those of its parents up to where they were left', () => {
  const list = [
    conversation(1, null),
    conversation(2, { conversation: 1, at: 10 }),
    conversation(3, { conversation: 2, at: 25 }),
  ];
  expect(holdsEntry(list, 3, 3, 30)).toBe(true);
  expect(holdsEntry(list, 3, 2, 25)).toBe(true);
  expect(holdsEntry(list, 3, 2, 26)).toBe(false);
  expect(holdsEntry(list, 3, 1, 10)).toBe(true);
  expect(holdsEntry(list, 3, 1, 11)).toBe(false);
  expect(holdsEntry(list, 1, 3, 30)).toBe(false);
});

test('the earliest fork bounds what is shown of a grandparent', () => {
  const list = [conversation(1, null), conversation(2, { conversation: 1, at: 10 }), conversation(3, { conversation: 2, at: 5 })];
  expect(holdsEntry(list, 3, 1, 7)).toBe(false);
});

test('a ring of parents comes to an end', () => {
  const list = [conversation(1, { conversation: 2, at: 1 }), conversation(2, { conversation: 1, at: 1 })];
  expect(holdsEntry(list, 1, 9, 1)).toBe(false);
});
