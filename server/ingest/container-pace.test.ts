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

test('what archiving costs counts too, and the longer pause holds', async () => {
  let now = 1000;
  const pace = new ContainerPace(() => now);
  const archiving = (cost: number): Promise<void> => pace.archiving('file', () => Promise.resolve((now += cost)));
  pace.opening('file', () => (now += 10));
  await archiving(300);
  now += 5999;
  expect(pace.mayOpen('file')).toBe(false);
  now += 1;
  expect(pace.mayOpen('file')).toBe(true);
  pace.opening('file', () => (now += 200));
  await archiving(10);
  now += 3980;
  expect(pace.mayOpen('file')).toBe(false);
});
