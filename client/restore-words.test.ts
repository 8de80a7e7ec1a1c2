import { expect, test } from 'vitest';
import { restorePlaces, restoreWords } from './restore-words.ts';

const file = { path: '/tmp/a.jsonl', from: '/home/user/.claude/a.jsonl', bytes: 2048, sha256: 'ab' };

test('what was restored is counted, and what was not is named with its reason', () => {
  expect(restoreWords({ files: [file, file], missing: [] })).toEqual({
    text: '2 session files restored byte for byte, 4.1 KB.',
    isWhole: true,
  });
  const missing = { path: '/home/user/.claude/b.jsonl', reason: 'is not archived yet' };
  expect(restoreWords({ files: [file], missing: [missing, missing] })).toEqual({
    text: '1 session file restored byte for byte, 2.0 KB. /home/user/.claude/b.jsonl is not archived yet. And 1 more.',
    isWhole: false,
  });
  expect(restoreWords({ files: [], missing: [missing] }).text).toMatch(/^No session file was restored\. /u);
});

test('a path that plays tricks stays one line of plain text', () => {
  const { text } = restoreWords({ files: [], missing: [{ path: '/a\n\u202e$(rm)', reason: 'was gone' }] });
  expect(text).not.toMatch(/[\n\u202e]/u);
});

test('a file that is gone can go back to where it was; one that is there can only be copied', () => {
  const native = [{ harness: 'claude' as const, id: 'a', path: '/home/user/.claude/projects/a.jsonl' }];
  const [back, elsewhere] = restorePlaces({ sourceGone: true, harness: 'claude', native });
  expect(back).toMatchObject({
    place: 'back',
    detail: 'Claude Code finds the session again. /home/user/.claude/projects/a.jsonl',
  });
  expect(elsewhere?.place).toBe('elsewhere');
  expect(restorePlaces({ sourceGone: false, harness: 'claude', native }).map(({ place }) => place)).toEqual(['elsewhere']);
});
