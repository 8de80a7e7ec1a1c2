/**
 * Facts beyond text, for every harness: whatever a session's bytes tell (found by scripts that share nothing with the readers) stands in
 * the ledger, and nothing besides. The table says for each harness and fact whether recorded sessions show it, only one that was made by
 * hand, or why there is none; it is compared with what was met, so that it neither lags behind nor promises too much.
 */
import { afterAll, expect, test } from 'vitest';
import { entryView } from '../../server/main/entry-view.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { HomeLedger } from '../home-ledger.ts';
import { arrived } from './facts/arrived.ts';
import { facts, Found } from './facts/fact.ts';
import { homes, scripts, TempFolder } from './facts/homes.ts';
import { table, type Shown } from './facts/table.ts';

/** Where the script knows less than the reader, with the reason. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['case 24a-codex-fork-replay codex tokens', 'what a legacy fork copied is told apart by the case’s own test, not by a script'],
]);

const met = new Map<string, Shown>();
const differing = new Set<string>();

test.each([...homes()])('%s: what the bytes tell has arrived, nothing else, and in rows that can be read', async (name, make) => {
  using folder = new TempFolder();
  make(folder.path);
  await using home = new HomeLedger(folder.path);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  await expectReadableRows(home);
  const inLedger = await arrived(home);
  for (const harness of Object.keys(scripts) as HarnessId[]) {
    const inBytes = scripts[harness](folder.path);
    const there = inLedger.get(harness) ?? new Found();
    for (const fact of facts) {
      const told = inBytes.of(fact);
      if (told.length > 0 && met.get(`${harness} ${fact}`) !== 'recorded')
        met.set(`${harness} ${fact}`, name.startsWith('made ') ? 'made' : 'recorded');
      const where = `${name} ${harness} ${fact}`;
      if (JSON.stringify(there.of(fact)) !== JSON.stringify(told)) differing.add(where);
      if (!exceptions.has(where)) expect({ where, facts: there.of(fact) }).toEqual({ where, facts: told });
    }
  }
});

/** Every call and every step is a row with a name and a title that a person can read. */
async function expectReadableRows(home: HomeLedger): Promise<void> {
  for (const { session } of home.ledger.threads.newest(1000))
    for (const branch of home.ledger.branches.bySession(session))
      for (const entry of await allEntries(home.ledger, branch.session, branch.conversation)) {
        const view = entryView(entry);
        if (view.kind === 'step') expect(view.title.trim()).not.toBe('');
        if (view.kind === 'notice') expect(view.text.trim()).not.toBe('');
        if (view.kind !== 'assistant') continue;
        for (const call of view.calls) {
          expect(call.name.trim()).not.toBe('');
          expect(call.title, call.input).not.toMatch(/^(?:\{|\[["{[])/);
          // What was given no short value at all has none to show.
          if (/": (?:"[^"]|\d|true|false)/.test(call.input)) expect(call.title.trim(), call.input).not.toBe('');
        }
      }
}

afterAll(() => {
  // Of a selection of the homes the table says nothing.
  if (met.size < 100) return;
  const shown = Object.fromEntries(
    Object.keys(table).flatMap((harness) =>
      facts.map((fact) => {
        const declared = table[harness as HarnessId][fact];
        const found = met.get(`${harness} ${fact}`);
        if (typeof declared !== 'string') expect(declared.absent.length).toBeGreaterThan(20);
        return [`${harness} ${fact}`, found ?? (typeof declared === 'string' ? 'not met' : declared)] as const;
      }),
    ),
  );
  const expected = Object.fromEntries(
    Object.entries(table).flatMap(([harness, of]) => facts.map((fact) => [`${harness} ${fact}`, of[fact]] as const)),
  );
  expect(shown).toEqual(expected);
  expect([...exceptions.keys()].filter((where) => !differing.has(where))).toEqual([]);
});
