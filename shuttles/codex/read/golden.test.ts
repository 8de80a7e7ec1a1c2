/** Real rollouts and what the reader makes of them, side by side in test/golden/codex. UPDATE_GOLDENS=1 rewrites them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, goldens, identityOf, readAll, recordsOf, rolloutsIn } from '../fixture-records.ts';

const chosen = [
  '01-exec-basic',
  '02-exec-code-mode',
  '06-image-stdin-fork',
  '08-subagent-forked-history',
  '10-app-server-mixed',
  '12-tui-compact-rewind',
  '13-claude-import-by-codex',
  '20-old-cli-0.20.0',
  '22-old-cli-0.63.0',
  '24-old-cli-0.125.0',
];

test.each(chosen)('%s reads as it always did', (name) => {
  const lines = rolloutsIn(path.join(fixtures, name)).flatMap((relative) => {
    const file = path.join(fixtures, name, relative);
    const records = recordsOf(file);
    return [{ file: path.basename(file), ...identityOf(file, records) }, ...readAll(file, records)];
  });
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  const golden = path.join(goldens, `${name}.jsonl`);
  if (process.env['UPDATE_GOLDENS'] === '1') {
    fs.mkdirSync(goldens, { recursive: true });
    fs.writeFileSync(golden, text);
  }
  expect(text.split('\n')).toEqual(fs.readFileSync(golden, 'utf8').split('\n'));
});
