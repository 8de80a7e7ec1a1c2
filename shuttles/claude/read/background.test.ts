import { expect, test } from 'vitest';
import { backgroundStep, noteBackground } from './background.ts';
import { startState, type State } from './state.ts';

const news = (inner: string): string => `<task-notification>\n<task-id>b1</task-id>\n${inner}\n</task-notification>`;
const begun = (): State => {
  const state = startState({ nativeId: 's', part: 's', needs: [] }, '/home/user/.claude/projects/x/s.jsonl');
  noteBackground(state, { id: 'c', name: 'Bash', command: 'npm start' }, { backgroundTaskId: 'b1' });
  return state;
};

test('the end of a command in the background has the command that began it and its exit code', () => {
  const state = begun();
  const text = news('<status>completed</status>\n<summary>Background command "start" completed (exit code 0)</summary>');
  expect(backgroundStep(state, text)?.content).toEqual({
    stepId: 'b1',
    title: 'npm start',
    isError: false,
    details: { action: 'command', status: 'completed', command: 'npm start', exitCode: 0, extra: { backgroundTask: 'b1' } },
  });
  expect(state.background).toEqual([]);
});

test('one that failed or was stopped says so, and one that goes on is still known', () => {
  const failed = news('<status>completed</status>\n<summary>Background command "start" completed (exit code 3)</summary>');
  expect(backgroundStep(begun(), failed)?.content).toMatchObject({ isError: true, details: { status: 'failed', exitCode: 3 } });
  const killed = news('<status>killed</status>\n<summary>Background command "start" was stopped</summary>');
  expect(backgroundStep(begun(), killed)?.content).toMatchObject({ isError: false, details: { status: 'interrupted' } });
  const state = begun();
  expect(backgroundStep(state, news('<status>running</status>\n<summary>still at it</summary>'))?.content).not.toHaveProperty(
    'details.status',
  );
  expect(state.background).toHaveLength(1);
});

test('an agent’s report is its output; a text that only speaks of such news is none', () => {
  const agent = news(
    '<status>completed</status>\n<summary>Agent "Look" finished</summary>\n<result>All fine.</result>\n<usage><duration_ms>540</duration_ms></usage>',
  );
  expect(backgroundStep(begun(), agent)?.content).toMatchObject({
    output: 'All fine.',
    details: { action: 'agent', durationMs: 540 },
  });
  expect(backgroundStep(begun(), 'What is a <task-notification>?')).toBeUndefined();
  expect(backgroundStep(begun(), news('<summary>no state</summary>'))).toBeUndefined();
});
