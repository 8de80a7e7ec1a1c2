import { expect, test } from 'vitest';
import { Told } from './told.ts';

/** As VS Code keeps values: what is given back is not the same object. */
function memory(kept: Record<string, unknown> = {}) {
  return {
    kept,
    keys: () => Object.keys(kept),
    get: (name: string, otherwise?: unknown): never => (kept[name] ?? otherwise) as never,
    update: async (name: string, value: unknown): Promise<void> => {
      kept[name] = JSON.parse(JSON.stringify(value)) as unknown;
      return Promise.resolve();
    },
  };
}

test('what was told is known in the next window too', () => {
  const kept = memory();
  new Told(kept, 'stops').add(['a', 'b']);
  expect([...new Told(kept, 'stops').keys]).toEqual(['a', 'b']);
  expect(new Told(kept, 'conflicts').keys.size).toBe(0);
});

test('only the newest are kept, and what is damaged is none', () => {
  const kept = memory({ stops: 7 });
  const told = new Told(kept, 'stops');
  expect(told.keys.size).toBe(0);
  told.add(Array.from({ length: 1000 }, (_, index) => String(index)));
  told.add(['last']);
  expect(told.keys.has('last')).toBe(true);
  expect(told.keys.size).toBeLessThan(500);
});
