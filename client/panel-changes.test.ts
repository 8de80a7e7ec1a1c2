import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ViewEvent } from '../server/protocol/events.ts';
import type { ThreadChanges } from '../server/protocol/world.ts';
import { PanelChanges } from './panel-changes.ts';
import { sampleChanges } from './sample-changes.ts';
import { sampleThread } from './sample-thread.ts';
import { prompt, turn } from './webview/sample-entries.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function panel(ask: () => Promise<ThreadChanges>): {
  readonly changes: PanelChanges;
  readonly told: ThreadChanges[];
  readonly failed: unknown[];
} {
  const [told, failed]: [ThreadChanges[], unknown[]] = [[], []];
  const changes = new PanelChanges(
    ask,
    (one) => told.push(one),
    (error) => failed.push(error),
  );
  return { changes, told, failed };
}
const answer = sampleChanges([]);
const entry = (view: Extract<ViewEvent, { type: 'entry' }>['entry']): ViewEvent => ({ type: 'entry', entry: view });

test('changes are asked for again when a turn ended or the total changed, and not for every line', async () => {
  let asked = 0;
  const { changes } = panel(() => {
    asked += 1;
    return Promise.resolve(answer);
  });
  changes.take([entry(prompt(1, 'x')), entry(turn(2, 'started'))]);
  await vi.runAllTimersAsync();
  expect(asked).toBe(0);
  changes.take([entry(turn(3, 'completed')), entry(prompt(4, 'y'))]);
  changes.take([entry(turn(5, 'failed'))]);
  await vi.runAllTimersAsync();
  expect(asked).toBe(1);
  const total: ViewEvent = { type: 'thread', thread: sampleThread({ changes: { files: 1, added: 2, removed: 0 } }) };
  changes.take([total]);
  await vi.runAllTimersAsync();
  changes.take([total]);
  await vi.runAllTimersAsync();
  expect(asked).toBe(2);
});

test('while an answer is awaited another one is asked for once, after it', async () => {
  const open: ((value: ThreadChanges) => void)[] = [];
  const { changes, told } = panel(() => new Promise((resolve) => open.push(resolve)));
  changes.soon();
  await vi.runAllTimersAsync();
  changes.soon();
  await vi.runAllTimersAsync();
  changes.soon();
  await vi.runAllTimersAsync();
  expect(open).toHaveLength(1);
  open[0]?.(answer);
  await vi.runAllTimersAsync();
  expect(open).toHaveLength(2);
  open[1]?.(answer);
  await vi.runAllTimersAsync();
  expect([open.length, told.length]).toEqual([2, 2]);
});

test('while nobody looks nothing is asked, and a failure is told and forgotten', async () => {
  let asked = 0;
  const { changes, failed } = panel(() => {
    asked += 1;
    return Promise.reject(new Error('gone'));
  });
  changes.soon(500);
  changes.pause();
  await vi.runAllTimersAsync();
  expect(asked).toBe(0);
  changes.soon();
  await vi.runAllTimersAsync();
  expect(failed).toHaveLength(1);
});
