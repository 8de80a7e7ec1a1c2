import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHostMessage, decodeIntent, decodePanelState } from './messages.ts';
import { sampleChanges, sampleFile, sampleTurn } from '../sample-changes.ts';
import { prompt } from './sample-entries.ts';

test('an intent keeps only what it is known to hold', () => {
  expect(decodeIntent({ type: 'older', limit: 500, extra: 1 })).toEqual({ type: 'older', limit: 500 });
  expect(decodeIntent({ type: 'follow', conversation: null, reveal: 3 })).toEqual({
    type: 'follow',
    conversation: null,
    reveal: 3,
  });
  expect(decodeIntent({ type: 'openFile', path: 'a.ts', line: null })).toEqual({ type: 'openFile', path: 'a.ts', line: null });
});

test('a way back names an agent that is known', () => {
  expect(decodeIntent({ type: 'returnTo', harness: 'claude' })).toEqual({ type: 'returnTo', harness: 'claude' });
  expect(decodeIntent({ type: 'returnTo', harness: 'constructor' })).toBeUndefined();
  expect(decodeIntent({ type: 'followConflict', thread: 'x' })).toEqual({ type: 'followConflict' });
});

test('an intent that is not whole is no intent', () => {
  const broken = [
    null,
    'older',
    { type: 'older', limit: -1 },
    { type: 'older', limit: 1e300 },
    { type: 'openFile', path: '', line: null },
    { type: 'openFile', path: 'x'.repeat(5000), line: null },
    { type: 'openLink' },
    { type: 'constructor' },
    { type: 'copy', text: 1 },
  ];
  expect(broken.map((value) => decodeIntent(value))).toEqual(broken.map(() => undefined));
});

test('events that cannot be drawn are dropped, and the rest are taken', () => {
  const events = [
    { type: 'entry', entry: prompt(1, 'a') },
    { type: 'entry', entry: { kind: 'user' } },
    { type: 'older', entries: 7 },
    null,
    { type: 'readAt', readAt: 3 },
  ];
  expect(decodeHostMessage({ type: 'events', events })).toEqual({ type: 'events', events: [events[0], events[4]] });
});

test('whatever comes, decoding does not throw', () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom('view', 'events', 'found', 'reveal', 'ready', 'older', 'copy'), (value, type) => {
      for (const message of [value, { type, view: value, events: value, hits: value, entry: value, words: value, tail: value }]) {
        decodeIntent(message);
        decodeHostMessage(message);
        decodePanelState(message);
      }
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('the state of a panel is restored only with a thread', () => {
  expect(decodePanelState({ thread: 't1', conversation: 2, title: 'x' })).toEqual({ thread: 't1', conversation: 2, title: 'x' });
  expect(decodePanelState({ thread: 't1', conversation: 'x' })).toEqual({ thread: 't1', conversation: null, title: '' });
  expect(decodePanelState({ conversation: 2 })).toBeUndefined();
  expect(decodePanelState(undefined)).toBeUndefined();
});

test('changes are shown and restored between two snapshots, whole or one file', () => {
  const whole = { type: 'restoreChanges', before: 1, after: 2, path: null };
  expect(decodeIntent({ ...whole, force: true })).toEqual(whole);
  expect(decodeIntent({ type: 'showChanges', before: 1, after: 2, path: 'a.ts' })).toBeDefined();
  for (const broken of [{ before: '1' }, { after: -1 }, { path: '' }, { path: undefined }])
    expect(decodeIntent({ ...whole, ...broken })).toBeUndefined();
});

test('changes that are not whole are dropped', () => {
  const changes = sampleChanges([sampleTurn(3, 1, [sampleFile('a.ts')])]);
  expect(decodeHostMessage({ type: 'changes', changes })).toEqual({ type: 'changes', changes });
  for (const turns of [
    null,
    [null],
    [{}],
    [{ ...sampleTurn(3, 1, []), harness: 'constructor' }],
    [{ ...sampleTurn(3, 1, []), files: [1] }],
    [{ ...sampleTurn(3, 1, []), last: '4' }],
    [{ ...sampleTurn(3, 1, []), conversation: undefined }],
  ])
    expect(decodeHostMessage({ type: 'changes', changes: { ...changes, turns } })).toBeUndefined();
});
