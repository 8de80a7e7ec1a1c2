import { expect, test } from 'vitest';
import { keeps, type FilterName } from './filters.ts';
import { assistant, call, handoff, notice, prompt, result } from './sample-entries.ts';
import { Transcript } from './transcript.ts';

const transcript = new Transcript();
transcript.append([
  prompt(1, 'a'),
  assistant(2, { thinking: 'hm', text: 'answer', calls: [call('a'), call('b')] }),
  result(3, 'a'),
  result(4, 'b', { isError: true }),
  notice(5, 'error', 'overloaded'),
  handoff(6),
]);
const kept = (...names: FilterName[]): readonly string[] =>
  transcript.rows.filter((row) => keeps(new Set(names), row)).map((row) => row.kind);

test('without a filter everything is shown', () => {
  expect(kept()).toEqual(['prompt', 'thinking', 'answer', 'tool', 'tool', 'notice', 'divider']);
});

test('filters are a union, and dividers always stay', () => {
  expect(kept('prompts')).toEqual(['prompt', 'divider']);
  expect(kept('prompts', 'answers')).toEqual(['prompt', 'answer', 'divider']);
  expect(kept('tools')).toEqual(['tool', 'tool', 'divider']);
});

test('failures are failed tools and errors of the harness', () => {
  expect(kept('failures')).toEqual(['tool', 'notice', 'divider']);
});
