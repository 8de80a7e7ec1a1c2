/** In which order the parts of a packet go when its budget shrinks: as packing-order.ts says in words. */
import { expect, test } from 'vitest';
import type { Baton } from './baton.ts';
import { renderBaton } from './render.ts';
import { sampleThread, start } from './testing-entries.ts';

const filler = (mark: string): string => `${mark} ${'and so on '.repeat(9)}`.trim();
const statement = (mark: string, entry: number) => ({ text: filler(mark), entries: [entry], trust: 'model' as const });

/** One statement of the same size in each place. */
const baton: Baton = {
  thread: { ...sampleThread, native: [] },
  to: 'codex',
  compiledAt: start,
  substance: 'enough',
  reason: null,
  since: null,
  goal: [{ ...statement('GOAL', 1), which: 'original' }],
  constraints: [{ ...statement('CONSTRAINT', 2), weight: 3 }],
  questions: [{ ...statement('QUESTION', 3), by: 'agent' }],
  open: [statement('CALL', 4)],
  plan: [
    { ...statement('TODO', 5), status: 'pending' },
    { ...statement('DONE', 6), status: 'completed' },
  ],
  next: [],
  failed: [
    { ...statement('FAILED', 7), kind: 'command', times: 1, resolved: false, changedSince: [] },
    { ...statement('MENDED', 8), kind: 'command', times: 1, resolved: true, changedSince: [] },
  ],
  world: [statement('WORLD', 9)],
  decisions: [
    { ...statement('DECISION', 10), by: 'agent', about: 'chosen', weight: 4, changedSince: [] },
    { ...statement('FINDING', 11), by: 'agent', about: 'found', weight: 1, changedSince: [] },
  ],
  files: [{ ...statement('FILE', 12), path: 'a', change: 'update', added: 1, removed: 1 }],
  lastTurns: [
    { ...statement('OLDER', 13), who: 'agent' },
    { ...statement('PROMPT', 14), who: 'person' },
    { ...statement('ANSWER', 15), who: 'agent' },
  ],
  summary: statement('SUMMARY', 16),
  pointer: [statement('POINTER', 17)],
  counts: { entries: 17, prompts: 1, files: 1, omitted: 0 },
};
const marks = JSON.stringify(baton).match(/[A-Z]{4,}(?= and so)/g) ?? [];

/** The smallest budget, in steps of four tokens, from which on a part is always there. */
function smallest(mark: string): number {
  let least = 8000;
  for (let budgetTokens = 2400; budgetTokens >= 200; budgetTokens -= 4) {
    if (!renderBaton(baton, { budgetTokens }).markdown.includes(mark)) break;
    least = budgetTokens;
  }
  return least;
}

test('goal and constraints stay longest, the summary and older turns go first, and each part needs no less than what stands before it', () => {
  const needs = new Map(marks.map((mark) => [mark, smallest(mark)] as const));
  const need = (mark: string): number => needs.get(mark) ?? Number.NaN;
  expect(Math.max(need('GOAL'), need('CONSTRAINT'))).toBeLessThanOrEqual(400);
  const first = ['GOAL', 'CONSTRAINT', 'QUESTION', 'TODO', 'FAILED', 'WORLD', 'DECISION', 'PROMPT', 'ANSWER', 'FILE'];
  const late = ['MENDED', 'FINDING', 'OLDER', 'SUMMARY'];
  const worst = Math.max(...first.map(need));
  for (const mark of late) expect(need(mark)).toBeGreaterThanOrEqual(worst);
  expect(late.map(need)).toEqual(late.map(need).toSorted((a, b) => a - b));
  expect(need('SUMMARY')).toBe(Math.max(...needs.values()));
  expect(need('POINTER')).toBe(200);
});
