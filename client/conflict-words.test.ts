import { expect, test } from 'vitest';
import { conflictChoices, conflictSentence, leaseSentence, newConflicts } from './conflict-words.ts';
import { sampleThread } from './sample-thread.ts';

const conflict = { harness: 'claude' as const, nativeId: 'n1', conversation: 4, entries: 3, since: 1000 };
const lease = { epoch: 1, holder: 'codex' as const, since: 0 };

test('a conflict says who went on, where, and how far', () => {
  expect(conflictSentence(conflict)).toBe('Claude Code went on in its old session: 3 entries');
  expect(conflictSentence({ ...conflict, entries: 1 })).toBe('Claude Code went on in its old session: 1 entry');
});

test('its two ways out name the agents, and the sessions where it is the same agent twice', () => {
  expect(conflictChoices(sampleThread({ harness: 'codex', lease }), conflict)).toEqual({
    keep: 'Keep Codex',
    follow: 'Follow Claude Code',
  });
  const same = sampleThread({ lease: { ...lease, holder: 'claude' } });
  expect(conflictChoices(same, conflict)).toEqual({ keep: 'Keep the current session', follow: 'Follow the old session' });
});

test('a conflict is new once, and one that begins after another has ended is new again', () => {
  const thread = sampleThread({ conflict });
  const [first] = newConflicts([thread, sampleThread({ id: 't2' })], new Set());
  expect(first?.thread.id).toBe('t1');
  const told = new Set([first?.key ?? '']);
  expect(newConflicts([sampleThread({ conflict: { ...conflict, entries: 9 } })], told)).toEqual([]);
  expect(newConflicts([sampleThread({ conflict: { ...conflict, since: 2000 } })], told)).toHaveLength(1);
});

test('who holds a thread since when is said only of one that changed hands', () => {
  expect(leaseSentence(sampleThread({ lease }), 720_000)).toBe('Codex holds it since a hand-over 12 min ago');
  expect(leaseSentence(sampleThread({ lease }), 100)).toBe('Codex holds it since a hand-over just now');
  expect(leaseSentence(sampleThread(), 0)).toBe('');
});
