/** Where queued input lands, and what of it (engine specification 8.1, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from './built-in/messages.ts';
import type { ConversationHandle } from './conversation.ts';
import { inbox, inboxLanding, queuedKey } from './inbox.ts';
import type { InboxLanding, InboxMode } from './inbox.ts';
import { landQueued } from './landing.ts';
import type { LandingPlace } from './landing.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { textOf } from './testing/agent-kinds.ts';
import type { Id } from './records.ts';

async function started() {
  const session = new AgentSession(onTestFinished, { model: echo });
  const engine = await session.open();
  return { session, engine, root: await engine.root() };
}

/** Queues in this order whatever the conversation is doing. */
async function queue(
  root: ConversationHandle<Message>,
  ...items: readonly (readonly [InboxMode, string])[]
): Promise<readonly Id[]> {
  return root.commit((tx) =>
    items.map(([mode, said]) => tx.list(inbox).append({ mode, message: { content: [{ type: 'text', text: said }] } })),
  );
}
const left = (root: ConversationHandle<Message>) =>
  root
    .list(inbox)
    .read()
    .items.map(({ value }) => textOf({ role: 'user', ...(value.message as { readonly content: [] }) }));

const all = [
  ['followUp', 'f1'],
  ['write', 'w1'],
  ['nextRun', 'n1'],
  ['steer', 's1'],
  ['write', 'w2'],
  ['followUp', 'f2'],
  ['steer', 's2'],
  ['nextRun', 'n2'],
] as const;

test.each<[LandingPlace, InboxLanding | undefined, readonly string[], string | undefined]>([
  ['post_tools', undefined, ['w1', 's1', 'w2', 's2'], 's2'],
  ['final', undefined, ['f1', 'w1', 's1', 'w2', 'f2', 's2'], 's2'],
  ['accept', undefined, ['n1', 'n2'], 'n2'],
  ['post_tools', { steer: 'oldest' }, ['w1', 's1', 'w2'], 's1'],
  ['final', { write: 'oldest', steer: 'oldest', followUp: 'oldest' }, ['f1', 'w1', 's1'], 's1'],
  ['final', { followUp: 'oldest', steer: 'all' }, ['f1', 'w1', 's1', 'w2', 's2'], 's2'],
  ['accept', { nextRun: 'oldest' }, ['n1'], 'n1'],
])(
  'at %s with %j land, in the order of admission, %j [8.1-6] [8.1-7] [8.1-8] [8.1-9] [8.1-10]',
  async (at, landing, lands, asks) => {
    const { root } = await started();
    if (landing !== undefined) await root.value(inboxLanding).set(landing);
    await queue(root, ...all);
    const { entries, requestedBy } = await root.commit((tx) => landQueued(tx, at));
    expect(transcript(root)).toEqual(lands.map((said) => `user: ${said}`));
    expect(root.entries({ limit: 99 }).items.map(({ id }) => id)).toEqual(entries);
    expect(transcript(root).at(entries.indexOf(requestedBy ?? 0))).toBe(`user: ${asks}`);
    expect(left(root)).toEqual(all.map(([, said]) => said).filter((said) => !lands.includes(said)));
  },
);

test('what only was to be written asks for no generation [8.1-6]', async () => {
  const { root } = await started();
  await queue(root, ['write', 'w1']);
  expect(await root.commit((tx) => landQueued(tx, 'final').requestedBy ?? null)).toBeNull();
  expect(await root.commit((tx) => landQueued(tx, 'final').entries)).toEqual([]);
});

test('an entry tells which item it was, and two landings of one commit land an item once [8.1-5]', async () => {
  const { engine, root } = await started();
  const [first] = await queue(root, ['steer', 's1']);
  const [entries, again] = await root.commit((tx) => [landQueued(tx, 'final').entries, landQueued(tx, 'final').entries]);
  expect(engine.getEntry(entries?.[0] ?? 0)?.key).toBe(queuedKey(first ?? 0));
  expect(again).toEqual([]);
});

test('landing, removal and the generation that follows are one commit: one that fails leaves all of it queued [8.1-5]', async () => {
  const { engine, root } = await started();
  await queue(root, ['steer', 's1']);
  const before = engine.lastSeq;
  const failing = root.commit((tx) => {
    landQueued(tx, 'final');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect([engine.lastSeq, left(root), transcript(root)]).toEqual([before, ['s1'], []]);
});

test('steering lands between the tools and the next generation, a follow-up with the final answer [8.1-5] [8.1-7] [8.1-8]', async () => {
  const gate = new Gate();
  const session = new AgentSession(onTestFinished, {
    model: ({ messages }) => {
      const last = messages.at(-1);
      if (textOf(last) === 'look') return { text: ['looking'], calls: [{ id: 'c1', name: 'look', arguments: {} }] };
      return `to ${textOf(last)}`;
    },
    tools: {
      look: async (_call, context) => {
        await gate.pass(context.signal);
        return 'seen';
      },
    },
  });
  const root = await (await session.open()).root();
  const looked = root.prompt('look');
  await gate.arrived(1);
  await root.followUp('afterwards');
  await root.write('by the way');
  await root.steer('rather there');
  gate.open();
  await looked;
  expect(transcript(root)).toEqual([
    'user: look',
    'assistant: looking',
    'tool_result: seen',
    'user: by the way',
    'user: rather there',
    'assistant: to rather there',
    'user: afterwards',
    'assistant: to afterwards',
  ]);
});

test('a failed run lands nothing: what was queued waits for the next final answer', async () => {
  let fails = true;
  const gate = new Gate();
  const session = new AgentSession(onTestFinished, {
    model: async (request) => {
      if (!fails) return echo(request);
      await gate.pass(request.signal);
      throw new Error('the provider is away');
    },
  });
  const root = await (await session.open()).root();
  const failing = root.prompt('one');
  await gate.arrived(1);
  await root.followUp('two');
  gate.open();
  expect(await failing).toBeUndefined();
  expect(left(root)).toEqual(['two']);
  fails = false;
  await root.prompt('three');
  expect(transcript(root)).toEqual(['user: one', 'user: three', 'assistant: to three', 'user: two', 'assistant: to two']);
});

test('a queued item is cancelled once, and not at all when there is none [8.1-11]', async () => {
  const { engine, root } = await started();
  const [first, second] = await queue(root, ['steer', 's1'], ['nextRun', 'n1']);
  expect(await root.cancelQueued(first ?? 0)).toBe('cancelled');
  const before = engine.lastSeq;
  expect(await root.cancelQueued(first ?? 0)).toBe('not_found');
  expect(await root.cancelQueued(999)).toBe('not_found');
  const other = await root.fork('start');
  expect(await other.cancelQueued(second ?? 0)).toBe('not_found');
  expect(engine.lastSeq).toBe(before + 1);
  expect(left(root)).toEqual(['n1']);
});

test.each<[string, boolean]>([
  ['cancelling comes first on the line and the item does not land', true],
  ['landing comes first on the line and cancelling finds nothing', false],
])('%s [10.2-14]', async (_name, cancelsFirst) => {
  const { root } = await started();
  const [item] = await queue(root, ['followUp', 'f1']);
  const land = async () => root.commit((tx) => landQueued(tx, 'final').entries.length);
  const cancel = async () => root.cancelQueued(item ?? 0);
  const outcomes = cancelsFirst ? [cancel(), land()] : [land(), cancel()];
  expect(await Promise.all(outcomes)).toEqual(cancelsFirst ? ['cancelled', 0] : [1, 'not_found']);
  expect(transcript(root)).toEqual(cancelsFirst ? [] : ['user: f1']);
  expect(left(root)).toEqual([]);
});
