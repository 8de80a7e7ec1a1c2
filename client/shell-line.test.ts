import { expect, test } from 'vitest';
import { shellLine } from './shell-line.ts';

test('a command is pasted as the words that it has', () => {
  expect(shellLine(['codex', 'resume', '0198-a'], 'posix')).toBe('codex resume 0198-a');
  expect(shellLine(['agy', '-i', "it's $HOME", ''], 'posix')).toBe(`agy -i 'it'\\''s $HOME' ''`);
  expect(shellLine(['C:\\Program Files\\agy.exe', "it's $HOME"], 'windows')).toBe("& 'C:\\Program Files\\agy.exe' 'it''s $HOME'");
});
