import { expect, test } from 'vitest';
import type { Row, ToolRow } from './rows.ts';
import { assistant, call, notice, prompt, result, step, turn } from './sample-entries.ts';
import { isFailure, toolFacts } from './tool-facts.ts';
import { Transcript } from './transcript.ts';
import { turnError, turnFacts } from './turn-facts.ts';

function tool(over: Parameters<typeof result>[2], title = 'npm test'): ToolRow {
  const transcript = new Transcript();
  transcript.append([assistant(1, { calls: [call('a', 'Bash', title)] }), result(2, 'a', over)]);
  return transcript.rows[0] as ToolRow;
}

test('a command that failed says how, how long it took, and its last word', () => {
  const row = tool({ isError: true, output: '\u001b[31m1 failed\u001b[0m\n\n', details: { exitCode: 1, durationMs: 8200 } });
  expect(toolFacts(row, '')).toMatchObject({
    name: 'Bash',
    title: 'npm test',
    outcome: 'failed',
    facts: ['exit 1', '8.2 s'],
    reason: '1 failed',
  });
});

test('a failure is told by its error, not by the count at the end', () => {
  const reason = (output: string): string => toolFacts(tool({ isError: true, output, details: { exitCode: 1 } }), '').reason;
  expect(reason('Exit code 1\n✔ one\n✖ two (31 ms)\n  AssertionError [ERR_ASSERTION]: 2 !== 1\nℹ fail 1')).toBe(
    'AssertionError [ERR_ASSERTION]: 2 !== 1',
  );
  expect(reason('Exit code 1\n✔ one\n✖ two (31 ms)\nℹ fail 1')).toBe('✖ two (31 ms)');
  expect(reason('src/a.ts(3,1): error TS2304: Cannot find name\n\n1 error')).toBe(
    'src/a.ts(3,1): error TS2304: Cannot find name',
  );
  expect(reason('Exit code 3\nbefore')).toBe('before');
  expect(reason('before\n\n(Command exited with code 2)')).toBe('before');
});

test('a command that went well does not boast', () => {
  expect(toolFacts(tool({ details: { exitCode: 0, durationMs: 100 } }), '').facts).toEqual(['0.1 s']);
});

test('a question stands beside what the person said to it', () => {
  const asked = (questions: readonly { question: string; answer?: string }[]): string =>
    toolFacts(tool({ details: { action: 'question', questions } }, 'Which colour?'), '').title;
  expect(asked([{ question: 'Which colour?', answer: 'Red' }])).toBe('Which colour? → Red');
  expect(asked([{ question: 'Which colour?' }])).toBe('Which colour?');
  expect(asked([{ question: 'Which colour?', answer: 'Red' }, { question: 'When?' }])).toBe('Which colour?');
});

test('a failure that the notice before it told is not told again by its turn', () => {
  const rows = (text: string): readonly Row[] => {
    const transcript = new Transcript();
    transcript.append([prompt(1, 'Go.'), notice(2, 'error', text), { ...turn(3, 'failed'), error: 'limit reached' }]);
    return transcript.rows;
  };
  expect(turnError(rows('Usage limit reached'), 2)).toBe('');
  expect(turnError(rows('overloaded'), 2)).toBe('limit reached');
});

test('an edit says how many lines came and went', () => {
  const file = { path: 'a.ts', change: 'update' as const, added: 12, removed: 3 };
  expect(toolFacts(tool({ details: { files: [file, { ...file, added: 1, removed: 0 }] } }), '').facts).toEqual(['+13 −3']);
});

test('an exit code that is not zero is a failure, also where the harness does not say so', () => {
  expect(isFailure(tool({ details: { exitCode: 2 } }))).toBe(true);
  expect(isFailure(tool({ details: { status: 'denied' } }))).toBe(true);
  expect(isFailure(tool({ details: { status: 'interrupted' } }))).toBe(false);
  expect(isFailure(tool({}))).toBe(false);
});

test('a refusal says whose it was, and what goes on in the background is no failure', () => {
  expect(
    toolFacts(tool({ isError: true, details: { status: 'denied', decision: { allowed: false, by: 'hook' } } }), '').facts,
  ).toEqual(['denied by hook']);
  expect(toolFacts(tool({ isError: true, details: { status: 'denied' } }), '').facts).toEqual(['denied']);
  const asking = tool({ details: { action: 'command', extra: { backgroundTask: 'a1', awaits: 'approval' } } });
  expect(toolFacts(asking, '').facts).toEqual(['waits for approval']);
  const begun = tool({ details: { action: 'command', extra: { backgroundTask: 'b1' } } });
  expect(toolFacts(begun, '')).toMatchObject({ outcome: 'ok', facts: ['in the background'] });
});

test('a file below the folder of the thread is named from there, and nothing else is shortened', () => {
  const title = (text: string): string => toolFacts(tool({}, text), '/home/user/shop').title;
  expect([
    title('/home/user/shop/src/a.ts'),
    title('/home/user/shop2/a.ts'),
    title('cat /home/user/shop/a'),
    title('/home/user/shop'),
  ]).toEqual(['src/a.ts', '/home/user/shop2/a.ts', 'cat /home/user/shop/a', '/home/user/shop']);
});

test('a call without a result is open, and a step speaks for itself', () => {
  const transcript = new Transcript();
  transcript.append([assistant(1, { calls: [call('a')] }), step(2, 'git status', { action: 'command', exitCode: 0 })]);
  expect(transcript.rows.map((row) => toolFacts(row as ToolRow, '').outcome)).toEqual(['open', 'ok']);
  expect(toolFacts(transcript.rows[1] as ToolRow, '')).toMatchObject({ name: 'Command', title: 'git status' });
});

test('the end of a turn counts each changed file of that turn once', () => {
  const file = (path: string): ToolRow['result'] =>
    result(0, '', { details: { files: [{ path, change: 'update', added: 2, removed: 1 }] } });
  const edit = (id: number, path: string) => [
    assistant(id, { calls: [call(`c${id}`)] }),
    result(id + 1, `c${id}`, { details: file(path)?.details ?? {} }),
  ];
  const transcript = new Transcript();
  transcript.append([
    prompt(1, 'a'),
    ...edit(2, 'old.ts'),
    turn(4, 'completed'),
    prompt(5, 'b'),
    ...edit(6, 'a.ts'),
    ...edit(8, 'a.ts'),
    ...edit(10, 'b.ts'),
    turn(12, 'completed', 123_000),
  ]);
  expect(turnFacts(transcript.rows, transcript.rows.length - 1)).toEqual(['turn done', '2 min 3 s', '2 files +6 −3']);
});
