import { expect, test } from 'vitest';
import { waitUntilIdle, type IdleWait } from './idle-wait.ts';

/** A thread whose driver is steered by hand. */
function driven() {
  const listeners = { change: new Set<() => void>(), tick: new Set<() => void>(), cancel: new Set<() => void>() };
  const on = (name: keyof typeof listeners) => (listener: () => void) => {
    listeners[name].add(listener);
    return () => void listeners[name].delete(listener);
  };
  const trials: { resolve: (result: string | undefined) => void; reject: (error: unknown) => void }[] = [];
  const state = { idle: false };
  const wait: IdleWait<string> = {
    attempt: async () => new Promise((resolve, reject) => trials.push({ resolve, reject })),
    looksIdle: () => state.idle,
    onChange: on('change'),
    onTick: on('tick'),
    onCancel: on('cancel'),
  };
  const fire = (name: keyof typeof listeners): void => {
    for (const listener of listeners[name]) listener();
  };
  const left = (): number => Object.values(listeners).reduce((sum, set) => sum + set.size, 0);
  return { wait, state, trials, fire, left };
}
const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('it goes on by itself when the thread turns idle, and listens no more', async () => {
  const { wait, state, trials, fire, left } = driven();
  const waited = waitUntilIdle(wait);
  fire('change');
  expect(trials).toHaveLength(0);
  state.idle = true;
  fire('change');
  trials[0]?.resolve('went');
  expect(await waited).toBe('went');
  expect(left()).toBe(0);
});

test('a thread that looks idle and is still driven is waited for on', async () => {
  const { wait, state, trials, fire } = driven();
  const waited = waitUntilIdle(wait);
  state.idle = true;
  fire('change');
  trials[0]?.resolve(undefined);
  await turn();
  fire('tick');
  trials[1]?.resolve('went');
  expect(await waited).toBe('went');
});

test('what happens during a trial leads to one more, never to two at once', async () => {
  const { wait, state, trials, fire } = driven();
  const waited = waitUntilIdle(wait);
  state.idle = true;
  fire('change');
  fire('change');
  fire('tick');
  expect(trials).toHaveLength(1);
  trials[0]?.resolve(undefined);
  await turn();
  expect(trials).toHaveLength(2);
  trials[1]?.resolve('went');
  expect(await waited).toBe('went');
});

test('whoever gives up is let go at once, and a late trial changes nothing', async () => {
  const { wait, trials, fire, left } = driven();
  const waited = waitUntilIdle(wait);
  fire('tick');
  fire('cancel');
  expect(await waited).toBeUndefined();
  trials[0]?.resolve('too late');
  await turn();
  expect(left()).toBe(0);
});

test('another failure than being driven ends the waiting', async () => {
  const { wait, trials, fire } = driven();
  const waited = waitUntilIdle(wait);
  fire('tick');
  trials[0]?.reject(new Error('no such thread'));
  await expect(waited).rejects.toThrow('no such thread');
});
