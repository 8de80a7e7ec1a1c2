import { expect, test } from 'vitest';
import { driversHere, newlyWaiting } from './drivers.ts';
import { sampleThread } from './sample-thread.ts';

test('of the live threads here, the one that waits for the person comes first', () => {
  const threads = [
    sampleThread({ id: 'works', live: true, state: 'working' }),
    sampleThread({ id: 'waits', live: true, state: 'waiting' }),
    sampleThread({ id: 'elsewhere', live: true, state: 'waiting', cwd: '/elsewhere' }),
    sampleThread({ id: 'over', live: false }),
  ];
  expect(driversHere(threads, ({ cwd }) => cwd === '/home/user/shop').map((thread) => thread.id)).toEqual(['waits', 'works']);
});

test('a thread that is seen waiting for the first time did not begin to wait', () => {
  const works = sampleThread({ live: true, state: 'working' });
  const waits = sampleThread({ live: true, state: 'waiting' });
  expect(newlyWaiting([works], [waits])).toEqual([waits]);
  expect(newlyWaiting([], [waits])).toEqual([]);
  expect(newlyWaiting([waits], [waits])).toEqual([]);
});
