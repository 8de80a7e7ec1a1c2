/** Real sessions and what the reader makes of them, side by side: test/golden/pi, rewritten only with UPDATE_GOLDENS=1. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cases, fixtures, readFile, sessionFiles } from '../fixture-records.ts';

const golden = new URL('../../../test/golden/pi/', import.meta.url).pathname;

const chosen: Readonly<Record<string, string>> = {
  '01-print-tools': 'pi-01-1.6.0-print-tools/',
  '02-version-0.73.1': 'pi-02-0.73.1-print-tools/',
  '03-tree': '2026-11-30T03-17-22-129Z',
  '03-fork': '2026-11-30T03-17-44-193Z',
  '03-clone-and-commands': '2026-11-30T03-17-48-551Z',
  '04-sigint': 'pi-04-1.6.0-sigint-midtool/',
  '05-sigterm': 'pi-05-1.6.0-sigterm-midtool/',
  '07-compaction': 'pi-07-1.6.0-auto-compaction/',
  '10-mcp': '2026-11-30T03-20-13-594Z',
  '10-skill': '2026-11-30T03-20-15-244Z',
  '13-rpc': '2026-11-30T03-02-22-648Z',
  '14-compaction-0.73.1': 'pi-14-0.73.1-auto-compaction/',
  'omp-tools': 'omp-01-18.2.3-print/.omp/agent/sessions/-shop/',
  'omp-sigint': '-sigSIGINT26/',
  'made-edits': '0000-7000-8000-000000000001.jsonl',
  'made-extensions': '0000-7000-8000-000000000003.jsonl',
  'made-branches': '0000-7000-8000-000000000005.jsonl',
  'made-attached': '0000-7000-8000-000000000008.jsonl',
  'case-65-version-1': '65-pi-header/home/.pi/agent/sessions/--srv-demo-harbor-app--/2025-11-01',
  'case-65-no-header': '65-pi-header/home/.pi/agent/sessions/--srv-demo-harbor-app--/2026-09-11',
};
const files = [...sessionFiles(fixtures).filter((name) => !name.includes('handmade')), ...sessionFiles(cases)];

test.each(Object.entries(chosen))('%s reads as its golden file says', (name, part) => {
  const [file, ...others] = files.filter((candidate) => candidate.includes(part));
  expect(others).toEqual([]);
  const { identity, outputs } = readFile(file ?? '');
  const lines = [identity, ...outputs].map((output) => `${JSON.stringify(output)}\n`).join('');
  const kept = path.join(golden, `${name}.jsonl`);
  if (process.env['UPDATE_GOLDENS'] === '1') {
    mkdirSync(golden, { recursive: true });
    writeFileSync(kept, lines);
  }
  expect(existsSync(kept), `${kept} is missing: run with UPDATE_GOLDENS=1`).toBe(true);
  expect(parsed(lines)).toEqual(parsed(readFileSync(kept, 'utf8')));
});

function parsed(lines: string): readonly unknown[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
