import fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { HomeLedger, copyHome, fixtures } from '../home-ledger.ts';
import { ledgerText } from './ledger-text.ts';

const cases = [
  ['claude/03-tui-rewind-rename', '.claude/projects/-home-user-shop/4316b067-da6d-4123-b486-c402f3b430a7.jsonl'],
  ['claude/04-tui-compact-clear', '.claude/projects/-home-user-shop/aaf843ff-5f5b-42f1-9684-f818f2572fdc.jsonl'],
  ['codex/01-exec-basic', ''],
  [
    'pi/pi-01-1.6.0-print-tools',
    '.pi/agent/sessions/--home-user-shop--/2026-11-30T02-59-37-632Z_01a22a64-c81f-72c7-8bc5-d5d4c4c88d40.jsonl',
  ],
  ['pi/made', '.pi/agent/sessions/--home-user-shop--/2026-11-02T10-00-00-000Z_01a2ee00-0000-7000-8000-000000000005.jsonl'],
] as const;

test.each(cases)(
  '%s read while it is written, in any pieces, gives what reading it at once gives',
  async (fixture, name) => {
    const home = copyHome(path.join(fixtures, fixture));
    const file = path.join(home, name === '' ? firstRollout(home) : name);
    const bytes = fs.readFileSync(file);
    await using whole = new HomeLedger(home);
    await whole.catchUp();
    const expected = await ledgerText(whole.ledger);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { minLength: 1, maxLength: 6 }), async (cuts) => {
        fs.rmSync(file);
        await using pieces = new HomeLedger(home);
        const ends = [...new Set([...cuts, bytes.length])].toSorted((a, b) => a - b);
        let from = 0;
        for (const end of ends) {
          fs.appendFileSync(file, bytes.subarray(from, end));
          await pieces.catchUp();
          from = end;
        }
        expect(await ledgerText(pieces.ledger)).toEqual(expected);
      }),
      { seed: 20261130, numRuns: 12 },
    );
    fs.rmSync(home, { recursive: true, force: true });
  },
  120_000,
);

function firstRollout(home: string): string {
  const found = fs
    .readdirSync(path.join(home, '.codex/sessions'), { recursive: true, encoding: 'utf8' })
    .find((name) => name.endsWith('.jsonl'));
  if (found === undefined) throw new Error('the fixture has no rollout');
  return path.join('.codex/sessions', found);
}
