import { expect, test } from 'vitest';
import { betweenWords, byWords, pathWords, sizeWords, tooltipWords, totalWords, turnName } from './changes-words.ts';
import { sampleFile, sampleTurn } from './sample-changes.ts';

const file = sampleFile('src/a.ts');

test('turns are counted from 1, and what lies between two has the numbers of both', () => {
  const turns = [sampleTurn(10, 1, [file]), sampleTurn(null, 2, [file]), sampleTurn(30, 3, [file])];
  expect(turns.map((turn) => turnName(turns, turn))).toEqual(['Turn 1', 'Between turns 1 and 2', 'Turn 2']);
});

test('a total says files and lines', () => {
  expect(totalWords(3, 40, 12)).toBe('3 files +40 −12');
  expect(totalWords(1, 0, 1)).toBe('1 file +0 −1');
});

test('what is no text has no lines, and a mode is a change too', () => {
  expect(sizeWords(sampleFile('a.png', { added: null, removed: null }))).toBe('no text');
  expect(sizeWords(sampleFile('new.ts', { change: 'added', removed: 0 }))).toBe('new, +2 −0');
  expect(sizeWords(sampleFile('run.sh', { change: 'mode', added: 0, removed: 0 }))).toBe('mode changed');
});

test('a moved file is named by both its names, and signs that reorder text are shown by name', () => {
  expect(pathWords(sampleFile('b.ts', { from: 'a.ts', change: 'moved' }))).toBe('a.ts → b.ts');
  expect(pathWords(sampleFile('a\u202Ets.exe'))).toBe('a⟨RLO⟩ts.exe');
});

test('whose change it is is said no surer than it is known', () => {
  expect(byWords('tool', 'codex')).toBe('edited by Codex');
  expect(byWords('command', 'codex')).toContain('while Codex ran commands');
  expect(byWords('between', 'codex')).toContain('you or another agent');
  expect(byWords('unclear', 'codex')).toContain('unclear');
  expect(betweenWords(sampleTurn(null, 1, [file]))).toBe('between turns: 1 file +2 −1, by you or another agent');
});

test('a tooltip names at most twenty files and counts the others', () => {
  const files = Array.from({ length: 30 }, (_, i) => sampleFile(`f${i}.ts`));
  const lines = tooltipWords({ ...sampleTurn(1, 1, files), filesTotal: 1200, beside: ['x'] }).split('\n');
  expect(lines).toHaveLength(22);
  expect(lines.at(-2)).toBe('and 1,180 more files');
  expect(lines.at(-1)).toBe('1 other thread worked in the same folder meanwhile');
});
