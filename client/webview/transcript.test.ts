import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntryView } from '../../server/protocol/views.ts';
import { assistant, call, handoff, notice, opaque, prompt, result, setting, turn } from './sample-entries.ts';
import type { Row } from './rows.ts';
import { Transcript } from './transcript.ts';

function rowsOf(entries: readonly EntryView[]): readonly Row[] {
  const transcript = new Transcript();
  transcript.append(entries);
  return transcript.rows;
}
const shapes = (rows: readonly Row[]): readonly string[] =>
  rows.map((row) => `${row.kind} ${row.entries.map((entry) => entry.id).join('+')}`);

test('a call and its result are one row, also when other entries stand between them', () => {
  const rows = rowsOf([
    assistant(1, { calls: [call('a'), call('b', 'Read')] }),
    notice(2, 'info', 'x'),
    result(3, 'b'),
    result(4, 'a'),
  ]);
  expect(shapes(rows)).toEqual(['tool 1+4', 'tool 1+3', 'notice 2']);
  expect(rows[1]).toMatchObject({ call: { name: 'Read' }, result: { id: 3 } });
});

test('the blocks of one message are joined, and thinking stays apart from the text', () => {
  const rows = rowsOf([
    assistant(1, { messageId: 'm', thinking: 'hm' }),
    assistant(2, { messageId: 'm', text: 'one' }),
    assistant(3, { messageId: 'm', text: 'two', calls: [call('a')] }),
    assistant(4, { messageId: 'n', text: 'three' }),
    assistant(5, { text: 'four' }),
    assistant(6, { text: 'five' }),
  ]);
  expect(shapes(rows)).toEqual(['thinking 1', 'answer 2+3', 'tool 3', 'answer 4', 'answer 5', 'answer 6']);
});

test('a result without its call has a row of its own until the page with the call comes', () => {
  const transcript = new Transcript();
  transcript.append([result(5, 'a'), prompt(6, 'next')]);
  expect(shapes(transcript.rows)).toEqual(['tool 5', 'prompt 6']);
  transcript.prepend([prompt(1, 'first'), assistant(2, { calls: [call('a')] })]);
  expect(shapes(transcript.rows)).toEqual(['prompt 1', 'tool 2+5', 'prompt 6']);
});

test('a second result of one call is shown and not lost', () => {
  expect(shapes(rowsOf([assistant(1, { calls: [call('a')] }), result(2, 'a'), result(3, 'a')]))).toEqual(['tool 1+2', 'tool 3']);
});

test('small marks in a row make one line, and the start of a turn makes none', () => {
  expect(
    shapes(rowsOf([turn(1, 'started'), setting(2, 'model', 'x'), opaque(3, 'y'), prompt(4, 'p'), turn(5, 'completed')])),
  ).toEqual(['marks 2+3', 'prompt 4', 'turn 5']);
});

test('what no person typed is no prompt', () => {
  expect(
    shapes(rowsOf([prompt(1, 'x', 'harness'), prompt(2, 'x', 'loom'), prompt(3, 'x', 'queued'), prompt(4, 'x', 'hook')])),
  ).toEqual(['aside 1', 'aside 2', 'prompt 3', 'aside 4']);
});

test('a kind that this page does not know keeps its place', () => {
  const odd = { ...prompt(2, 'x'), kind: 'hologram' } as unknown as EntryView;
  expect(shapes(rowsOf([prompt(1, 'a'), odd, prompt(3, 'b')]))).toEqual(['prompt 1', 'marks 2', 'prompt 3']);
});

test('an entry that is held already is not taken again, at either end', () => {
  const transcript = new Transcript();
  transcript.append([prompt(5, 'a'), prompt(6, 'b')]);
  transcript.append([prompt(6, 'b'), prompt(7, 'c')]);
  transcript.prepend([prompt(4, 'z'), prompt(5, 'a')]);
  expect(shapes(transcript.rows)).toEqual(['prompt 4', 'prompt 5', 'prompt 6', 'prompt 7']);
  expect([transcript.first, transcript.last, transcript.count]).toEqual([4, 7, 4]);
});

test('the whole of a clipped entry takes its place in its row', () => {
  const transcript = new Transcript();
  transcript.append([assistant(1, { calls: [call('a'), call('b')] }), result(2, 'b', { output: 'cut', clipped: true })]);
  transcript.replace(result(2, 'b', { output: 'whole' }));
  transcript.replace(assistant(1, { calls: [call('a'), { ...call('b'), input: 'whole' }] }));
  expect(transcript.rows[1]).toMatchObject({ call: { input: 'whole' }, result: { output: 'whole', clipped: false } });
  expect(shapes(transcript.rows)).toEqual(['tool 1', 'tool 1+2']);
});

test('the rows do not depend on the pages in which the entries came', () => {
  const ids = fc.constantFrom('a', 'b', 'c');
  const entry: fc.Arbitrary<(id: number) => EntryView> = fc.oneof(
    ids.map((callId) => (id: number) => result(id, callId)),
    fc.tuple(ids, fc.constantFrom('m', 'n', null)).map(
      ([callId, messageId]) =>
        (id: number) =>
          assistant(id, {
            messageId,
            text: id % 2 === 0 ? 'text' : '',
            thinking: id % 3 === 0 ? 'hm' : '',
            calls: id % 5 < 3 ? [call(callId)] : [],
          }),
    ),
    fc.constantFrom('m', 'n').map((messageId) => (id: number) => assistant(id, { messageId, text: 'more' })),
    fc.constant((id: number) => setting(id, 'model', 'x')),
    fc.constant((id: number) => opaque(id, 'x')),
    fc.constant((id: number) => prompt(id, 'p')),
    fc.constant((id: number) => handoff(id)),
  );
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 24 }),
      fc.array(fc.nat({ max: 24 }), { maxLength: 4 }),
      fc.nat({ max: 4 }),
      (makers, cuts, start) => {
        const entries = makers.map((make, index) => make(index + 1));
        const edges = [0, ...cuts.map((cut) => Math.min(cut, entries.length)).toSorted((a, b) => a - b), entries.length];
        const pages = edges.slice(1).map((edge, index) => entries.slice(edges[index], edge));
        const from = Math.min(start, pages.length);
        const transcript = new Transcript();
        let [older, newer] = [from - 1, from];
        // Pages come at both ends in turn, as they do when a person scrolls up in a thread that goes on.
        while (older >= 0 || newer < pages.length) {
          if (newer < pages.length) transcript.append(pages[newer++] ?? []);
          if (older >= 0) transcript.prepend(pages[older--] ?? []);
        }
        const whole = rowsOf(entries);
        expect(shapes(transcript.rows)).toEqual(shapes(whole));
        expect(transcript.rows.map((row) => row.key)).toEqual(whole.map((row) => row.key));
      },
    ),
    { seed: 20260910, numRuns: 2000 },
  );
});
