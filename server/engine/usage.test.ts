/** What attempts have used: rows and totals (engine specification 8.2). */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { usage, usageTotals } from './usage.ts';
import type { UsageRow } from './usage.ts';
import { AgentSession, echo } from './testing/agent-session.ts';
import type { AgentModel } from './testing/agent-kinds.ts';

async function started(model: AgentModel = echo) {
  const session = new AgentSession(onTestFinished, { model });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}
const tokens = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 });

test('a settlement records a row for its attempt and the totals with it', async () => {
  const { session, engine, root } = await started(() => ({
    text: ['hello'],
    usage: { tokens: { input: 5, output: 2, cacheRead: 100, cacheWrite: 7 }, cost: 0.25 },
  }));
  await root.settings.set({ model: 'large' });
  await root.prompt('one');
  await root.prompt('two');
  const rows = engine.readList(usage).items.map(({ value }) => value);
  expect(rows).toMatchObject([{ conversation: root.id, model: 'large', cost: 0.25 }, { model: 'large' }]);
  const generations = engine.tasks({ kind: 'generation', limit: 9 }).items;
  expect(rows.map(({ task }) => task)).toEqual(generations.map(({ id }) => id));
  const totals = {
    attempts: 2,
    unknownTokens: 0,
    unknownCost: 0,
    tokens: { input: 10, output: 4, cacheRead: 200, cacheWrite: 14 },
    cost: 0.5,
  };
  expect(engine.readValue(usageTotals)).toEqual(totals);
  expect((await session.reopen()).readValue(usageTotals)).toEqual(totals);
});

test('an attempt that told nothing is unknown, not zero, a failed one too', async () => {
  let attempt = 0;
  const { engine, root } = await started(() => {
    attempt++;
    if (attempt === 1) throw new Error('the provider is away');
    return { text: ['hello'], usage: attempt === 2 ? { tokens: tokens(1, 1) } : { cost: 2 } };
  });
  for (const said of ['one', 'two', 'three']) await root.prompt(said);
  expect(engine.readValue(usageTotals)).toEqual({
    attempts: 3,
    unknownTokens: 2,
    unknownCost: 2,
    tokens: tokens(1, 1),
    cost: 2,
  });
  expect(engine.readList(usage).items[0]?.value).not.toHaveProperty('tokens');
});

test('several rows of one commit all count, of several conversations too', async () => {
  const { engine, root } = await started();
  await root.commit((tx) => {
    const other = tx.createConversation();
    tx.usage({ tokens: tokens(1, 0), cost: 1 });
    tx.in(other).usage({ tokens: tokens(2, 0), cost: 2 });
    tx.whole.usage({ conversation: other, task: 7, model: 'small' });
  });
  expect(engine.readValue(usageTotals)).toMatchObject({ attempts: 3, unknownTokens: 1, tokens: tokens(3, 0), cost: 3 });
  expect(engine.readList(usage).items.map(({ value }) => value.conversation === root.id)).toEqual([true, false, false]);
});

test('a commit that fails has used nothing', async () => {
  const { engine, root } = await started();
  const failing = root.commit((tx) => {
    tx.usage({ cost: 1 });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect([engine.readValue(usageTotals), engine.readList(usage).items]).toEqual([undefined, []]);
});

test('the totals are what a fold over all rows gives, however they were committed', async () => {
  const row = fc.record(
    { tokens: fc.constantFrom(tokens(1, 2), tokens(30, 0)), cost: fc.constantFrom(0, 0.5, 2) },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 4 }), { maxLength: 6 }), async (commits) => {
      const { engine, root } = await started();
      for (const rows of commits) await root.commit((tx) => rows.forEach((one) => tx.usage(defined(one))));
      const all = engine.readList(usage).items.map(({ value }) => value);
      const sum = (of: (one: UsageRow) => number) => all.reduce((total, one) => total + of(one), 0);
      expect(all).toHaveLength(commits.flat().length);
      if (all.length === 0) return;
      expect(engine.readValue(usageTotals)).toEqual({
        attempts: all.length,
        unknownTokens: all.filter((one) => one.tokens === undefined).length,
        unknownCost: all.filter((one) => one.cost === undefined).length,
        tokens: tokens(
          sum((one) => one.tokens?.input ?? 0),
          sum((one) => one.tokens?.output ?? 0),
        ),
        cost: sum((one) => one.cost ?? 0),
      });
    }),
    { seed: 20, numRuns: 25 },
  );
});

function defined({ tokens: counted, cost }: { readonly tokens?: UsageRow['tokens']; readonly cost?: number | undefined }) {
  return { ...(counted === undefined ? {} : { tokens: counted }), ...(cost === undefined ? {} : { cost }) };
}
