import { expect, test } from 'vitest';
import type { ContinueResult } from '../server/protocol/requests.ts';
import { handOverDetails } from './hand-over-details.ts';

const result: ContinueResult = {
  thread: 't1',
  harness: 'codex',
  mode: 'native',
  nativeId: 'x1',
  path: '/home/user/.codex/sessions/x1.jsonl',
  command: { argv: ['codex', 'resume', 'x1'], cwd: '/home/user/shop', env: {} },
  baton: '# Baton',
  disclosure: { from: 'claude', to: 'codex', bytes: 5140, messages: 31, files: ['a.ts', 'b.ts'], masked: 3, quoted: 1 },
  lease: null,
  consent: 'needed',
  warnings: ['Codex is not logged in.'],
};

test('every named file, every loss and every remark is listed', () => {
  const text = handOverDetails('Fix it', result, ['Thinking does not cross.']);
  expect(text).toContain('Files that are named (2)\n  a.ts\n  b.ts\n');
  expect(text).toContain('What does not arrive as it was (1)\n  Thinking does not cross.\n');
  expect(text).toContain('Remarks (1)\n  Codex is not logged in.\n');
  expect(text).toContain('Secrets masked: 3');
  expect(text).toContain('needs your agreement');
});

test('a name cannot begin a line of its own', () => {
  const files = ['evil.ts\n\nSecrets masked: 0\n', 'a\u202Eb.ts'];
  const text = handOverDetails('x\ny', { ...result, disclosure: { ...result.disclosure, files } }, []);
  expect(text.split('\n').filter((line) => line.trim().startsWith('Secrets masked'))).toHaveLength(1);
  expect(text).not.toContain('\u202E');
});

test('a brief says that it is none of the history', () => {
  expect(handOverDetails('x', { ...result, mode: 'prompt' }, [])).toContain('summary and plan, not the native history');
});
