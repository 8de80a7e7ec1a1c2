import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import { shellCommand } from './shell-command.ts';

const cwd = '/home/user/shop';

test.each<[string, JsonObject, string | undefined]>([
  ['Bash', { command: 'make' }, 'make'],
  ['Bash', { cmd: 'make' }, undefined],
  ['Bash', { command: ' ' }, undefined],
  ['Bash', { command: 'make', run_in_background: true }, undefined],
  ['bash', { command: 'make' }, 'make'],
  ['exec_command', { cmd: 'ls', workdir: cwd }, 'ls'],
  ['exec_command', { cmd: 'ls', workdir: '/elsewhere' }, undefined],
  ['shell', { command: ['bash', '-lc', 'cat a && cat b'] }, 'cat a && cat b'],
  ['shell', { command: ['git', 'log', "--grep=it's"] }, "git log '--grep=it'\\''s'"],
  ['shell', { command: ['git', 5] }, undefined],
  ['shell', { command: [] }, undefined],
  ['shell_command', { command: 'ls', working_directory: cwd }, 'ls'],
  ['local_shell', { command: ['sh', '-c', 'true'] }, 'true'],
  ['run_shell_command', { command: 'ls', dir_path: '.' }, 'ls'],
  ['run_shell_command', { command: 'ls', dir_path: 'web' }, undefined],
  ['run_shell_command', { command: 'serve', is_background: true }, undefined],
  ['exec', { command: 'ls' }, 'ls'],
  ['exec', { command: 'ls', background: true }, undefined],
  ['exec', { input: "const r = await tools.exec_command({cmd:'cat \\'a b\\'.js'});\ntext(r.output);" }, "cat 'a b'.js"],
  ['exec', { code: 'const r = await tools.exec_command({"cmd":"ls"});\ntext(r.output);' }, 'ls'],
  ['exec', { input: "const r = await tools.exec_command({cmd:'ls'});\ntext(r.output.slice(0, 10));" }, undefined],
  ['exec', { input: 'const r = await tools.exec_command({cmd:`ls ${x}`});\ntext(r.output);' }, undefined],
  ['exec', { input: "const r = await tools.exec_command({cmd:'\\x41'});\ntext(r.output);" }, undefined],
  ['exec', {}, undefined],
])('%s %j ran %s', (name, input, command) => {
  expect(shellCommand(name, input, cwd)?.command).toBe(command);
});

test('only the limit of Claude Code’s shell is in a known unit', () => {
  expect(shellCommand('Bash', { command: 'x', timeout: 5000 }, cwd)).toEqual({ command: 'x', timeout: 5000 });
  expect(shellCommand('exec', { command: 'x', timeout: 5000 }, cwd)).toEqual({ command: 'x' });
});
