/** Real sessions and what the reader makes of them, side by side in test/golden/gemini. UPDATE_GOLDENS=1 rewrites them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cases, fixtures, goldens, readRecords, recordsOf } from '../fixture-records.ts';

const chats = '.gemini/tmp/shop/chats';
const chosen: Readonly<Record<string, string>> = {
  session: path.join(fixtures, 'session', chats, 'session-2026-11-30T02-58-f8e9b9bb.jsonl'),
  resumed: path.join(fixtures, 'resumed', chats, 'session-2026-11-30T02-58-f8e9b9bb.jsonl'),
  legacy: path.join(fixtures, 'handmade', chats, 'session-2026-03-01T09-00-legacy.json'),
  'case-51': path.join(cases, '51-gemini-jsonl-ops/home/.gemini/tmp/harbor-app/chats/session-2026-09-10T09-00-ec6ed4ea.jsonl'),
};

test.each(Object.entries(chosen))('%s reads as it always did', (name, file) => {
  const { identity, outputs } = readRecords(recordsOf(file), file.replace(/^.*\/\.gemini/, '/home/user/.gemini'));
  const text = [identity, ...outputs].map((output) => `${JSON.stringify(output)}\n`).join('');
  const golden = path.join(goldens, `${name}.jsonl`);
  if (process.env['UPDATE_GOLDENS'] === '1') {
    fs.mkdirSync(goldens, { recursive: true });
    fs.writeFileSync(golden, text);
  }
  expect(text.split('\n')).toEqual(fs.readFileSync(golden, 'utf8').split('\n'));
});
