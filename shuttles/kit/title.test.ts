import fc from 'fast-check';
import { expect, test } from 'vitest';
import { betterPrompt, promptFact, promptTitle } from './title.ts';

test.each([
  ['Fix the cart total', 'Fix the cart total'],
  ['\n\n  \tFix the cart\n\ntotal  ', 'Fix the cart total'],
  ['<system-reminder>\nToday is Monday.\n</system-reminder>\nFix the cart', 'Fix the cart'],
  ['<ide_opened_file>The user opened /a/b.ts</ide_opened_file>\n<ide_selection>x = 1</ide_selection> Explain it', 'Explain it'],
  ['<environment_context>\n<cwd>/a</cwd>\n</environment_context>\n\nList the files', 'List the files'],
  ['<user_query>\nWhy is it slow?\n</user_query>', 'Why is it slow?'],
  ['<USER_REQUEST>Draw a map</USER_REQUEST><ADDITIONAL_METADATA>time</ADDITIONAL_METADATA>', 'Draw a map'],
  ['<task>Paint it</task>\n<context>in the harbor</context>', 'Paint it <context>in the harbor</context>'],
  ['Paint it <system-reminder>no blue</system-reminder> green', 'Paint it green'],
  ['```diff\n-a\n+b\n```\nWhy does this fail?', 'Why does this fail?'],
  ['diff --git a/x b/x\nindex 12ab..34cd 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nIs this right?', 'Is this right?'],
  ['~~~\nsome code\n```\nstill code\n~~~\nRun it', 'Run it'],
  ['> You wrote this\n> and that\nNo, I did not.', 'No, I did not.'],
  ['Error: boom\n    at run (/a/b.js:1:2)', 'Error: boom at run (/a/b.js:1:2)'],
  ['    at run (/a/b.js:1:2)\n    at go (/a/c.js:3:4)\nwhat is this', 'what is this'],
  ['[Image #1] What is on it?', '[Image #1] What is on it?'],
  ['[Image #1]\nWhat is on it?', 'What is on it?'],
  ['https://example.org/a/b\nSummarise this page', 'Summarise this page'],
  ['https://example.org/a/b summarise this page', 'https://example.org/a/b summarise this page'],
  ['שלום \u202Eעולם', 'שלום עולם'],
  ['👍 ship it', '👍 ship it'],
  ['修复购物车', '修复购物车'],
  ['/review 12', '/review 12'],
  ['42', '42'],
])('%j is named %j', (text, line) => {
  expect(promptTitle(text)).toEqual({ line, names: true });
});

test.each([
  ['https://github.com/acme/shop/issues/12?x=1#y', 'acme shop issues 12 (github.com)'],
  ['  http://www.example.org:8080/  ', 'Link to example.org'],
  ['www.example.org/a%20b/%E4%BF%AE', 'a b 修 (example.org)'],
  ['https://user:secret@example.org/%ZZ', '%ZZ (example.org)'],
  ['???', '???'],
  ['👍🎉', '👍🎉'],
  ['```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['[Image #1]', ''],
  ['![picture](data:image/png;base64,AAAA)', ''],
  ['', ''],
  [' \n\t ', ''],
  ['<environment_context>\n<cwd>/a</cwd>\n</environment_context>', ''],
  ['<system-reminder>only this</system-reminder>', ''],
  ['<local-command-stdout>done</local-command-stdout>', ''],
])('%j names nothing, and is shown as %j until something does', (text, line) => {
  expect(promptTitle(text)).toEqual({ line, names: false });
});

test.each([
  '<environment_context> is what I ask about',
  '<Button>OK</Button> does not render',
  'Caveat: rocks ahead. Draw a warning sign.',
  'What does <system-reminder> mean?',
  'a < b && c > d is wrong',
])('%j is a person’s own text and stays', (text) => {
  expect(promptTitle(text)).toEqual({ line: text, names: true });
});

test('a prompt of a megabyte costs its beginning and its end, and its question is found at either', () => {
  const log = 'x=1 y=2 z=3\n'.repeat(90_000);
  expect(promptTitle(`Why is this slow?\n${log}`).line).toMatch(/^Why is this slow\? x=1/u);
  expect(promptTitle(`\`\`\`\n${log}\`\`\`\nWhy is this slow?`)).toEqual({ line: 'Why is this slow?', names: true });
  expect(Array.from(promptTitle('a'.repeat(1_000_000)).line)).toHaveLength(200);
});

test('a better prompt takes the place of one that names nothing, and of no other', () => {
  const link = promptFact('https://example.org/a').line;
  expect(betterPrompt(undefined, link)).toBe(link);
  expect(betterPrompt(link, 'Read it')).toBe('Read it');
  expect(betterPrompt('Read it', 'Write it')).toBe('Read it');
  expect(betterPrompt(link, '!!!')).toBe(link);
  expect(betterPrompt('Read it', undefined)).toBe('Read it');
});

test('any text gives one well-formed line of bounded length, and a fact that is read again is judged the same', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      '<system-reminder>',
      '</system-reminder>',
      '```',
      '\n',
      '\uD800',
      '<a-b>',
      '</a-b>',
      'https://x.y/',
      '[Image #1]',
      'words',
      '\u202E',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      const { line } = promptTitle(text);
      expect(line.isWellFormed()).toBe(true);
      expect(Array.from(line).length).toBeLessThanOrEqual(200);
      // eslint-disable-next-line no-control-regex -- those are the characters to look for
      expect(line).not.toMatch(/[\u0000-\u001F\u202A-\u202E\u2066-\u2069]/u);
      const fact = promptFact(text);
      if (!fact.names) expect(promptTitle(fact.line).names).toBe(false);
    }),
    { seed: 20261130, numRuns: 2000 },
  );
});
