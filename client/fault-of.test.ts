import { expect, test } from 'vitest';
import { Fault, faults } from '../server/protocol/faults.ts';
import { troubleOf } from './fault-of.ts';

test('a numbered fault is shown with what can be done', () => {
  const error = Object.assign(new Error('x'), { code: 1, data: { id: 'C002', detail: 'Claude Code, process 42.' } });
  expect(troubleOf(error)).toEqual({
    id: 'C002',
    text: 'The thread is being driven right now. Claude Code, process 42.',
    fix: faults.C002.fix,
  });
  expect(troubleOf(new Fault('L004', '')).id).toBe('L004');
});

test('anything else is shown as its message', () => {
  expect(troubleOf(new Error('pipe closed'))).toEqual({ id: null, text: 'pipe closed', fix: '' });
  expect(troubleOf({ data: { id: 'toString' } }).id).toBeNull();
  expect(troubleOf('odd').text).toBe('odd');
  expect(troubleOf(new Error('')).text).not.toBe('');
});
