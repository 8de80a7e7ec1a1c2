import { expect, test } from 'vitest';
import type { LedgerEntry, Stored } from '../../shuttles/contract/entry.ts';
import { entryView } from './entry-view.ts';

const origin = {
  at: 5,
  provenance: { harness: 'claude', source: 1, offset: 10, length: 20, translator: 1, trust: 'model' },
} as const;

function entry<K extends LedgerEntry['kind']>(kind: K, content: Omit<Stored<K>, 'at' | 'provenance'>): LedgerEntry {
  return { id: 7, conversationId: 3, kind, content: { ...content, ...origin } } as unknown as LedgerEntry;
}

test('an answer is drawn with its text, its thinking apart, and each call as one line', () => {
  const view = entryView(
    entry('assistant', {
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'never shown' },
        { type: 'text', text: 'I look.' },
        { type: 'toolCall', id: 'a', name: 'Bash', arguments: { command: 'npm\n  test', description: 'Run' } },
        { type: 'toolCall', id: 'b', name: 'Read', arguments: { file_path: '/home/user/shop/a.ts' } },
      ],
      messageId: 'm',
    }),
  );
  expect(view).toMatchObject({
    kind: 'assistant',
    id: 7,
    conversation: 3,
    at: 5,
    text: 'I look.',
    thinking: 'hm',
    messageId: 'm',
    clipped: false,
  });
  expect(view.kind === 'assistant' ? view.calls.map((call) => [call.name, call.title]) : []).toEqual([
    ['Bash', 'npm test'],
    ['Read', '/home/user/shop/a.ts'],
  ]);
  expect(JSON.stringify(view)).not.toContain('never shown');
});

test('long text is clipped for the wire and whole when asked for', () => {
  const long = entry('tool_result', { toolCallId: 'a', content: [{ type: 'text', text: 'x'.repeat(100_000) }], isError: false });
  const clipped = entryView(long);
  expect(clipped).toMatchObject({ clipped: true });
  expect(JSON.stringify(clipped).length).toBeLessThan(20_000);
  expect(entryView(long, true)).toMatchObject({ clipped: false, output: 'x'.repeat(100_000) });
});

test('a picture that is too large for the wire is named without its data', () => {
  const view = entryView(
    entry('user', {
      origin: 'typed',
      content: [
        { type: 'image', mimeType: 'image/png', data: 'A'.repeat(600_000) },
        { type: 'image', mimeType: 'image/png', data: 'AA' },
      ],
    }),
  );
  expect(view).toMatchObject({ images: [{ mimeType: 'image/png' }, { mimeType: 'image/png', data: 'AA' }] });
});
