/** What a provider is given of a context: instructions in their slot or at their place, tools as they are now (engine specification 8.2). */
import { expect, onTestFinished, test } from 'vitest';
import { TempSession } from '../testing/session.ts';
import { inShort, openTalk, prune, Talk } from '../testing/talk.ts';
import { noticeKind, resetKind } from './entry-kinds.ts';
import type { Tool } from './messages.ts';
import { modelRequest, modelRequestInOnePrompt, toldIn } from './model-request.ts';
import type { ModelRequest } from './model-request.ts';
import { systemChange } from './system.ts';
import type { Instructions } from './system.ts';

const tool = (name: string): Tool => ({ name, description: name, parameters: { type: 'object' } });
const role = { key: 'role', text: 'You help.' };
const plan = { key: 'plan_mode', text: 'Only plan.' };
const first: Instructions = { sections: [role], tools: [tool('read')] };

async function started() {
  const session = new TempSession(onTestFinished);
  const talk = new Talk(await (await openTalk(session.store.session('session'))).root());
  /** As the top of a turn does: the change between what was told and what is wanted, if there is one. */
  const tell = async (wanted: Instructions, to: Talk = talk) => {
    const change = systemChange(toldIn(to.handle.contextEntries()), wanted);
    return change === undefined ? undefined : to.system(change);
  };
  return { talk, tell, request: () => modelRequest(talk.handle.contextEntries()) };
}

function shortly({ instructions, tools, messages }: ModelRequest) {
  return {
    instructions: instructions.map(({ text }) => text),
    tools: tools.map(({ name }) => name),
    messages: messages.map(inShort),
  };
}

test('the baseline is in its slot, changes stand where they were told, tools are folded [2.1-18] [2.1-24]', async () => {
  const { talk, tell, request } = await started();
  await talk.user('look');
  await tell(first);
  await talk.assistant('looked');
  await talk.user('now plan');
  const before = request();
  await tell({ sections: [role, plan], tools: [tool('read'), tool('grep')] });
  await talk.handle.commit((tx) => tx.entry(noticeKind, { text: 'a job is done' }));
  await talk.assistant('planned');
  expect(shortly(request())).toEqual({
    instructions: ['You help.'],
    tools: ['read', 'grep'],
    messages: [
      'user: look',
      'assistant: looked',
      'user: now plan',
      'system: The section plan_mode of the instructions now reads:\nOnly plan. | Tools that you now have: grep.',
      'system: a job is done',
      'assistant: planned',
    ],
  });
  // What was sent before is a prefix of what is sent now.
  expect(request().instructions).toEqual(before.instructions);
  expect(request().messages.slice(0, before.messages.length)).toEqual(before.messages);
});

test('without system messages everything told is one prompt as it is now, and a remark is said by the user [2.1-24]', async () => {
  const { talk, tell } = await started();
  await talk.user('look');
  await tell(first);
  await tell({ sections: [plan, { key: 'role', text: 'You plan.' }], tools: [] });
  await talk.handle.commit((tx) => tx.entry(noticeKind, { text: 'a job is done' }));
  expect(shortly(modelRequestInOnePrompt(talk.handle.contextEntries()))).toEqual({
    instructions: ['Only plan.', 'You plan.'],
    tools: [],
    messages: ['user: look', 'user: a job is done'],
  });
});

test('a head begins a new epoch: what a compaction kept of the old one is subsumed by the next baseline [2.1-24]', async () => {
  const { talk, tell, request } = await started();
  await talk.user('look');
  await tell(first);
  await talk.assistant('looked');
  await talk.user('now plan');
  const delta = await tell({ sections: [role, plan], tools: [tool('read')] });
  await talk.assistant('planned');
  await talk.summary(delta);
  expect(toldIn(talk.handle.contextEntries())).toBeUndefined();
  expect(shortly(request())).toEqual({ instructions: [], tools: [], messages: ['user: so far', 'assistant: planned'] });
  await talk.user('go on');
  await tell({ sections: [role, plan], tools: [tool('read')] });
  const last = { sections: [role], tools: [tool('read')] };
  await tell(last);
  expect(toldIn(talk.handle.contextEntries())).toEqual(last);
  expect(shortly(request())).toEqual({
    instructions: ['You help.', 'Only plan.'],
    tools: ['read'],
    messages: [
      'user: so far',
      'assistant: planned',
      'user: go on',
      'system: The section plan_mode of the instructions no longer applies.',
    ],
  });
  await talk.handle.commit((tx) => tx.entry(resetKind, {}));
  expect(toldIn(talk.handle.contextEntries())).toBeUndefined();
});

test('a fork has been told what its prefix tells, and nothing is told anew to a restarted host that wants the same [2.4-2]', async () => {
  const { talk, tell } = await started();
  await talk.user('look');
  const at = await tell(first);
  await tell({ sections: [role, plan], tools: [] });
  const fork = await talk.fork(at ?? 0);
  expect(toldIn(fork.handle.contextEntries())).toEqual(first);
  expect(await tell(first, fork)).toBeUndefined();
});

test('instructions that an edit omitted or replaced have not been told [2.1-11] [2.1-24]', async () => {
  const { talk, tell, request } = await started();
  await talk.user('look');
  await tell(first);
  const delta = (await tell({ ...first, sections: [role, plan] })) ?? 0;
  await talk.handle.commit((tx) => tx.entry(prune, { target: delta, text: 'shortened' }));
  expect(toldIn(talk.handle.contextEntries())).toEqual(first);
  expect(shortly(request()).messages).toEqual(['user: look', 'user: shortened']);
  await talk.handle.commit((tx) => tx.entry(prune, { target: delta }));
  expect(toldIn(talk.handle.contextEntries())).toEqual(first);
});
