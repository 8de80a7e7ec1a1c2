import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { nativeCall } from './native-call.ts';

const cwd = '/home/user/shop';

test.each<[string, JsonObject, string, JsonObject]>([
  ['bash', { command: 'ls', timeout: 5 }, 'bash', { command: 'ls', timeout: 5 }],
  ['read', { path: 'a', offset: 2, limit: 3 }, 'read', { path: 'a', offset: 2, limit: 3 }],
  [
    'edit',
    { path: 'a', edits: [{ oldText: '1', newText: '2' }] },
    'edit',
    { path: 'a', edits: [{ oldText: '1', newText: '2' }] },
  ],
  ['edit', { path: 'a', oldText: '1', newText: '2' }, 'edit', { path: 'a', oldText: '1', newText: '2' }],
  ['ls', {}, 'ls', {}],
  ['Bash', { command: 'npm t', description: 'Run the tests', timeout: 120_000 }, 'bash', { command: 'npm t', timeout: 120 }],
  ['exec_command', { cmd: 'ls', workdir: cwd }, 'bash', { command: 'ls' }],
  ['run_shell_command', { command: 'ls', description: 'x' }, 'bash', { command: 'ls' }],
  ['exec', { command: 'ls' }, 'bash', { command: 'ls' }],
  ['Read', { file_path: '/a', offset: 1 }, 'read', { path: '/a', offset: 1 }],
  ['read_file', { absolute_path: '/a' }, 'read', { path: '/a' }],
  ['Write', { file_path: '/a', content: '' }, 'write', { path: '/a', content: '' }],
  [
    'Edit',
    { file_path: '/a', old_string: 'x', new_string: '', replace_all: false },
    'edit',
    { path: '/a', edits: [{ oldText: 'x', newText: '' }] },
  ],
  [
    'replace',
    { file_path: 'a', old_string: 'x', new_string: 'y', instruction: 'z' },
    'edit',
    { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
  ],
  ['Glob', { pattern: '**/*.ts', path: 'src' }, 'find', { pattern: '**/*.ts', path: 'src' }],
  ['list_directory', { dir_path: 'src' }, 'ls', { path: 'src' }],
])('%s %j is %s %j in pi', (name, input, own, made) => {
  expect(nativeCall(name, input, cwd)).toEqual({ name: own, input: made });
});

test.each<[string, JsonObject]>([
  ['bash', {}],
  ['bash', { command: ['ls'] }],
  ['bash', { command: 'ls', timeout: 'soon' }],
  ['read', { path: 'a', offset: '2' }],
  ['edit', { path: 'a' }],
  ['edit', { path: 'a', edits: [] }],
  ['edit', { path: 'a', edits: [{ oldText: '1' }] }],
  ['edit', { path: 'a', edits: 'x' }],
  ['Bash', { command: 'npm start', run_in_background: true }],
  ['exec_command', { cmd: 'ls', workdir: '/elsewhere' }],
  ['Read', { file_path: '/a', pages: '1-2' }],
  ['Read', { file_path: 5 }],
  ['read_file', {}],
  ['read_file', { file_path: 'a', absolute_path: '/a' }],
  ['Edit', { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true }],
  ['Edit', { file_path: '/a', old_string: '', new_string: 'y' }],
  ['replace', { file_path: 'a', old_string: 'x', new_string: 'y', expected_replacements: 2 }],
  ['Grep', { pattern: 'x' }],
  ['apply_patch', { input: 'x' }],
  ['mcp__tracker__find', { query: 'x' }],
  ['constructor', {}],
  ['__proto__', {}],
  ['', {}],
])('%s %j has no such form in pi', (name, input) => {
  expect(nativeCall(name, input, cwd)).toBeUndefined();
});
