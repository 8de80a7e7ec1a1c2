import { expect, test } from 'vitest';
import { LateEntry } from './late-entry.ts';

test('an entry tells of itself without its content, which is asked for when somebody looks at it', () => {
  let asked = 0;
  const late = {
    get content(): object {
      asked++;
      return { text: 'said' };
    },
  };
  const entry = new LateEntry(7, 3, 'note', late, 'call', false);
  expect([entry.id, entry.conversationId, entry.kind, entry.key, entry.head]).toEqual([7, 3, 'note', 'call', undefined]);
  expect(asked).toBe(0);
  expect(entry.content).toEqual({ text: 'said' });
  expect(asked).toBe(1);
});

test('what it has not is absent in it', () => {
  const entry = new LateEntry(7, 3, 'note', { content: null }, undefined, true);
  expect(['key' in entry, 'byTaskId' in entry, entry.head]).toEqual([false, false, true]);
});
