/** Real sessions and what the reader makes of them, side by side: test/golden/openclaw, rewritten only with UPDATE_GOLDENS=1. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copiedDatabase } from '../../../test/openclaw-home.ts';
import { fixtures, noSidecars, readFile, readRecords, type Reading } from '../fixture-records.ts';
import { openclawContainer } from '../store/container.ts';

const golden = new URL('../../../test/golden/openclaw/', import.meta.url).pathname;
const agent = (home: string): string => path.join(fixtures, home, '.openclaw/agents/main');

const rows: Readonly<Record<string, readonly [string, string]>> = {
  '01-local': ['oc-01-2026.9.6-local', '748ce3a8-c164-4d15-9342-e546c70ed9a0'],
  '01-own-key': ['oc-01-2026.9.6-local', '6c94a9cb-330d-405b-a56c-28964398f30d'],
  '02-main': ['oc-02-2026.9.6-telegram-gateway', 'dc1f685f-3a20-4a1a-a1fb-7f29550b68cf'],
  '02-group': ['oc-02-2026.9.6-telegram-gateway', '8840cda8-5e2e-4291-84df-35aa5c840935'],
  '02-acp': ['oc-02-2026.9.6-telegram-gateway', 'df790714-6bce-437f-866e-7492767c4c5e'],
};
const legacy = path.join(agent('oc-03-2026.6.11-legacy-jsonl'), 'sessions');
const files: Readonly<Record<string, string>> = {
  '03-reset': '396a8e74-b6ad-4c9c-a0f1-eefc232969e6',
  '03-after-new': '412ac0a7-9968-4d01-b1c0-59626ba9e41d',
  '03-group': 'afabc87d-95a5-4156-a460-98440b6956fc',
};
const databases = new Map(
  [...new Set(Object.values(rows).map(([home]) => home))].map((home) => [
    home,
    copiedDatabase(path.join(agent(home), 'agent/openclaw-agent.sqlite')),
  ]),
);
afterAll(() => databases.forEach((database) => database[Symbol.dispose]()));

test.each(Object.entries(rows))('rows: %s reads as its golden file says', (name, [home, id]) => {
  const database = databases.get(home);
  if (database === undefined) throw new Error(home);
  const held = { form: 'database', path: '/db', tables: database.tables } as const;
  compare(name, readRecords(`/db#${id}`, [...openclawContainer.records(held, id, 0, noSidecars)]));
});

test.each(Object.entries(files))('files: %s reads as its golden file says', (name, id) => {
  const file = readdirSync(legacy).find((candidate) => candidate.startsWith(id));
  compare(name, readFile(path.join(legacy, file ?? '')));
});

function compare(name: string, { identity, outputs }: Reading): void {
  const lines = [identity, ...outputs].map((output) => `${JSON.stringify(output)}\n`).join('');
  const kept = path.join(golden, `${name}.jsonl`);
  if (process.env['UPDATE_GOLDENS'] === '1') {
    mkdirSync(golden, { recursive: true });
    writeFileSync(kept, lines);
  }
  expect(existsSync(kept), `${kept} is missing: run with UPDATE_GOLDENS=1`).toBe(true);
  expect(parsed(lines)).toEqual(parsed(readFileSync(kept, 'utf8')));
}

function parsed(lines: string): readonly unknown[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
