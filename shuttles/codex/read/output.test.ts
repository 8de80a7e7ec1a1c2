import { expect, test } from 'vitest';
import type { JsonValue } from '../../contract/json.ts';
import { readOutput } from './output.ts';

function outcome(output: JsonValue): { readonly text: string; readonly details: object } {
  const { content, details } = readOutput({ output });
  return { text: content.map((block) => (block.type === 'text' ? block.text : `<${block.mimeType}>`)).join('|'), details };
}

test('the header of a shell output becomes details', () => {
  expect(
    outcome('Chunk ID: f70a0a\nWall time: 1.5000 seconds\nProcess exited with code 3\nOriginal token count: 7\nOutput:\ntwo\n'),
  ).toEqual({
    text: 'two\n',
    details: { status: 'failed', exitCode: 3, durationMs: 1500 },
  });
  expect(outcome('Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.')).toEqual({
    text: 'Success.',
    details: { status: 'completed', exitCode: 0, durationMs: 0 },
  });
  expect(outcome('Wall time: 0.0056 seconds\nOutput:\n{"pong":"hi"}')).toEqual({
    text: '{"pong":"hi"}',
    details: { durationMs: 6 },
  });
});

test('a process that still runs keeps its header: the model needs the id in it', () => {
  const text = 'Chunk ID: f70a0a\nWall time: 10.0 seconds\nProcess running with session ID 4\nOutput:\nbuilding\n';
  expect(outcome(text)).toEqual({ text, details: { extra: { backgroundTask: '4' } } });
});

test('the JSON of older shells is taken apart, other JSON is not', () => {
  expect(outcome('{"output":"export const price = 10;\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}')).toEqual({
    text: 'export const price = 10;\n',
    details: { status: 'completed', exitCode: 0, durationMs: 100 },
  });
  expect(outcome('{"output":1}').text).toBe('{"output":1}');
});

test('code mode gives its header as a part, and pictures stay pictures', () => {
  const parts = [
    { type: 'input_text', text: 'Script completed\nWall time 0.1 seconds\nOutput:\n' },
    { type: 'input_text', text: 'done' },
    { type: 'input_image', image_url: 'data:image/png;base64,iVBO' },
  ];
  expect(outcome(parts)).toEqual({ text: 'done|<image/png>', details: { status: 'completed', durationMs: 100 } });
});

test('what Codex says of a call that did not run is known', () => {
  expect(outcome('Wall time: 2.7 seconds\naborted by user').details).toEqual({ status: 'interrupted' });
  expect(outcome('aborted').details).toEqual({ status: 'interrupted' });
  expect(outcome('unsupported call: no_such_tool').details).toEqual({ status: 'failed' });
  expect(outcome('apply_patch verification failed: Failed to read').details).toEqual({ status: 'failed' });
  expect(outcome('exec command rejected by user').details).toEqual({
    status: 'denied',
    decision: { allowed: false, by: 'user' },
  });
  expect(outcome('the job was aborted by user request').details).toEqual({});
});

test('a cut output says so', () => {
  expect(outcome('Exit code: 0\nWall time: 0 seconds\nOutput:\nab…120 tokens truncated…yz').details).toMatchObject({
    truncated: true,
  });
});

test('forms that other tools wrote are not lost', () => {
  expect(outcome({ content: 'text', success: false })).toEqual({ text: 'text', details: { status: 'failed' } });
  expect(outcome({ odd: 1 }).text).toBe('{"odd":1}');
  expect(outcome(null).text).toBe('');
});
