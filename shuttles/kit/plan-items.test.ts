import { expect, test } from 'vitest';
import { planItems } from './plan-items.ts';

test('a list is read under the names that programs have for a task and its state', () => {
  expect(
    planItems([
      { content: 'Measure', status: 'completed' },
      { step: 'Cut', status: 'in_progress' },
      { description: 'Sew', status: 'blocked', blocker: 'thread' },
      { text: 'Iron', done: true },
      { subject: 'Fold', status: 'In Progress' },
      { title: 'Pack', state: 'closed' },
      { text: 'Ship' },
    ]),
  ).toEqual([
    { text: 'Measure', status: 'completed' },
    { text: 'Cut', status: 'inProgress' },
    { text: 'Sew (waits: thread)', status: 'pending' },
    { text: 'Iron', status: 'completed' },
    { text: 'Fold', status: 'inProgress' },
    { text: 'Pack', status: 'completed' },
    { text: 'Ship', status: 'pending' },
  ]);
});

test('what was given up, and what has no text, is no part of a plan; a long plan is cut', () => {
  expect(
    planItems([{ content: 'a', status: 'abandoned' }, { content: 'b', status: 'cancelled' }, { status: 'pending' }, {}]),
  ).toEqual([]);
  const many = planItems(
    Array.from({ length: 500 }, () => ({ content: 'x'.repeat(5000) })),
    'Phase: ',
  );
  expect(many).toHaveLength(200);
  expect(many[0]?.text).toBe(`Phase: ${'x'.repeat(993)}`);
});
