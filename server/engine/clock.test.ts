/** The system's clock as executions see it, with the platform's timers and time in the hands of the test. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sleep, systemClock } from './clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test('it calls once, at the time and not before, also when the clock is set back meanwhile [5.2-14]', () => {
  const calls: number[] = [];
  systemClock.at(1000, () => calls.push(Date.now()));
  vi.advanceTimersByTime(600);
  vi.setSystemTime(100);
  vi.advanceTimersByTime(400);
  expect([Date.now(), calls]).toEqual([500, []]);
  vi.advanceTimersByTime(5000);
  expect([calls, vi.getTimerCount()]).toEqual([[1000], 0]);
});

test('it waits for longer than a timer of the platform can count', () => {
  const month = 31 * 24 * 3600 * 1000;
  const calls: number[] = [];
  systemClock.at(month, () => calls.push(Date.now()));
  vi.advanceTimersByTime(month - 1);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(calls).toEqual([month]);
});

test('what is called off is not called, and a sleep that is aborted leaves no timer [5.2-14]', async () => {
  const calls: number[] = [];
  systemClock.at(1000, () => calls.push(1))();
  const controller = new AbortController();
  const sleeping = sleep(systemClock, 1000, controller.signal);
  controller.abort();
  await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(5000);
  expect(calls).toEqual([]);
});
