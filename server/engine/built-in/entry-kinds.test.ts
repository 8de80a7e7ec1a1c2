/** The built-in entry kinds in an open session: registered, projected, replaced (engine specification 2.1, 2.3, 9.5). */
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from '../engine.ts';
import { entryKind } from '../kinds.ts';
import { work } from '../testing/kinds.ts';
import { TempSession } from '../testing/session.ts';
import { answered, inShort, resultOf, said, Talk } from '../testing/talk.ts';
import {
  assistantKind,
  builtInEntryKinds,
  handoffKind,
  noticeKind,
  resetKind,
  summaryKind,
  systemKind,
  toolResultKind,
  userKind,
} from './entry-kinds.ts';
import type { Message } from './messages.ts';
import { normalizeExchanges } from './normalize.ts';

async function started(session = new TempSession(onTestFinished)) {
  const engine = await Engine.open<Message>(session.store.session('session'), { entryKinds: [], taskKinds: [work] });
  return { session, engine, root: await engine.root() };
}

test('opening registers the built-in kinds, and all of them project but reset [2.1-16] [2.1-17]', async () => {
  expect(builtInEntryKinds().map(({ kind }) => kind)).toEqual([
    'user',
    'assistant',
    'tool_result',
    'system',
    'notice',
    'summary',
    'handoff',
    'reset',
  ]);
  const { session, engine, root } = await started();
  const shortly = () => root.contextMessages().map(inShort);
  await root.commit((tx) => {
    tx.entry(userKind, said('look'));
    tx.entry(systemKind, { baseline: true, sections: [{ key: 'role', text: 'You help.' }] });
    tx.entry(assistantKind, answered('calls', ['a']));
    tx.entry(toolResultKind, resultOf('a'), 'a');
    tx.entry(noticeKind, { text: 'a job is done' });
  });
  expect(shortly()).toEqual([
    'user: look',
    'system: You help.',
    'assistant: calls [a]',
    'a: result of a',
    'system: a job is done',
  ]);
  const last = await root.commit((tx) => tx.entry(userKind, said('more')));
  await root.commit((tx) => tx.entry(summaryKind, { text: 'it looked', retainFrom: last }));
  expect(shortly()).toEqual(['user: it looked', 'user: more']);
  await root.commit((tx) => tx.entry(handoffKind, { text: 'go on from here' }));
  expect(shortly()).toEqual(['user: go on from here']);
  await root.commit((tx) => tx.entry(resetKind, {}));
  expect(shortly()).toEqual([]);
  const count = engine.countEntries(root.id);
  session.reopenFile();
  const again = await started(session);
  expect(again.engine.countEntries(root.id)).toBe(count);
  expect(again.root.contextIds()).toEqual([]);
});

test('a handoff retains nothing and says its message, a reset says nothing, and neither touches work [2.3-4] [2.3-6]', async () => {
  const { engine, root } = await started();
  const talk = new Talk(root);
  await talk.user('look');
  const task = await root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  const before = engine.tasks({ limit: 9 }).items;
  await root.commit((tx) => tx.entry(handoffKind, { text: 'go on' }));
  expect(root.contextMessages().map(inShort)).toEqual(['user: go on']);
  await root.commit((tx) => tx.entry(resetKind, { reason: 'clear' }));
  expect(root.contextEntries()).toEqual([]);
  expect(engine.tasks({ limit: 9 }).items).toEqual(before);
  expect(engine.getTask(work, task)).toMatchObject({ status: 'pending' });
  expect(engine.getTask(task)?.abort).toBeUndefined();
});

test('what ended in an error or was aborted stays in the transcript and reaches no model [2.2-8]', async () => {
  const { root } = await started();
  const talk = new Talk(root);
  await talk.user('look');
  const failed = await talk.assistant('half of it', ['a'], 'error');
  await talk.assistant('stopped', [], 'aborted');
  await talk.assistant('done');
  expect(root.contextMessages(undefined, normalizeExchanges).map(inShort)).toEqual(['user: look', 'assistant: done']);
  expect(root.contextMessages().map(inShort)).toEqual(['user: look', 'assistant: done']);
  expect(root.entries({ limit: 9 }).items.map(({ id }) => id)).toContain(failed);
});

test('commentary about a call stands behind its data and apart from it', async () => {
  const { root } = await started();
  await new Talk(root).assistant('calls', ['a']);
  await root.commit((tx) =>
    tx.entry(toolResultKind, {
      ...resultOf('a', 'line 1'),
      diags: [
        { severity: 'warn', message: 'output truncated: 1 of 20 lines shown' },
        { severity: 'info', message: 'still running', code: 'budget' },
      ],
    }),
  );
  expect(root.contextMessages().at(-1)).toEqual({
    role: 'toolResult',
    toolCallId: 'a',
    toolName: 'read',
    isError: false,
    content: [
      { type: 'text', text: 'line 1' },
      {
        type: 'text',
        text: '<harness>\n[warn] output truncated: 1 of 20 lines shown\n[info] still running\n</harness>',
      },
    ],
  });
});

test('a kind of the host takes the place of a built-in one of its name, in everything it did [9.5-2]', async () => {
  const session = new TempSession(onTestFinished);
  const plain = entryKind<{ readonly text: string }, string>('user', { project: ({ content }) => [`> ${content.text}`] });
  const loose = entryKind<{ readonly text: string }, string>('tool_result', { project: ({ content }) => [content.text] });
  const engine = await Engine.open<string>(session.store.session('session'), { entryKinds: [plain, loose], taskKinds: [] });
  const root = await engine.root();
  await root.commit((tx) => tx.entry(plain, { text: 'hello' }));
  await root.commit((tx) => tx.entry(loose, { text: 'a result of nothing' }));
  expect(root.contextMessages()).toEqual(['> hello', 'a result of nothing']);
});
