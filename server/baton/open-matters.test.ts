/** What stands open in a thread: questions, processes, plans, alternatives that were not taken, and facts whose files have changed since. */
import { expect, test } from 'vitest';
import type { Baton, ProcessFact } from './baton.ts';
import { compileBaton } from './testing-compile.ts';
import { sampleThread, start, Transcript } from './testing-entries.ts';

const now = start + 9e6;
const compile = (t: Transcript, processes: readonly ProcessFact[] | null = null): Baton =>
  compileBaton({ thread: sampleThread, to: 'codex', now, world: null, processes, entries: t.entries, salt: 'salt' });
const questions = (t: Transcript): readonly string[] => compile(t).questions.map(({ by, text }) => `${by}: ${text}`);

function asked(question: string, ...then: readonly string[]): Transcript {
  const t = new Transcript();
  t.user('Build the cart.');
  t.says(`The cart is built. ${question}`);
  for (const text of then) t.user(text);
  return t;
}

test('a question of the agent’s waits until the person’s words answer it', () => {
  const question = 'Should refunds be stored in cents?';
  expect(questions(asked(question))).toEqual([`agent: ${question}`]);
  expect(questions(asked(question, 'Please write the tests now.'))).toEqual([`agent: ${question}`]);
  expect(questions(asked(question, 'continue'))).toEqual([`agent: ${question}`]);
  expect(questions(asked(question, 'I do not know yet whether refunds come in cents, let me ask.'))).toEqual([
    `agent: ${question}`,
  ]);
  expect(questions(asked(question, 'yes'))).toEqual([]);
  expect(questions(asked(question, 'Cents are fine for refunds, go on with the tests.'))).toEqual([]);
  expect(questions(asked(question, 'First a.', 'Then b.', 'Now c.', 'And d.'))).toEqual([]);
});

test('polite ends and questions that the agent answers itself are none', () => {
  expect(questions(asked('Is there anything else I can help you with?'))).toEqual([]);
  const t = new Transcript();
  t.user('Why is it slow?');
  t.says('Why is it slow? The index is missing.');
  t.call('Read', { file_path: 'a.ts' });
  t.says('The table is slow because the index is missing.');
  expect(questions(t)).toEqual([]);
});

test('a question of the person’s is open while the agent is silent, and a request in the form of a question is none', () => {
  const t = new Transcript();
  t.user('Can you fix the cart?');
  expect(questions(t)).toEqual([]);
  t.user('Why does the invoice show two totals?');
  expect(questions(t)).toEqual(['person: Why does the invoice show two totals?']);
  t.says('The invoice adds the totals of both currencies.');
  expect(questions(t)).toEqual([]);
});

test('a question that a harness put to the person without an answer is open', () => {
  const t = new Transcript();
  t.user('Go');
  t.result(t.call('AskUserQuestion', { question: 'Which colour?' }), '', {
    details: { action: 'question', questions: [{ question: 'Which colour?' }, { question: 'How long?', answer: '2 m' }] },
  });
  expect(questions(t)).toEqual(['agent: Which colour?']);
  expect(compile(t).decisions.map(({ text }) => text)).toEqual(['Asked “How long?”, the person answered “2 m”']);
});

test('an alternative that was not taken stands beside the decision, and a reason in the next sentence goes along', () => {
  const t = new Transcript();
  t.user('Make it fast.');
  t.says(
    'I went with a prepared statement. That way the plan is made once. I considered a cache, but it would grow without a bound.',
  );
  expect(compile(t).decisions.map(({ about, text }) => [about, text])).toEqual([
    ['chosen', 'I went with a prepared statement. That way the plan is made once.'],
    ['rejected', 'I considered a cache, but it would grow without a bound.'],
  ]);
});

const world = (t: Transcript, processes: readonly ProcessFact[] | null = null): readonly string[] =>
  compile(t, processes).world.flatMap(({ text }) => (text.startsWith('Left running') ? [text] : []));

test('what was left running is told with pid, port and age, and whether it is alive as the caller found it', () => {
  const t = new Transcript();
  t.user('Start it.');
  const entry = t.bash('node server.js --port 3000 &', '[1] 4242\nlistening');
  const at = start + entry * 60_000;
  const told = 'Left running: `node server.js --port 3000` (pid 4242, port 3000), started 2 h ago; ';
  expect(world(t)).toEqual([`${told}whether it still runs was not looked at.`]);
  expect(world(t, [])).toEqual([`${told}it no longer runs.`]);
  expect(world(t, [{ pid: 4242, startedAt: at + 1000 }])).toEqual([`${told}it still runs.`]);
  expect(world(t, [{ pid: 4242, startedAt: null }])).toEqual([`${told}it still runs.`]);
  // The number was given to another process since.
  expect(world(t, [{ pid: 4242, startedAt: at + 600_000 }])).toEqual([`${told}it no longer runs.`]);
});

test('a process ends with the news of its end, a stop of its tool, or a kill that names it', () => {
  const background = (t: Transcript): void =>
    void t.result(t.call('Bash', { command: 'npm run dev' }), 'Running in background', {
      details: { action: 'command', command: 'npm run dev', extra: { backgroundTask: 'b1' } },
    });
  const ends: readonly ((t: Transcript) => void)[] = [
    (t) =>
      void t.add(
        'step',
        {
          title: 'npm run dev',
          isError: false,
          details: {
            action: 'command',
            command: 'npm run dev',
            status: 'completed',
            exitCode: 0,
            extra: { backgroundTask: 'b1' },
          },
        },
        'tool',
      ),
    (t) => void t.result(t.call('KillShell', { shell_id: 'b1' }), 'killed'),
    (t) => void t.bash('pkill -f "npm run dev"', ''),
  ];
  for (const end of ends) {
    const t = new Transcript();
    t.user('Start it.');
    background(t);
    expect(world(t)).toHaveLength(1);
    t.result(t.call('BashOutput', { shell_id: 'b1' }), 'Local: http://localhost:5173/');
    expect(world(t)[0]).toContain('port 5173');
    end(t);
    expect(world(t)).toEqual([]);
  }
  const t = new Transcript();
  t.user('Start it.');
  t.bash('npm test && npm run build', '');
  t.bash('grep -n "a & b" x', '');
  expect(world(t)).toEqual([]);
});

test('a test run and a decision say which of their files were changed since', () => {
  const t = new Transcript();
  t.user('Go.');
  t.says('I decided to keep src/cart.ts small because it is read often.');
  t.bash('npm test', 'Tests  5 passed');
  expect(compile(t).world.at(-1)?.text).not.toContain('changed since');
  t.edit('/home/user/shop/src/cart.ts', ['1'], ['2']);
  t.edit('/home/user/shop/src/other.ts', ['1'], ['2']);
  const baton = compile(t);
  expect(baton.world.at(-1)?.text).toContain('; changed since: `src/other.ts`, `src/cart.ts`');
  expect(baton.decisions[0]?.changedSince).toEqual(['src/cart.ts']);
});

test('a list of tasks in an answer is the plan where the harness has none', () => {
  const t = new Transcript();
  t.user('Plan it.');
  t.says('The plan:\n- [x] read the code\n- [~] write the test\n\n- [ ] fix it\n\nShall we?');
  t.says('One box is no plan: - [ ] x\n```\n- [ ] in a fence\n- [ ] is data\n```');
  expect(compile(t).plan.map(({ status, text }) => [status, text])).toEqual([
    ['completed', 'read the code'],
    ['inProgress', 'write the test'],
    ['pending', 'fix it'],
  ]);
});
