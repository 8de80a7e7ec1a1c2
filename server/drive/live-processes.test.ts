/** Which processes are alive, and since when, in what each platform's machine tells. */
import { expect, test } from 'vitest';
import type { Machine } from '../../shuttles/contract/shuttle.ts';
import { machineOf, thisSystem } from '../../shuttles/kit/machine.ts';
import { liveProcesses } from './live-processes.ts';

const machine = (starts: Readonly<Record<number, string>>, stat?: string): Machine => ({
  list: () => [],
  text: (path) => (path === '/proc/stat' ? stat : undefined),
  isFile: () => false,
  processStart: (pid) => starts[pid],
  isLocked: () => undefined,
});

test('ended processes are not told, each live one once, with its start in milliseconds since 1970', () => {
  const at = Date.UTC(2026, 8, 10, 9, 0, 0);
  const linux = machine({ 7: '12345' }, `cpu 1 2\nbtime ${at / 1000}\nprocesses 9\n`);
  expect(liveProcesses(linux, 'linux', [7, 8, 7])).toEqual([{ pid: 7, startedAt: at + 123_450 }]);
  expect(liveProcesses(machine({ 7: '12345' }), 'linux', [7])).toEqual([{ pid: 7, startedAt: null }]);
  const windows = machine({ 7: String((at + 11_644_473_600_000) * 10_000) });
  expect(liveProcesses(windows, 'win32', [7])).toEqual([{ pid: 7, startedAt: at }]);
  const darwin = machine({ 7: 'Mon Sep 14 09:05:00 2026', 8: 'no date' });
  expect(liveProcesses(darwin, 'darwin', [7, 8])).toEqual([
    { pid: 7, startedAt: new Date(2026, 8, 14, 9, 5, 0).getTime() },
    { pid: 8, startedAt: null },
  ]);
});

test.runIf(process.platform === 'linux')('this very process is alive, and began a short while ago', () => {
  const [self] = liveProcesses(machineOf('linux', thisSystem()), 'linux', [process.pid]);
  const began = Date.now() - process.uptime() * 1000;
  expect(Math.abs((self?.startedAt ?? 0) - began)).toBeLessThan(60_000);
});
