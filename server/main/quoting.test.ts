import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteCommand } from './quoting.ts';

test('a command can be pasted into a shell as it is', () => {
  expect(quoteCommand(['codex', 'resume', 'a-1'], '/home/user/shop', 'linux')).toBe('cd /home/user/shop && codex resume a-1');
  expect(quoteCommand(['codex'], "/home/user/it's", 'darwin')).toBe(`cd '/home/user/it'\\''s' && codex`);
  expect(quoteCommand(['claude'], 'C:\\my shop', 'win32')).toBe(`Set-Location -LiteralPath 'C:\\my shop'; claude`);
});

test('signs that a terminal would obey are written out, and the shell still gets the same word', () => {
  const word = `/home/a\u001b[31m'red'\\x\n\u202Edrow $(touch pwned)`;
  const line = quoteCommand(['printf', '%s', word], '/tmp', 'linux');
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  if (process.platform !== 'win32') expect(execFileSync('bash', ['-c', line], { encoding: 'utf8' })).toBe(word);
  const shell = quoteCommand(['codex'], 'C:\\a\u202E$x`"b', 'win32');
  expect(shell).toBe('Set-Location -LiteralPath "C:\\a$([char]8238)`$x```"b"; codex');
});
