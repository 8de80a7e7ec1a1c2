/** A conversation in Antigravity's own store, for hand-overs from it: its programs cannot be had, so it is written as they write. */
import fs from 'node:fs';
import path from 'node:path';
import { AntigravityHome, answer, base, callOf, int, message, prompt, text, bytes } from '../antigravity-home.ts';

export const conversation = '0f000000-0000-4000-8000-000000000001';

export function writeAntigravity(world) {
  using made = new AntigravityHome();
  const run = (idx, id, command, output, exit) => [
    answer(idx, 'I run it.', { calls: [callOf(id, 'run_command', { CommandLine: command, Cwd: world.cwd })] }),
    {
      idx: idx + 1,
      type: 21,
      field: 28,
      at: base + idx + 1,
      call: callOf(id, 'run_command', { CommandLine: command, Cwd: world.cwd }),
      body: message(text(2, world.cwd), text(23, command), int(6, exit), bytes(21, text(1, output))),
    },
  ];
  made.store(
    conversation,
    [
      prompt(0, 'What does this project do?'),
      answer(1, 'It is a small shop: price.js holds the price.'),
      prompt(2, 'Run the check script. Never touch price.js.'),
      ...run(3, 'call-1', 'sh check.sh', 'check failed: no total', 3),
      answer(5, 'The check failed with exit code 3: there is no total.'),
    ],
    { folder: world.cwd },
  );
  made.summary(conversation, 'What does this project do?', '', world.cwd);
  fs.cpSync(path.join(made.home, '.gemini'), path.join(world.home, '.gemini'), { recursive: true });
}
