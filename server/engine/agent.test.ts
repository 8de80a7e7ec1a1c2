/** The agent that the tests use follows the engine specification 5.5 and 8: what is proven with it is proven of such kinds. */
import { expect, onTestFinished, test } from 'vitest';
import { toolResultKind } from './built-in/entry-kinds.ts';
import { AgentSession, Gate, transcript } from './testing/agent-session.ts';
import { textOf } from './testing/agent-kinds.ts';
import type { AgentReply, AgentScript } from './testing/agent-kinds.ts';

const calls = ['a', 'b'].map((id) => ({ id, name: id, arguments: {} }));

/** Calls two tools, then says what they returned. */
function twoTools(more: Partial<Exclude<AgentReply, string>> = {}): AgentScript['model'] {
  return ({ messages }) =>
    messages.some(({ role }) => role === 'toolResult')
      ? messages
          .filter(({ role }) => role === 'toolResult')
          .map(textOf)
          .join(' ')
      : { text: ['both'], calls, ...more };
}

async function started(script: AgentScript) {
  const session = new AgentSession(onTestFinished, script);
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}

test.each([
  ['the first settles first', [0, 1]],
  ['the second settles first', [1, 0]],
])('parallel tools join once, %s, and the model sees results in call order [5.5-1] [10.2-8]', async (_name, order) => {
  const gates = [new Gate(), new Gate()];
  const run =
    (i: number) =>
    async (_call: unknown, { signal }: { readonly signal: AbortSignal }) => {
      await gates[i]?.pass(signal);
      return `of ${i}`;
    };
  const { engine, root } = await started({ model: twoTools(), tools: { a: run(0), b: run(1) } });
  const prompting = root.prompt('go');
  await Promise.all(gates.map(async (gate) => gate.arrived(1)));
  for (const [turn, i] of order.entries()) {
    gates[i]?.open();
    await until(() => engine.entries(root.id, { kind: 'tool_result', limit: 9 }).items.length > turn);
  }
  expect(textOf(await prompting)).toBe('of 0 of 1');
  expect(engine.tasks({ kind: 'post_tools', limit: 9 }).items).toMatchObject([{ status: 'done' }]);
  expect(engine.tasks({ kind: 'generation', limit: 9 }).items).toHaveLength(2);

  async function until(isSo: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = await engine.watch(root.id, { tail: 0 });
    watch.start(() => (isSo() ? resolve() : undefined));
    if (!isSo()) await promise;
    watch.unsubscribe();
  }
});

test('sequential tools run one after the other [5.5-2]', async () => {
  const log: string[] = [];
  const run = (name: string) => async () => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
  const { root } = await started({ model: twoTools({ sequential: true }), tools: { a: run('a'), b: run('b') } });
  await root.prompt('go');
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a tool that fails has an error result, one that terminates ends the turn, a handoff comes behind the exchange', async () => {
  const failing = await started({ model: twoTools(), tools: { a: () => 'fine' } });
  await failing.root.prompt('go');
  const results = failing.engine.entries(failing.root.id, { kind: 'tool_result', limit: 9 }).items;
  expect(results.map((entry) => toolResultKind.is(entry) && entry.content.isError).filter((isError) => isError)).toHaveLength(1);

  const ending = await started({ model: twoTools(), tools: { a: () => ({ text: 'enough', terminate: true }), b: () => 'fine' } });
  await ending.root.prompt('go');
  expect(transcript(ending.root)).toHaveLength(4);
  expect(ending.engine.liveTasks()).toEqual([]);

  let turns = 0;
  const handing = await started({
    model: (request) => (++turns === 1 ? twoTools()(request) : 'after the handoff'),
    tools: { a: () => ({ text: 'leave', handoff: 'anew' }), b: () => 'fine' },
  });
  await handing.root.prompt('go');
  const kinds = transcript(handing.root).map((line) => line.split(':')[0]);
  expect(kinds).toEqual(['user', 'assistant', 'tool_result', 'tool_result', 'handoff', 'assistant']);
});

test('what had been streamed when the process ended is kept for display and reaches no model', async () => {
  const { session, engine, root } = await started({ model: () => ({ text: ['par', 'tial', ...Array<string>(1000).fill('.')] }) });
  const watch = await engine.watch(root.id, { tail: 9 });
  const closed = Promise.withResolvers<void>();
  watch.start(() => {
    const text = JSON.stringify(Object.values(watch.view.previews));
    if (text.startsWith('[{"text":"partial')) closed.resolve(engine.close());
  });
  await root.accept('go');
  expect(await root.drive()).toBe('closed');
  await closed.promise;
  const again = await (await session.reopen()).root();
  await again.drive();
  expect(transcript(again)).toEqual(['user: go', expect.stringMatching(/^assistant: partial\.{0,999}$/u)]);
  expect(again.contextMessages().map(({ role }) => role)).toEqual(['user']);
});
