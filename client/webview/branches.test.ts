import { expect, test } from 'vitest';
import type { ConversationView } from '../../server/protocol/views.ts';
import { branches, forksByEntry, subagentOf } from './branches.ts';

const conversation = (id: number, over: Partial<ConversationView> = {}): ConversationView => ({
  id,
  parent: null,
  owner: null,
  current: false,
  title: '',
  harness: 'claude',
  entries: 3,
  last: 0,
  ...over,
});
const main = conversation(1, { title: 'Main' });
const rewind = conversation(2, { parent: { conversation: 1, at: 10 }, current: true, title: 'Again' });
const agent = conversation(3, { owner: { entry: 12, callId: 'call' }, title: 'Explore' });

test('branches are listed as a tree, and each says what it is', () => {
  expect(branches([agent, rewind, main]).map((branch) => `${branch.depth} ${branch.label}: ${branch.description}`)).toEqual([
    '0 Explore: subagent · Claude Code · 3 entries',
    '0 Main: earlier line, left · Claude Code · 3 entries',
    '1 Again: current line · Claude Code · 3 entries',
  ]);
});

test('branches whose parents form a ring are listed all the same, once', () => {
  const ring = [conversation(1, { parent: { conversation: 2, at: 1 } }), conversation(2, { parent: { conversation: 1, at: 1 } })];
  expect(branches(ring).map((branch) => branch.conversation)).toEqual([1, 2]);
  expect([...forksByEntry(ring, 1).keys()]).toEqual([1]);
});

test('where the shown line left its parent, the parent is offered, and from the parent the fork', () => {
  expect(forksByEntry([main, rewind, agent], 2).get(10)).toEqual([main]);
  expect(forksByEntry([main, rewind, agent], 1).get(10)).toEqual([rewind]);
});

test('a subagent is found by the call that started it, or by its native id', () => {
  expect(subagentOf([main, agent], [], 'call', undefined)).toBe(agent);
  expect(subagentOf([main, agent], [{ conversation: 3, nativeId: 'n' }], 'other', 'n')).toBe(agent);
  expect(subagentOf([main, agent], [], '', undefined)).toBeUndefined();
});
