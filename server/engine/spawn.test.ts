/** Children: their context, their state, who owns them (engine specification 4.3, 4.4, 5.7, 8.5, 9.1). */
import { expect, onTestFinished, test } from 'vitest';
import { conversationList, conversationValue } from './address.ts';
import { assistantKind, resetKind, summaryKind, toolResultKind, userKind } from './built-in/entry-kinds.ts';
import type { Message } from './built-in/messages.ts';
import type { ConversationHandle } from './conversation.ts';
import type { ConversationTx } from './conversation-tx.ts';
import type { Id } from './records.ts';
import type { TaskContext } from './task-context.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { agentConfig, textOf } from './testing/agent-kinds.ts';
import type { AgentReply, AgentRequest } from './testing/agent-kinds.ts';

const plan = conversationValue<string>('shop.plan', { rewind: true });
const moves = conversationList<string>('shop.moves', { rewind: true });

type Delegate = (context: TaskContext) => Promise<string>;

/** A root whose prompt 'delegate' calls a tool that the test writes. */
async function started(delegate: Delegate = async () => 'nothing') {
  const model = (request: AgentRequest): AgentReply => {
    const last = request.messages.at(-1);
    if (textOf(last) !== 'delegate') return echo(request);
    return { text: ['delegating'], calls: [{ id: `c${request.messages.length}`, name: 'delegate', arguments: {} }] };
  };
  const session = new AgentSession(onTestFinished, { model, tools: { delegate: async (_call, context) => delegate(context) } });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}
const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const asks = (...ids: readonly string[]) => ({
  content: ids.map((id) => ({ type: 'toolCall' as const, id, name: 'look', arguments: {} })),
});
const result = (tx: ConversationTx, id: string) =>
  tx.entry(
    toolResultKind,
    { toolCallId: id, toolName: 'look', content: [{ type: 'text', text: `of ${id}` }], isError: false },
    id,
  );

async function childOf(root: ConversationHandle<Message>, id: Id) {
  return root.commit((tx) => tx.whole.getConversation(id) ?? null);
}

test('a child, its values, its prompt and its first generation are one commit [4.3-1]', async () => {
  const { engine, root } = await started();
  await root.settings.set({ model: 'large' });
  const before = engine.lastSeq;
  const child = await root.spawn({ prompt: 'Inspect', context: 'fresh', values: { inherit: [agentConfig.model] } });
  expect([child, engine.lastSeq]).toEqual([before + 1, before + 4]);
  expect(engine.conversation(child)?.snapshot()).toEqual({ id: child });
  expect(engine.liveTasks()).toMatchObject([
    { conversationId: child, kind: 'generation', state: { input: before + 3, config: { model: 'large' } } },
  ]);
  await engine.drive();
  expect(transcript(handle(engine.conversation(child)))).toEqual(['user: Inspect', 'assistant: to Inspect']);
});

test('a child has the selected current values, overrides win, and nothing that was not selected [4.3-2] [5.2-8]', async () => {
  const { engine, root } = await started();
  const at = await root.commit((tx) => {
    tx.value(agentConfig.model).set('large');
    tx.value(agentConfig.tools).set(['read', 'write']);
    tx.value(agentConfig.budgetMs).set(9);
    tx.value(plan).set('as of the entry');
    return tx.entry(userKind, words('one'));
  });
  await root.commit((tx) => {
    tx.value(plan).set('current');
    tx.entry(assistantKind, words('a1'));
  });
  const values = { inherit: [plan, agentConfig.tools, agentConfig.budgetMs], set: [[agentConfig.tools, ['read']]] } as const;
  const child = handle(engine.conversation(await root.spawn({ prompt: 'go', context: 'fresh', values })));
  expect([child.value(plan).get(), child.value(agentConfig.tools).get()]).toEqual(['current', ['read']]);
  expect([child.value(agentConfig.budgetMs).get(), child.value(agentConfig.model).get()]).toEqual([9, undefined]);
  expect(root.value(plan).get(at)).toBe('as of the entry');
});

test.each(['fresh', 'inherit'] as const)(
  "a child with %s context has none of its parent's unselected state and no list, when a task owns it [4.3-2] [4.3-3] [4.4-5] [2.5-4]",
  async (context) => {
    let child: Id = 0;
    const { engine, root } = await started(async (execution) => {
      child = (await execution.conversation()?.spawn({ prompt: 'go', context, values: { inherit: [agentConfig.model] } })) ?? 0;
      return 'spawned';
    });
    await root.settings.set({ model: 'large', tools: ['read'] });
    await root.commit((tx) => {
      tx.value(plan).set('secret');
      tx.list(moves).append('one');
    });
    await root.prompt('hello');
    await root.prompt('delegate');
    const spawned = handle(engine.conversation(child));
    expect([spawned.value(agentConfig.model).get(), spawned.value(agentConfig.tools).get(), spawned.value(plan).get()]).toEqual([
      'large',
      undefined,
      undefined,
    ]);
    expect(spawned.list(moves).read().items).toEqual([]);
    expect(root.list(moves).read().items).toHaveLength(1);
    const fork = await spawned.fork(spawned.entries({ before: 1e9, limit: 1 }).items[0]?.id ?? 0);
    expect([fork.value(plan).get(), fork.value(agentConfig.model).get(), fork.list(moves).read().items]).toEqual([
      undefined,
      'large',
      [],
    ]);
  },
);

test('an independent child with inherited context has no configuration that was not selected [4.3-2]', async () => {
  const { engine, root } = await started();
  await root.settings.set({ model: 'large', tools: ['read'] });
  await root.prompt('hello');
  const values = { inherit: [agentConfig.model] };
  const child = handle(engine.conversation(await root.spawn({ prompt: 'go', context: 'inherit', values })));
  expect(child.settings.get()).toEqual({ model: 'large' });
});

test('what a task spawns is owned by it, from the same commit [5.7-1] [2.5-1]', async () => {
  const children: Id[] = [];
  const { engine, root } = await started(async (context) => {
    children.push(await context.commit((tx) => tx.spawn({ prompt: 'one', context: 'fresh' }).conversation));
    children.push((await context.conversation()?.spawn({ prompt: 'two', context: 'fresh' })) ?? 0);
    expect(engine.getTask(context.taskId)?.owns).toEqual(children);
    return 'spawned';
  });
  await root.prompt('delegate');
  const [tool] = engine.tasks({ kind: 'tool', limit: 1 }).items;
  expect([...engine.getConversations(children).values()].map(({ owner }) => owner)).toEqual([tool?.id, tool?.id]);
  expect(engine.conversations().items.map(({ id }) => id)).toEqual([root.id]);
  expect(engine.conversations({ ownedFrom: root.id, limit: 9 }).items.map(({ id }) => id)).toEqual(children);
  await root.drive();
  await engine.drive();
  expect(children.map((id) => transcript(handle(engine.conversation(id))))).toEqual([
    ['user: one', 'assistant: to one'],
    ['user: two', 'assistant: to two'],
  ]);
});

test('a tool runs a child to its end and reads the answer to its prompt [5.3-7]', async () => {
  const { root } = await started(async (context) => {
    const spawned = await context.commit((tx) => tx.spawn({ prompt: 'count the tests', context: 'fresh' }));
    const child = context.conversation(spawned.conversation);
    await child?.drive({ signal: context.signal });
    return `the child said: ${textOf(child?.answerTo(spawned.entry))}`;
  });
  await root.prompt('delegate');
  expect(transcript(root)).toContain('tool_result: the child said: to count the tests');
});

test('a cancelled task spawns nothing', async () => {
  const gate = new Gate();
  let failure: unknown;
  const { engine, root } = await started(async (context) => {
    await gate.pass(new AbortController().signal);
    failure = await context
      .conversation()
      ?.spawn({ prompt: 'late', context: 'fresh' })
      .catch((error: unknown) => error);
    return 'after all';
  });
  const prompting = root.prompt('delegate');
  await gate.arrived(1);
  await root.abort();
  gate.open();
  await prompting;
  expect(failure).toMatchObject({ code: 'markedTask' });
  expect(engine.conversations().items).toHaveLength(1);
});

test('values come before the entries of a commit: spawning behind one with rewindable values is refused', async () => {
  const { root } = await started();
  await root.settings.set({ model: 'large' });
  const late = root.commit((tx) => {
    tx.entry(userKind, words('first'));
    return tx.spawn({ prompt: 'go', context: 'fresh', values: { inherit: [agentConfig.model] } });
  });
  await expect(late).rejects.toMatchObject({ code: 'stateAfterEntry' });
});

/** Writes a transcript and says how much of it a child inherits: ids by the order in which `write` returned them. */
test.each<[string, (tx: ConversationTx) => readonly [entries: readonly Id[], inherited: number]]>([
  ['nothing at all', () => [[], 0]],
  ['a prompt that nobody answered', (tx) => [[tx.entry(userKind, words('one'))], 0]],
  ['an answer', (tx) => [[tx.entry(userKind, words('one')), tx.entry(assistantKind, words('a1'))], 2]],
  [
    'a prompt behind an answer',
    (tx) => [[tx.entry(userKind, words('1')), tx.entry(assistantKind, words('a')), tx.entry(userKind, words('2'))], 2],
  ],
  [
    'calls without any result',
    (tx) => [
      [
        tx.entry(userKind, words('1')),
        tx.entry(assistantKind, words('a')),
        tx.entry(userKind, words('2')),
        tx.entry(assistantKind, asks('x')),
      ],
      2,
    ],
  ],
  [
    'calls of which one has its result',
    (tx) => [[tx.entry(userKind, words('1')), tx.entry(assistantKind, asks('x', 'y')), result(tx, 'y')], 0],
  ],
  [
    'calls with all results, in another order',
    (tx) => [[tx.entry(userKind, words('1')), tx.entry(assistantKind, asks('x', 'y')), result(tx, 'y'), result(tx, 'x')], 4],
  ],
  [
    'an exchange behind a complete one',
    (tx) => [
      [tx.entry(userKind, words('1')), tx.entry(assistantKind, asks('x')), result(tx, 'x'), tx.entry(assistantKind, asks('z'))],
      3,
    ],
  ],
  [
    'calls that were given up',
    (tx) => [
      [
        tx.entry(userKind, words('1')),
        tx.entry(assistantKind, asks('x', 'y')),
        result(tx, 'x'),
        tx.entry(userKind, words('2')),
        tx.entry(assistantKind, words('a')),
      ],
      5,
    ],
  ],
  [
    'calls that were given up, of which one had its result, behind a complete exchange',
    (tx) => [
      [
        tx.entry(userKind, words('1')),
        tx.entry(assistantKind, words('a')),
        tx.entry(assistantKind, asks('x', 'y')),
        result(tx, 'x'),
        tx.entry(userKind, words('2')),
      ],
      2,
    ],
  ],
  [
    'calls that were given up twice under one id, answered the second time',
    (tx) => [
      [
        tx.entry(userKind, words('1')),
        tx.entry(assistantKind, asks('x')),
        tx.entry(userKind, words('2')),
        tx.entry(assistantKind, asks('x', 'y')),
        result(tx, 'x'),
        tx.entry(userKind, words('3')),
      ],
      0,
    ],
  ],
  [
    'a new context without anything in it',
    (tx) => [
      [
        tx.entry(userKind, words('1')),
        tx.entry(assistantKind, words('a')),
        tx.entry(resetKind, {}),
        tx.entry(userKind, words('2')),
      ],
      3,
    ],
  ],
])('of %s a child inherits what is complete [4.3-5]', async (_what, write) => {
  const { engine, root } = await started();
  const [entries, inherited] = await root.commit((tx) => write(tx));
  const child = await root.spawn({ prompt: 'go', context: 'inherit' });
  const at = entries[inherited - 1];
  expect((await childOf(root, child))?.parent).toEqual(at === undefined ? undefined : { conversationId: root.id, at });
  const ids = engine.entries(child, { limit: 99 }).items.map(({ id }) => id);
  expect(ids.slice(0, -1)).toEqual(entries.slice(0, inherited));
});

test('a summary that lands while an exchange is open does not take the child into it [4.3-5]', async () => {
  const { engine, root } = await started();
  const [complete] = await root.commit((tx) => {
    const first = tx.entry(userKind, words('1'));
    const answer = tx.entry(assistantKind, words('a'));
    const second = tx.entry(userKind, words('2'));
    tx.entry(assistantKind, asks('x'));
    tx.entry(summaryKind, { text: 'so far', retainFrom: second });
    return [answer, first] as const;
  });
  const child = await root.spawn({ prompt: 'go', context: 'inherit' });
  expect(engine.conversation(child)?.snapshot()?.parent?.at).toBe(complete);
});

function handle<T>(conversation: T | undefined): T {
  if (conversation === undefined) throw new Error('the conversation is not there');
  return conversation;
}
