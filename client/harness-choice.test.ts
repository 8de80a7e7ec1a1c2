import { expect, test } from 'vitest';
import type { HarnessStatus } from '../server/protocol/views.ts';
import { harnessChoices } from './harness-choice.ts';
import { sampleThread } from './sample-thread.ts';

const status = (harness: HarnessStatus['harness'], over: Partial<HarnessStatus> = {}): HarnessStatus => ({
  harness,
  roots: [],
  installed: `/usr/bin/${harness}`,
  canReceive: true,
  modes: ['native'],
  version: null,
  verified: [],
  losses: [],
  reason: null,
  ...over,
});

test('the last choice comes first, the own harness after the others, and what cannot receive last', () => {
  const all = [
    status('claude'),
    status('codex'),
    status('pi'),
    status('gemini', { canReceive: false, installed: null, reason: 'Gemini CLI was not found.' }),
  ];
  expect(harnessChoices(sampleThread(), all, 'pi').map((choice) => choice.harness)).toEqual(['pi', 'codex', 'claude', 'gemini']);
});

test('what cannot receive says why and is refused', () => {
  const [choice] = harnessChoices(
    sampleThread(),
    [status('pi', { canReceive: false, reason: 'Loom cannot write its sessions yet.' })],
    undefined,
  );
  expect(choice?.refusal).toBe('Loom cannot write its sessions yet.');
  expect(choice?.detail).toBe('Loom cannot write its sessions yet.');
});

test('a harness without its program can receive but is not started', () => {
  const [first, second] = harnessChoices(sampleThread(), [status('codex', { installed: null }), status('pi')], 'codex');
  expect([first?.harness, first?.starts, second?.harness, second?.starts]).toEqual(['pi', true, 'codex', false]);
});

test('where no program is found, another harness still comes before the own one', () => {
  const none = [status('claude', { installed: null }), status('codex', { installed: null })];
  expect(harnessChoices(sampleThread({ harness: 'claude' }), none, undefined).map((choice) => choice.harness)).toEqual([
    'codex',
    'claude',
  ]);
});

test('a return to an earlier harness is told from a first hand-over', () => {
  const native = [
    { harness: 'claude' as const, id: 'c', path: '/c' },
    { harness: 'codex' as const, id: 'x', path: '/x' },
  ];
  const [choice] = harnessChoices(sampleThread({ harness: 'codex', native }), [status('claude')], undefined);
  expect(choice?.detail).toMatch(/^Returns/u);
});
