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

test('installed agents come first, the last choice before the others, the own agent after them, and who cannot receive last', () => {
  const all = [
    status('claude'),
    status('codex'),
    status('pi'),
    status('openclaw', { installed: null }),
    status('gemini', { canReceive: false, installed: null, reason: 'Gemini CLI was not found.' }),
  ];
  const choices = harnessChoices(sampleThread(), all, 'pi');
  expect(choices.map((choice) => choice.harness)).toEqual(['pi', 'codex', 'openclaw', 'claude', 'gemini']);
  expect(choices.map((choice) => choice.group)).toEqual(['installed', 'installed', 'missing', 'same', 'refused']);
});

test('who drove the thread before comes first of all, with the turns that came since', () => {
  const thread = sampleThread({ harness: 'codex', returns: [{ harness: 'claude', turns: 6 }] });
  const [first, second] = harnessChoices(thread, [status('codex'), status('pi'), status('claude')], 'pi');
  expect([first?.harness, first?.description]).toEqual(['claude', 'return with 6 new turns']);
  expect(first?.detail).toMatch(/^Its own session goes on/u);
  expect(second?.harness).toBe('pi');
  const one = sampleThread({ harness: 'codex', returns: [{ harness: 'claude', turns: 1 }] });
  expect(harnessChoices(one, [status('claude')], undefined)[0]?.description).toBe('return with 1 new turn');
});

test('an agent whose program is gone is no return, even when the thread was there before', () => {
  const thread = sampleThread({ harness: 'codex', returns: [{ harness: 'claude', turns: 6 }] });
  expect(harnessChoices(thread, [status('claude', { installed: null })], undefined)[0]?.group).toBe('missing');
});

test('each row says what that agent will get', () => {
  const verified = [{ from: 'claude' as const, version: '0.171.0' }];
  const words = (over: Partial<HarnessStatus>): string | undefined =>
    harnessChoices(sampleThread(), [status('codex', over)], undefined)[0]?.description;
  expect(words({ verified, version: '0.171.0' })).toBe('native history, verified with 0.171.0');
  expect(words({ verified, version: '0.180.0' })).toBe('native history, not verified with 0.180.0 (verified with 0.171.0)');
  expect(words({ modes: ['prompt'] })).toBe('brief only: summary and plan, not the native history');
});

test('an agent whose native session is only written when it is asked for has two rows, the brief first, and the other says what was seen', () => {
  const losses = ['Ids of tool calls are changed.'];
  const agy = status('antigravity', { modes: ['prompt', 'native'], losses, version: '1.1.16' });
  const [brief, native, ...more] = harnessChoices(sampleThread(), [agy], 'antigravity');
  expect(more).toEqual([]);
  expect(brief).toMatchObject({ mode: null, losses: [], detail: '', refusal: null });
  expect(brief?.description).toBe('brief only: summary and plan, not the native history');
  expect(native).toMatchObject({ harness: 'antigravity', mode: 'native', losses, detail: `Not as it was: ${losses[0]}` });
  expect(native?.description).toBe('native history, not verified with 1.1.16');
  expect(harnessChoices(sampleThread(), [status('codex', { modes: ['native', 'prompt'] })], undefined)).toHaveLength(1);
});

test('what will be lost stands in the row, the first of it whole', () => {
  const losses = ['Thinking does not cross.', 'Foreign tool calls become text.'];
  const [choice] = harnessChoices(sampleThread(), [status('codex', { losses })], undefined);
  expect(choice?.detail).toBe('Not as it was: Thinking does not cross. And 1 more.');
  expect(choice?.losses).toEqual(losses);
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

test('where no program is found, another agent still comes before the own one', () => {
  const none = [status('claude', { installed: null }), status('codex', { installed: null })];
  expect(harnessChoices(sampleThread({ harness: 'claude' }), none, undefined).map((choice) => choice.harness)).toEqual([
    'codex',
    'claude',
  ]);
});
