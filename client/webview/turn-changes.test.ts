import { expect, test } from 'vitest';
import { sampleChanges, sampleFile, sampleTurn } from '../sample-changes.ts';
import { assistant, prompt, setting, turn } from './sample-entries.ts';
import { Transcript } from './transcript.ts';
import { placeChanges } from './turn-changes.ts';
import type { EntryView } from '../../server/protocol/views.ts';
import type { Row } from './rows.ts';

const file = sampleFile('a.ts');

function rowsOf(...entries: readonly EntryView[]): readonly Row[] {
  const transcript = new Transcript();
  transcript.append(entries);
  return transcript.rows;
}
function placed(rows: readonly Row[], changes: Parameters<typeof placeChanges>[1], single = true): unknown {
  const { ends, above } = placeChanges(rows, changes, single);
  const names = (map: typeof ends): unknown => Object.fromEntries([...map].map(([key, { name }]) => [key, name]));
  return { ends: names(ends), above: names(above) };
}

const two = rowsOf(
  prompt(10, 'Do it'),
  assistant(11, { text: 'Done' }),
  turn(12, 'completed'),
  setting(13, 'model', 'x'),
  prompt(20, 'More'),
  assistant(21, { text: 'Done too' }),
);

test('a turn is told where it says that it ended, else at its last row', () => {
  const changes = sampleChanges([sampleTurn(10, 1, [file]), sampleTurn(20, 3, [file])]);
  expect(placed(two, changes)).toEqual({ ends: { u12: 'Turn 1', w21: 'Turn 2' }, above: {} });
});

test('what lies between two turns stands above the prompt that follows', () => {
  const changes = sampleChanges([sampleTurn(10, 1, [file]), sampleTurn(null, 2, [file]), sampleTurn(20, 3, [file])]);
  expect(placed(two, changes)).toEqual({
    ends: { u12: 'Turn 1', w21: 'Turn 2' },
    above: { p20: 'Between turns 1 and 2' },
  });
});

test('a turn that changed nothing says nothing, and keeps its number', () => {
  const changes = sampleChanges([sampleTurn(10, 1, []), sampleTurn(20, 3, [file])]);
  expect(placed(two, changes)).toEqual({ ends: { w21: 'Turn 2' }, above: {} });
});

test('turns of other lines are not placed, and a turn that is not told ends the one before', () => {
  expect(placed(two, sampleChanges([sampleTurn(10, 1, [file]), sampleTurn(99, 3, [file])]))).toEqual({
    ends: { u12: 'Turn 1' },
    above: {},
  });
  expect(placed(two, sampleChanges([sampleTurn(20, 3, [file])]))).toEqual({ ends: { w21: 'Turn 1' }, above: {} });
});

test('a turn whose prompt is not loaded is told at its end, where no other line can be meant', () => {
  const rows = rowsOf(assistant(11, { text: 'Still at it' }), turn(12, 'completed'), prompt(20, 'More'));
  const changes = sampleChanges([sampleTurn(10, 1, [file])]);
  expect(placed(rows, changes)).toEqual({ ends: { u12: 'Turn 1' }, above: {} });
  expect(placed(rows, changes, false)).toEqual({ ends: {}, above: {} });
});

test('text that a hook or a harness put in begins no turn, a baton does', () => {
  const rows = rowsOf(prompt(10, 'Do it'), prompt(11, 'by a hook', 'hook'), prompt(20, 'baton', 'loom'));
  const changes = sampleChanges([sampleTurn(10, 1, [file]), sampleTurn(20, 3, [file])]);
  expect(placed(rows, changes)).toEqual({ ends: { a11: 'Turn 1', a20: 'Turn 2' }, above: {} });
});

test('without changes nothing is placed', () => {
  expect(placed(two, null)).toEqual({ ends: {}, above: {} });
  expect(placed([], sampleChanges([sampleTurn(10, 1, [file])]))).toEqual({ ends: {}, above: {} });
});
