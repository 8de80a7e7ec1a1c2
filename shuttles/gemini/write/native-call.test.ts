/** Calls of every harness: those that mean exactly one of Gemini's tools become its call, whole; anything else is none. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { nativeCall } from './native-call.ts';

const cwd = '/home/user/shop';
const made = (name: string, input: JsonObject): unknown => {
  const call = nativeCall(name, input, cwd);
  return call === undefined ? undefined : [call.name, call.input];
};

test.each<[string, JsonObject, string, JsonObject]>([
  ['Bash', { command: 'ls', description: 'Look', timeout: 5 }, 'run_shell_command', { command: 'ls', description: 'Look' }],
  ['bash', { command: 'ls' }, 'run_shell_command', { command: 'ls' }],
  ['exec_command', { cmd: 'ls', workdir: '/tmp' }, 'run_shell_command', { command: 'ls', dir_path: '/tmp' }],
  ['shell', { command: ['bash', '-lc', 'a b'], workdir: cwd }, 'run_shell_command', { command: 'a b' }],
  ['Read', { file_path: 'a', offset: 3, limit: 2 }, 'read_file', { file_path: 'a', start_line: 3, end_line: 4 }],
  ['read', { path: 'a' }, 'read_file', { file_path: 'a' }],
  ['Write', { file_path: 'a', content: 'x' }, 'write_file', { file_path: 'a', content: 'x' }],
  [
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true },
    'replace',
    { file_path: 'a', instruction: 'Replace this text.', old_string: 'x', new_string: 'y', allow_multiple: true },
  ],
  ['Glob', { pattern: '*', path: 'src' }, 'glob', { pattern: '*', dir_path: 'src' }],
  ['ls', {}, 'list_directory', { dir_path: '.' }],
  ['WebFetch', { url: 'https://a.example', prompt: 'What?' }, 'web_fetch', { prompt: 'https://a.example What?' }],
  [
    'update_plan',
    { plan: [{ step: 'one', status: 'in_progress' }] },
    'write_todos',
    { todos: [{ description: 'one', status: 'in_progress' }] },
  ],
  ['glob', { pattern: '*', anything: 1 }, 'glob', { pattern: '*', anything: 1 }],
  ['mcp_tracker_find', { query: 'x' }, 'mcp_tracker_find', { query: 'x' }],
])('%s %j becomes %s', (name, input, native, args) => {
  expect(made(name, input)).toEqual([native, args]);
});

test.each<[string, JsonObject]>([
  ['Bash', { command: 'sleep 9', run_in_background: true }],
  ['Read', { file_path: 'a', pages: '1-2' }],
  ['Read', { file_path: 'a', offset: 'x' }],
  ['Write', { file_path: 'a' }],
  ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: 'yes' }],
  ['Grep', { pattern: 'x' }],
  ['MultiEdit', { file_path: 'a', edits: [] }],
  ['edit', { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] }],
  ['update_plan', { plan: [{ step: 'one', status: 'blocked' }] }],
  ['update_plan', { plan: [{ step: 'one', status: 'pending' }], explanation: 'because' }],
  ['grep_search', { Query: 'x' }],
  ['mcp__tracker__find', { query: 'x' }],
  ['toString', {}],
  ['', {}],
])('%s %j is none of its tools', (name, input) => {
  expect(made(name, input)).toBeUndefined();
});

test('nothing is thrown, and every text of a translated call is in it', () => {
  const names = fc.constantFrom(
    'Bash',
    'exec_command',
    'Read',
    'Write',
    'Edit',
    'Glob',
    'LS',
    'WebFetch',
    'TodoWrite',
    'read',
    'edit',
    'find',
  );
  const fields = fc.constantFrom(
    'command',
    'cmd',
    'file_path',
    'path',
    'content',
    'old_string',
    'new_string',
    'pattern',
    'url',
    'prompt',
    'todos',
  );
  fc.assert(
    fc.property(names, fc.dictionary(fields, fc.oneof(fc.string({ minLength: 1 }), fc.jsonValue())), (name, input) => {
      const call = nativeCall(name, input, cwd);
      if (call === undefined || call.name === 'run_shell_command') return;
      for (const value of Object.values(input))
        if (typeof value === 'string') expect(JSON.stringify(call.input)).toContain(JSON.stringify(value).slice(1, -1));
    }),
    { seed: 3, numRuns: 500 },
  );
});
