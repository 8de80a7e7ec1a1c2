/** One rule for the names of sessions of all harnesses: what a person gave, else what was generated, else the first words that say something. */
import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { HomeLedger } from '../home-ledger.ts';
import { homeWith, madeHome, madeId, madeLines, row } from './made-sessions.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

const claude = (lines: readonly object[]): string =>
  homeWith(madeLines.claude([]).file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), homes);

async function titleOf(harness: HarnessId, prompts: readonly string[]): Promise<string | undefined> {
  await using ledger = new HomeLedger(madeHome(harness, prompts, homes));
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  const rows = ledger.ledger.threads.newest(10);
  expect(rows.map((thread) => thread.harness)).toEqual([harness]);
  return rows[0]?.title;
}

const hostile: readonly (readonly [string, readonly string[], string])[] = [
  ['a link, then words', ['https://example.org/docs/set-up', 'Summarise this page'], 'Summarise this page'],
  ['only a link', ['https://example.org/docs/set-up'], 'docs set-up (example.org)'],
  ['only signs, then words', ['???', '👍', 'Why is it slow?'], 'Why is it slow?'],
  ['only signs', ['???'], '???'],
  ['an empty line first', ['\n\n  Fix the cart\ntotal'], 'Fix the cart total'],
  ['a block of a program before the words', ['<system-reminder>\nMonday\n</system-reminder>\nFix the cart'], 'Fix the cart'],
  ['a wrapper', ['<user_query>\nFix the cart\n</user_query>'], 'Fix the cart'],
  ['a pasted diff', ['diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nIs this right?'], 'Is this right?'],
  ['pasted code', ['```ts\nconst a = 1;\n```\nWhat does it do?'], 'What does it do?'],
  ['a picture’s mark', ['[Image #1]', 'What is on it?'], 'What is on it?'],
  ['another direction', ['\u202Eשלום עולם\u202C'], 'שלום עולם'],
  ['an emoji and words', ['🚢 ship it'], '🚢 ship it'],
  ['a tag that is meant', ['What does <system-reminder> mean?'], 'What does <system-reminder> mean?'],
  ['a terminal’s codes', ['\u001B[31mred\u001B[0m alert\u0007'], 'red alert'],
];

test.each(harnessIds.flatMap((harness) => hostile.map((one) => [harness, ...one] as const)))(
  '%s: %s',
  async (harness, _, prompts, title) => {
    expect(await titleOf(harness, prompts)).toBe(title);
  },
);

test.each(harnessIds)('%s: a prompt of a megabyte gives a title of one line', async (harness) => {
  const title = await titleOf(harness, [`Explain this log\n${'x=1 y=2\n'.repeat(131_072)}`]);
  expect(title).toMatch(/^Explain this log x=1/u);
  expect(Array.from(title ?? '').length).toBeLessThanOrEqual(200);
});

test('a person’s title is taken as it is, a generated one only when it says something', async () => {
  const titled = (more: readonly object[]): string =>
    claude([row('user', 1, { role: 'user', content: 'Fix the cart' }), ...more]);
  const cases: readonly (readonly [readonly object[], string])[] = [
    [[{ type: 'ai-title', aiTitle: 'Cart total', sessionId: madeId }], 'Cart total'],
    [[{ type: 'ai-title', aiTitle: 'https://example.org/a', sessionId: madeId }], 'Fix the cart'],
    [[{ type: 'ai-title', aiTitle: '<command-message>init</command-message>', sessionId: madeId }], 'Fix the cart'],
    [[{ type: 'ai-title', aiTitle: ' \n ', sessionId: madeId }], 'Fix the cart'],
    [[{ type: 'ai-title', aiTitle: 'Cart total', sessionId: madeId }, { type: 'custom-title', customTitle: 'https://example.org/a', sessionId: madeId }], 'https://example.org/a'],
    [[{ type: 'custom-title', customTitle: '\u202E \u0007', sessionId: madeId }], 'Fix the cart'],
  ];
  for (const [more, title] of cases) {
    await using ledger = new HomeLedger(titled(more));
    await ledger.catchUp();
    expect(ledger.ledger.threads.newest(1)[0]?.title).toBe(title);
  }
});

test('what the editor’s extension puts before a prompt is no part of it, in its own block or in the prompt’s', async () => {
  const opened = '<ide_opened_file>The user opened the file /a/b.ts in the IDE.</ide_opened_file>';
  for (const content of [`${opened}\nFix the cart`, [{ type: 'text', text: opened }, { type: 'text', text: 'Fix the cart' }]]) {
    await using ledger = new HomeLedger(claude([row('user', 1, { role: 'user', content })]));
    await ledger.catchUp();
    expect(ledger.ledger.threads.newest(1)[0]).toMatchObject({ title: 'Fix the cart', turns: 1 });
  }
});
