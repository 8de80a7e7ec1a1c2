import { expect, test } from 'vitest';
import { sampleChanges, sampleFile, sampleTurn } from '../sample-changes.ts';
import { assistant, prompt, setting, turn } from './sample-entries.ts';
import { Transcript } from './transcript.ts';
import { lineOf, placeChanges } from './turn-changes.ts';
import type { ConversationView, EntryView } from '../../server/protocol/views.ts';
import type { Row } from './rows.ts';
import type { Line } from './turn-changes.ts';

const file = sampleFile('a.ts');

function rowsOf(...entries: readonly EntryView[]): readonly Row[] {
  const transcript = new Transcript();
  transcript.append(entries);
  return transcript.rows;
}
function placed(
  rows: readonly Row[],
  changes: Parameters<typeof placeChanges>[1],
  line: Line = new Map([[1, Infinity]]),
): unknown {
  const { ends, above } = placeChanges(rows, changes, line);
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

test('a turn whose prompt is not loaded is told at its end, on the line that it is of and up to where another line leaves it', () => {
  const rows = rowsOf(assistant(11, { text: 'Still at it' }), turn(12, 'completed'), prompt(20, 'More'));
  const told = { ends: { u12: 'Turn 1' }, above: {} };
  const none = { ends: {}, above: {} };
  const changes = sampleChanges([sampleTurn(10, 1, [file])]);
  expect(placed(rows, changes)).toEqual(told);
  expect(placed(rows, changes, new Map([[2, Infinity]]))).toEqual(none);
  const onto = (at: number): Line =>
    lineOf({ conversation: 2, conversations: [branch(1, null), branch(2, { conversation: 1, at })] });
  expect(placed(rows, changes, onto(15))).toEqual(told);
  expect(placed(rows, changes, onto(10))).toEqual(none);
});

test('rows of a turn that is not told are not taken for the ones of the last that is', () => {
  const rows = rowsOf(assistant(31, { text: 'Another turn' }), turn(32, 'completed'));
  expect(placed(rows, sampleChanges([sampleTurn(10, 1, [file])]))).toEqual({ ends: {}, above: {} });
  const unknown = { ...sampleTurn(10, 1, [file]), last: null };
  expect(placed(rowsOf(assistant(11, { text: 'It' })), sampleChanges([unknown]))).toEqual({ ends: {}, above: {} });
});

test('a line goes through its forks, each up to where the nearest one below leaves it, and no circle is followed for ever', () => {
  const conversations = [
    branch(1, null),
    branch(2, { conversation: 1, at: 40 }),
    branch(3, { conversation: 2, at: 20 }),
    branch(4, null),
  ];
  expect(lineOf({ conversation: 3, conversations })).toEqual(
    new Map([
      [3, Infinity],
      [2, 20],
      [1, 20],
    ]),
  );
  expect(lineOf({ conversation: 9, conversations })).toEqual(new Map([[9, Infinity]]));
  const circle = [branch(1, { conversation: 2, at: 5 }), branch(2, { conversation: 1, at: 6 })];
  expect([...lineOf({ conversation: 1, conversations: circle }).keys()]).toEqual([1, 2]);
});

function branch(id: number, parent: ConversationView['parent']): ConversationView {
  return { id, parent, owner: null, current: false, title: '', harness: 'claude', entries: 1, last: 1 };
}

test('text that a hook or a harness put in begins no turn, a baton does', () => {
  const rows = rowsOf(prompt(10, 'Do it'), prompt(11, 'by a hook', 'hook'), prompt(20, 'baton', 'loom'));
  const changes = sampleChanges([sampleTurn(10, 1, [file]), sampleTurn(20, 3, [file])]);
  expect(placed(rows, changes)).toEqual({ ends: { a11: 'Turn 1', a20: 'Turn 2' }, above: {} });
});

test('without changes nothing is placed', () => {
  expect(placed(two, null)).toEqual({ ends: {}, above: {} });
  expect(placed([], sampleChanges([sampleTurn(10, 1, [file])]))).toEqual({ ends: {}, above: {} });
});
