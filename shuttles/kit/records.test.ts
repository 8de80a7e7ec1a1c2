import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NativeRecord } from '../contract/read.ts';
import { longestLine, RecordCutter } from './records.ts';

const cases = path.join(import.meta.dirname, '../../test/cases');

function cut(bytes: Uint8Array | string, limit?: number): NativeRecord[] {
  const cutter = new RecordCutter(0, limit);
  const records = cutter.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  return [...records, ...cutter.finish()];
}
const values = (records: readonly NativeRecord[]) => records.map((record) => (record.ok ? record.value : record.reason));
const places = (records: readonly NativeRecord[]) => records.map((record) => [record.offset, record.length]);

test('each line is a record with the place of its object', () => {
  const records = cut('{"a":1}\n{"b":"é"}\r\n\n   \n  {"c":3} \n');
  expect(values(records)).toEqual([{ a: 1 }, { b: 'é' }, { c: 3 }]);
  expect(places(records)).toEqual([
    [0, 7],
    [8, 10],
    [27, 7],
  ]);
});

test('a torn last line waits for its newline, and the saved offset stands before it', () => {
  const cutter = new RecordCutter();
  expect(values(cutter.feed(Buffer.from('{"a":1}\n{"b":')))).toEqual([{ a: 1 }]);
  expect(cutter.offset).toBe(8);
  expect(cutter.pending).toBe(5);
  expect(cutter.feed(Buffer.from('2}'))).toEqual([]);
  expect(cutter.offset).toBe(8);
  const rest = cutter.feed(Buffer.from('\n'));
  expect(values(rest)).toEqual([{ b: 2 }]);
  expect(places(rest)).toEqual([[8, 7]]);
  expect(cutter.offset).toBe(16);
  expect(cutter.pending).toBe(0);
});

test('a cutter that starts at a saved offset gives the places in the file', () => {
  const cutter = new RecordCutter(1000);
  expect(places(cutter.feed(Buffer.from('{"a":1}\n{"b":2}\n')))).toEqual([
    [1000, 7],
    [1008, 7],
  ]);
  expect(cutter.offset).toBe(1016);
});

test('only a source that is closed for good gives its last line without a newline', () => {
  const cutter = new RecordCutter();
  expect(cutter.feed(Buffer.from('{"a":1}'))).toEqual([]);
  expect(values(cutter.finish())).toEqual([{ a: 1 }]);
  expect(cutter.offset).toBe(7);
  expect(cutter.finish()).toEqual([]);
});

test('a byte order mark at the start of a file is no part of the first record', () => {
  expect(cut('\uFEFF{"a":1}\n')).toEqual([{ ok: true, offset: 3, length: 7, value: { a: 1 } }]);
});

test('records that are glued together are each found at their own place', () => {
  const records = cut('{"a":1}{"b":{"c":2}}  {"d":3}\n');
  expect(values(records)).toEqual([{ a: 1 }, { b: { c: 2 } }, { d: 3 }]);
  expect(places(records)).toEqual([
    [0, 7],
    [7, 13],
    [22, 7],
  ]);
});

const whole =
  '{"parentUuid":"p","type":"user","message":{"role":"user","content":[{"type":"text","text":"say \\"{\\" é"}]},"n":[1,{"x":2}]}';

test('a record cut off anywhere with the next one glued on: the next is saved whole and the first is reported', () => {
  for (let at = 1; at < whole.length; at++) {
    const torn = whole.slice(0, at);
    const records = cut(`${torn}${whole}\n{"after":1}\n`);
    // A cut within the first name leaves nothing by which the place could be told; the record itself must never be lost.
    const saved = records.filter((record) => record.ok);
    expect(values(saved), torn).toEqual([JSON.parse(whole), { after: 1 }]);
    const damage = records.filter((record) => !record.ok);
    expect(damage, torn).toHaveLength(1);
    expect(damage[0]?.offset).toBe(0);
    expect(damage[0]?.length).toBe(Buffer.byteLength(torn.trimEnd()));
  }
});

test('a record cut off anywhere and closed by a newline is one damaged place, and none of its inner objects is a record', () => {
  for (let at = 1; at < whole.length; at++) {
    const records = cut(`${whole.slice(0, at)}\n${whole}\n`);
    expect(records.map((record) => record.ok)).toEqual([false, true]);
  }
});

test('a record overwritten in the middle is one damaged place, and none of its inner objects is a record', () => {
  for (let at = 1; at < whole.length - 1; at++) {
    const bytes = Buffer.from(`${whole}\n${whole}\n`);
    bytes[at] = 0;
    expect(cut(bytes).map((record) => record.ok)).toEqual([false, true]);
  }
});

test('a record with a hole in it that is also cut off is one damaged place, and none of its inner objects is a record', () => {
  const hole = whole.indexOf('user"');
  for (let at = hole + 8; at < whole.length; at++) {
    const bytes = Buffer.from(`${whole.slice(0, at)}\n${whole}\n`).fill(0, hole, hole + 3);
    expect(
      cut(bytes).map((record) => record.ok),
      whole.slice(0, at),
    ).toEqual([false, true]);
  }
});

test('a record behind a hole of NUL bytes is found, within a line as at its start', () => {
  expect(values(cut(`${'\0'.repeat(300)}{"a":1}\n`))).toEqual([{ a: 1 }]);
  expect(values(cut(`{"a":1}${'\0'.repeat(300)}{"b":2}\0\n`))).toEqual([{ a: 1 }, { b: 2 }]);
  const torn = cut(`{"a":"lost${'\0'.repeat(300)}{"b":2}\n`);
  expect(torn).toEqual([
    { ok: false, offset: 0, length: 10, text: '{"a":"lost', reason: 'a record that is cut off or overwritten' },
    { ok: true, offset: 310, length: 7, value: { b: 2 } },
  ]);
});

test('what is no record is reported with its place and its reason', () => {
  const records = cut('}\n{\nnot json at all\n[]\nnull\n42\n"text"\n[{"a":1}]\n{}\nINFO {"a":1}\n');
  expect(values(records)).toEqual([
    'no JSON object',
    'a record that is cut off or overwritten',
    'no JSON object',
    ...Array.from({ length: 5 }, () => 'JSON, but no object'),
    {},
    'no JSON object',
    { a: 1 },
  ]);
  expect(records[2]).toEqual({ ok: false, offset: 4, length: 15, text: 'not json at all', reason: 'no JSON object' });
});

test('bytes that are no UTF-8 and lone surrogates become replacement characters, in names too', () => {
  const bad = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n')]);
  expect(values(cut(bad))).toEqual([{ a: 'x\uFFFD\uFFFD' }]);
  expect(values(cut('{"\\uD83D":["\\udea2 \\ud83d\\udea2 \\\\ud83d"]}\n'))).toEqual([{ '\uFFFD': ['\uFFFD 🚢 \\ud83d'] }]);
});

test('a field named __proto__ stays a field', () => {
  const [record] = cut('{"__proto__":{"a":1},"b":"\\ud83d"}\n');
  expect(record?.ok && Object.keys(record.value)).toEqual(['__proto__', 'b']);
  expect(({} as { a?: number }).a).toBeUndefined();
});

test('a record too deep for recursion is reported; the next one is read', () => {
  const depth = 200_000;
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(cut(`${deep}\n{"a":1}\n`).map((record) => record.ok)).toEqual([false, true]);
  expect(cut(`${'{"a":'.repeat(depth)}\n{"a":1}\n`).map((record) => record.ok)).toEqual([false, true]);
  expect(cut(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}\n`).map((record) => record.ok)).toEqual([false]);
});

test('a line of 10 MB is read', () => {
  const [record] = cut(`${JSON.stringify({ text: 'x'.repeat(10_000_000) })}\n`);
  expect(record?.ok).toBe(true);
});

test('a line beyond the limit is reported by its place and not held in memory', () => {
  const limit = 100_000;
  const cutter = new RecordCutter(0, limit);
  const piece = Buffer.alloc(10_000, 'x');
  const records = cutter.feed(Buffer.from('{"a":1}\n'));
  for (let i = 0; i < 100; i++) records.push(...cutter.feed(piece));
  expect(cutter.pending).toBe(1_000_000);
  expect(cutter.offset).toBe(8);
  records.push(...cutter.feed(Buffer.from('\n{"b":2}\n')));
  expect(values(records)).toEqual([{ a: 1 }, 'a line longer than 100000 bytes', { b: 2 }]);
  expect(places(records)).toEqual([
    [0, 7],
    [8, 1_000_000],
    [1_000_009, 7],
  ]);
  expect(records[1]?.ok === false && records[1].text.length).toBe(4096);
  expect(cut(`${'y'.repeat(limit + 1)}\n{"b":2}\n`, limit).map((record) => record.ok)).toEqual([false, true]);
  expect(longestLine).toBe(67_108_864);
});

test('a long line in very many small chunks costs no more than its size', () => {
  const cutter = new RecordCutter();
  const chunk = Buffer.alloc(16, 'x');
  const began = performance.now();
  cutter.feed(Buffer.from('{"a":"'));
  for (let i = 0; i < 500_000; i++) cutter.feed(chunk);
  const records = cutter.feed(Buffer.from('"}\n'));
  expect(records[0]?.ok).toBe(true);
  // Copying the whole line at every chunk would move 2 TB.
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('a damaged line of megabytes is salvaged in linear time', () => {
  const nested = `{"a":[${'{"b":{"c":"d"}},'.repeat(300_000)}`;
  const began = performance.now();
  expect(values(cut(`${nested}@@${nested}{"z":1}\n`)).at(-1)).toBe('a record that is cut off or overwritten');
  expect(values(cut(`${nested}@@${nested}x{"a":1}\n`)).at(-1)).toEqual({ a: 1 });
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('of a real spliced and holed session nine records are recovered and every damaged place is reported (case 60)', () => {
  const folder = path.join(cases, '60-spliced-and-nul/home/.claude/projects/-srv-demo-harbor-app');
  const records = cut(fs.readFileSync(path.join(folder, fs.readdirSync(folder)[0] ?? '')));
  expect(records.filter((record) => record.ok && 'uuid' in record.value)).toHaveLength(9);
  const text = JSON.stringify(records.filter((record) => record.ok));
  for (const part of ['Prompt 1.', 'Answer 1.', 'Prompt 2.', 'Answer 3.', 'Prompt 4.', 'Answer 5.']) expect(text).toContain(part);
  expect(text).not.toContain('not json at all');
  expect(values(records.filter((record) => !record.ok))).toEqual([
    'a record that is cut off or overwritten',
    'no JSON object',
    'no JSON object',
    ...Array.from({ length: 4 }, () => 'JSON, but no object'),
  ]);
});

test.each(['06-tail-torn-line', '62-tail-utf8-split'])('pieces that end anywhere give whole records (case %s)', (name) => {
  const home = path.join(cases, name, 'home/.claude/projects/-srv-demo-harbor-app');
  const steps = path.join(cases, name, 'steps');
  const pieces = [
    fs.readFileSync(path.join(home, fs.readdirSync(home)[0] ?? '')),
    ...fs.readdirSync(steps).map((step) => fs.readFileSync(path.join(steps, step))),
  ];
  const cutter = new RecordCutter();
  const records = pieces.flatMap((piece) => cutter.feed(piece));
  expect(records.every((record) => record.ok)).toBe(true);
  expect(JSON.stringify(records)).not.toContain('\uFFFD');
  const bytes = Buffer.concat(pieces);
  expect(cutter.offset).toBe(bytes.lastIndexOf(10) + 1);
  expect(cutter.offset + cutter.pending).toBe(bytes.length);
});

/** Lines as crashes, writers and people make them. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.object({ maxDepth: 2, maxKeys: 3 }).map((value) => JSON.stringify(value)) },
  fc.tuple(fc.nat(120), fc.boolean()).map(([at, glued]) => whole.slice(0, at) + (glued ? whole : '')),
  fc.constantFrom(
    '',
    '  ',
    '}',
    '{',
    '[]',
    '42',
    '\0\0\0',
    `\0\0${whole}`,
    `${whole}${whole}`,
    '\uFEFF{}',
    'rubbish',
    '{"🚢":"港口 café"}',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const source = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, closed]) => Buffer.from(lines.join(end) + (closed ? end : '')));

test('any split of the bytes gives the same records, the same offset and the same pending bytes', () => {
  fc.assert(
    fc.property(source, fc.array(fc.nat(2000), { maxLength: 30 }), (bytes, cuts) => {
      const at = once(bytes);
      const cutter = new RecordCutter();
      const edges = [0, ...cuts.map((edge) => edge % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
      const records = edges.slice(1).flatMap((edge, index) => cutter.feed(bytes.subarray(edges[index], edge)));
      expect({ records, offset: cutter.offset, pending: cutter.pending }).toEqual(at);
    }),
    { seed: 60, numRuns: 500 },
  );
});

test('a restart at the saved offset goes on as if there had been none', () => {
  fc.assert(
    fc.property(source, fc.nat(2000), (bytes, cutAt) => {
      const edge = cutAt % (bytes.length + 1);
      const first = new RecordCutter();
      const records = first.feed(bytes.subarray(0, edge));
      const second = new RecordCutter(first.offset);
      records.push(...second.feed(bytes.subarray(first.offset)));
      expect({ records, offset: second.offset, pending: second.pending }).toEqual(once(bytes));
    }),
    { seed: 61, numRuns: 500 },
  );
});

test('records stand in order, do not overlap, and every byte outside of them is a gap', () => {
  fc.assert(
    fc.property(source, (bytes) => {
      const rest = Buffer.from(bytes);
      let before = 0;
      for (const record of cut(bytes)) {
        expect(record.offset).toBeGreaterThanOrEqual(before);
        expect(record.length).toBeGreaterThan(0);
        before = record.offset + record.length;
        if (record.ok) expect(JSON.parse(bytes.toString('utf8', record.offset, before))).toEqual(record.value);
        rest.fill(32, record.offset, before);
      }
      expect(rest.toString('utf8').replaceAll(/[ \t\r\n\0\uFEFF]/g, '')).toBe('');
    }),
    { seed: 62, numRuns: 1000 },
  );
});

function once(bytes: Buffer): { records: NativeRecord[]; offset: number; pending: number } {
  const cutter = new RecordCutter();
  return { records: cutter.feed(bytes), offset: cutter.offset, pending: cutter.pending };
}
