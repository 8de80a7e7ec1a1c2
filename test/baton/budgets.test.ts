/** Packets under budgets from 500 to 8,000 tokens: never over, the order of packing kept, goal and constraints to the smallest. */
import { expect, test } from 'vitest';
import { packingOrder } from '../../server/baton/packing-order.ts';
import { renderBaton } from '../../server/baton/render.ts';
import { compileThread } from '../../server/drive/compile.ts';
import { parseCommandLine } from '../../server/main/arguments.ts';
import { began } from './planted/beat.ts';
import { PlantedHome } from './planted/planted-home.ts';
import { factNames } from './planted/session.ts';
import type { FactName, PlantedSession } from './planted/session.ts';
import { plantedSessions } from './planted/sessions/all.ts';

const budgets = [500, 1000, 2000, 4000, 8000] as const;
const always: readonly FactName[] = ['goal', 'firstConstraint', 'secondConstraint'];

async function packetsOf(session: PlantedSession): Promise<readonly { markdown: string; tokens: number }[]> {
  await using home = await PlantedHome.of(session);
  const options = { to: null, budget: null, now: began + 48 * 3_600_000, salt: 'salt', facts: () => Promise.resolve(null) };
  const { baton } = await compileThread(home.ledger.ledger, home.thread, options);
  return budgets.map((budgetTokens) => renderBaton(baton, { budgetTokens }));
}

const named = plantedSessions.map((session) => [`${session.harness}: ${session.name}`, session] as const);
test.each(named)('a smaller budget leaves away from the end of the order: %s', async (_, session) => {
  const packets = await packetsOf(session);
  const told = packets.map(({ markdown }) => factNames.filter((fact) => session.facts[fact].test(markdown)));
  for (const [index, { markdown, tokens }] of packets.entries()) {
    expect(tokens).toBeLessThanOrEqual(budgets[index] ?? 0);
    expect(told[index]).toEqual(expect.arrayContaining([...always]));
    expect(markdown).toMatch(/^# Hand-over from /);
    expect(markdown).toContain('## Full history');
    // What a smaller one tells, a greater one tells as well.
    if (index > 0) expect(told[index]).toEqual(expect.arrayContaining(told[index - 1] ?? []));
  }
  expect(told[0]?.length).toBeGreaterThanOrEqual(6);
  expect(told[1]?.length).toBeGreaterThanOrEqual(11);
  expect(told[4]).toEqual([...factNames]);
});

test('the help of the command tells the order, and the list of all commands does not', () => {
  const own = parseCommandLine(['baton', '--help']);
  const all = parseCommandLine(['--help']);
  expect('usage' in own && own.usage).toContain(packingOrder);
  expect('usage' in all && all.usage).toContain('loom baton THREAD');
  expect('usage' in all && all.usage).not.toContain(packingOrder);
});
