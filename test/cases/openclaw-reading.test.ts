/** Public reports of faults in programs that read OpenClaw's files, as small homes: what `case.json` says must hold. Each test names its case. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machineOf, thisSystem } from '../../shuttles/kit/machine.ts';
import { openclawPresence } from '../../shuttles/openclaw/presence.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { cases, HomeLedger } from '../home-ledger.ts';

function caseOf(name: string): { readonly home: string; readonly check: Readonly<Record<string, unknown>> } {
  const folder = path.join(cases, name);
  const { check } = JSON.parse(readFileSync(path.join(folder, 'case.json'), 'utf8')) as { check: Readonly<Record<string, unknown>> };
  return { home: path.join(folder, 'home'), check };
}

/** Every file below the folder, with what a write would change of it. */
function filesIn(folder: string): readonly (readonly [string, string, number])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, readFileSync(file, 'utf8'), statSync(file).mtimeMs] as const);
}

async function said(home: HomeLedger): Promise<string> {
  const texts = await Promise.all(
    home.ledger.threads.newest(100).map((row) => allEntries(home.ledger, row.session, row.current_conversation)),
  );
  return JSON.stringify(texts);
}

test('54: the history is found although the list names a file that never was; reset is archived, deleted hidden', async () => {
  const { home: folder, check } = caseOf('54-openclaw-mapping-rotation');
  await using home = new HomeLedger(folder);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const rows = home.ledger.threads.newest(100);
  expect(rows.filter(({ archived }) => archived === 0)).toHaveLength(check['liveSessions'] as number);
  expect(rows.filter(({ archived }) => archived === 1)).toHaveLength(check['archivedSessions'] as number);
  const text = await said(home);
  for (const words of check['mustContain'] as readonly string[]) expect(text).toContain(words);
  for (const words of check['deletedHidden'] as readonly string[]) expect(text).not.toContain(words);
  expect(rows.map(({ title }) => title).toSorted()).toEqual(['Reset away on purpose.', 'The real long history.']);
});

test('55: locks that were left behind keep nobody from reading, hold no session and stay where they are', async () => {
  const { home: folder, check } = caseOf('55-openclaw-stale-lock');
  const before = filesIn(folder);
  await using home = new HomeLedger(folder);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(home.ledger.threads.newest(100)).toHaveLength(check['sessions'] as number);
  // The platform's own rules for processes; the machine is this one.
  const machine = machineOf('linux', thisSystem());
  const holders = openclawPresence.holders({ platform: 'linux', home: folder, variables: {} }, machine);
  expect(holders).toEqual([]);
  expect(filesIn(folder)).toEqual(before);
});
