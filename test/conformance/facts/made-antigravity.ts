/** A store of Antigravity with facts that no recorded one has, written field by field as its programs do (agy 1.0.16 to 1.2.11). */
import fs from 'node:fs';
import path from 'node:path';
import { AntigravityHome, answer, base, bytes, callOf, int, message, prompt, text, type Step } from '../../antigravity-home.ts';

const id = '0f000000-0000-4000-8000-000000000001';
const child = '0f000000-0000-4000-8000-0000000000c1';

export function makeAntigravity(home: string): void {
  using made = new AntigravityHome();
  const steps: Step[] = [
    prompt(0, 'Go.', { body: message(text(2, 'Go.'), bytes(5, message(text(1, 'iVBORw0KGgo='), text(2, 'image/png')))) }),
  ];
  const act = (name: string, args: object, type: number, field: number, body: Uint8Array, over: Partial<Step> = {}): void => {
    const call = callOf(`call-${steps.length}`, name, args);
    steps.push(answer(steps.length, '', { calls: [call] }));
    steps.push({ idx: steps.length, type, field, body, at: base + steps.length, call, ...over });
  };
  const generic = (said: string): Uint8Array => message(bytes(2, text(1, said)));
  act(
    'run_command',
    { CommandLine: 'npm test', Cwd: '/home/user/shop' },
    21,
    28,
    message(text(2, '/home/user/shop'), text(23, 'npm test'), bytes(21, text(1, 'ok'))),
  );
  act('run_command', { CommandLine: 'sleep 60' }, 21, 28, message(text(23, 'sleep 60'), int(6, 130)), { status: 6 });
  act('grep_search', { Query: 'total', SearchPath: '/home/user/shop' }, 7, 13, text(3, 'cart.js:1'));
  act('read_url_content', { Url: 'https://example.com/a' }, 132, 140, generic('A page.'));
  act('search_web', { query: 'carts' }, 132, 140, generic('Results'));
  act('list_issues', { ServerName: 'tracker' }, 38, 47, text(3, 'T1'));
  act('ask_question', { question: 'Which colour?' }, 132, 140, generic('Red'));
  act('invoke_subagent', { Task: 'Look around' }, 132, 140, generic(`{"conversationId":"${child}"}`));
  act('write_to_file', { TargetFile: '/home/user/shop/a.ts', CodeContent: 'one\ntwo\n' }, 5, 10, message());
  act(
    'multi_replace_file_content',
    {
      TargetFile: '/home/user/shop/a.ts',
      ReplacementChunks: [{ StartLine: 1, EndLine: 1, TargetContent: 'one\n', ReplacementContent: 'uno\ndue\n' }],
    },
    5,
    10,
    message(),
  );
  const at = steps.length;
  steps.push(answer(at, 'Broken off.', { status: 6 }));
  steps.push(answer(at + 1, '', { status: 7, body: int(12, 13), error: 'Your quota is used up, please retry in 40s' }));
  steps.push(answer(at + 2, '', { status: 7, body: int(12, 13), error: 'The model answered with an error 500' }));
  steps.push(answer(at + 3, 'Done.'));
  made.store(id, steps, {
    models: new Map([
      [1, 'Gemini 3 Pro'],
      [3, 'Gemini 3 Pro'],
      [at + 3, 'Gemini 3 Flash'],
    ]),
  });
  made.file(`brain/${id}/task.md`, '# Cart\n\n- [x] Measure\n- [/] Cut\n- [ ] Sew\n');
  fs.cpSync(path.join(made.home, '.gemini'), path.join(home, '.gemini'), { recursive: true });
}
