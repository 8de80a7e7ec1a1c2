import { expect, test } from 'vitest';
import { ContainerPace } from './container-pace.ts';

test('what is dear to read is read again after a pause that follows its cost, and what is cheap at once', () => {
  let now = 1000;
  const pace = new ContainerPace(() => now);
  pace.opening('dear', () => (now += 200));
  pace.opening('cheap', () => (now += 10));
  expect([pace.mayOpen('dear'), pace.mayOpen('cheap'), pace.mayOpen('new')]).toEqual([false, true, true]);
  now += 4000;
  expect(pace.mayOpen('dear')).toBe(true);
});
