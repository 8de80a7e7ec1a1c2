/**
 * Damage and torn writes, for every harness that writes lines (reports 06, 60 and 62 are of one of them): what is whole is read once and in
 * order, what is not is reported with its place, and how the bytes arrive makes no difference.
 */
import fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { allEntries } from '../../server/ledger/transcript.ts';
import { HomeLedger } from '../home-ledger.ts';
import { homeWith, lineHarnesses, madeLines } from './made-sessions.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

const typed = ['Name the ship 🚢 港口 café.', 'And the quay?', 'Thanks.'];
const whole = typed.flatMap((text, i) => [text, `Done ${i}.`]);

async function said({ ledger }: HomeLedger): Promise<readonly string[]> {
  const [row, ...others] = ledger.threads.newest(10).filter(({ current_conversation }) => current_conversation !== 0);
  if (row === undefined) return [];
  expect(others).toEqual([]);
  const entries = await allEntries(ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return entries.flatMap((entry) =>
    entry.kind === 'user' || entry.kind === 'assistant' ? entry.content.content.flatMap((block) => ('text' in block ? [block.text] : [])) : [],
  );
}

/** Ways to spoil the lines of a file of which no record is lost. `n`: the record that it happens at. */
const harmless: Readonly<Record<string, (lines: readonly string[], n: number) => string | Uint8Array>> = {
  'Windows’ line ends': (lines) => lines.map((line) => `${line}\r\n`).join(''),
  'a byte order mark': (lines) => `\uFEFF${lines.map((line) => `${line}\n`).join('')}`,
  'empty lines and blanks': (lines) => lines.map((line) => `\n  ${line} \n\r\n`).join(''),
  'a hole of NULs before a record': (lines, n) => lines.map((line, i) => (i === n ? '\0'.repeat(5000) : '') + `${line}\n`).join(''),
  'two records in one line': (lines, n) => lines.map((line, i) => line + (i === n ? '' : '\n')).join('') + '\n',
  'a lone brace': (lines, n) => lines.map((line, i) => (i === n ? '{\n' : '') + `${line}\n`).join(''),
  'JSON that is no record': (lines, n) => lines.map((line, i) => (i === n ? '[1,2]\n"text"\n7\nnull\n' : '') + `${line}\n`).join(''),
  'a line that is no JSON': (lines, n) => lines.map((line, i) => (i === n ? 'Segmentation fault (core dumped)\n' : '') + `${line}\n`).join(''),
  'bytes that are no text': (lines, n) =>
    Buffer.concat(lines.flatMap((line, i) => [...(i === n ? [Buffer.from([0xff, 0xfe, 0xc3, 0x0a])] : []), Buffer.from(`${line}\n`)])),
  'a record that was cut, the next one behind it': (lines, n) =>
    lines.map((line, i) => (i === n ? line.slice(0, Math.floor(line.length / 2)) : '') + `${line}\n`).join(''),
};

test.each(lineHarnesses.flatMap((harness) => Object.keys(harmless).map((kind) => [harness, kind] as const)))(
  '%s: %s loses no record and repeats none',
  async (harness, kind) => {
    const { file, lines } = madeLines[harness](typed);
    const texts = lines.map((line) => JSON.stringify(line));
    for (let n = 1; n < texts.length; n += 2) {
      await using home = new HomeLedger(homeWith(file, harmless[kind]?.(texts, n) ?? '', homes));
      await home.catchUp();
      expect(home.faults).toEqual([]);
      expect(await said(home), `at ${n}`).toEqual(whole);
    }
  },
);

test.each(lineHarnesses)('%s: a record that is damaged is reported with its place, and all others are there', async (harness) => {
  const { file, lines } = madeLines[harness](typed);
  const texts = lines.map((line) => JSON.stringify(line));
  const lost = texts.findIndex((text) => text.includes('And the quay?'));
  const cut = texts.map((text, i) => (i === lost ? text.slice(0, text.indexOf('And the quay?') + 5) : text));
  const offset = Buffer.byteLength(cut.slice(0, lost).map((text) => `${text}\n`).join(''));
  await using home = new HomeLedger(homeWith(file, cut.map((text) => `${text}\n`).join(''), homes));
  const report = await home.catchUp();
  expect(await said(home)).toEqual(whole.filter((text) => text !== 'And the quay?'));
  const [row] = home.ledger.threads.newest(1);
  const entries = await allEntries(home.ledger, row?.session ?? '', row?.current_conversation ?? 0);
  const places = [
    ...report.warnings.map((warning) => warning.offset),
    ...entries.flatMap((entry) => (entry.kind === 'opaque' ? [entry.content.provenance.offset] : [])),
  ];
  expect(places).toContain(offset);
});

test.each(lineHarnesses)('%s: in whatever pieces the bytes arrive, the thread is the same, and a torn end waits', async (harness) => {
  const { file, lines } = madeLines[harness](typed);
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const at = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(at, async (cuts) => {
      const folder = homeWith(file, '', homes);
      await using home = new HomeLedger(folder);
      let from = 0;
      for (const to of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
        fs.appendFileSync(path.join(folder, file), bytes.subarray(from, to));
        from = to;
        await home.catchUp();
        const now = await said(home);
        expect(now).toEqual(whole.slice(0, now.length));
        const ended = bytes.subarray(0, to).filter((byte) => byte === 10).length;
        const [source] = home.ledger.sources.all();
        // The cursor stands at the end of a whole record, or nothing is known of the file yet.
        if (now.length > 0) expect(bytes[(source?.offset ?? 0) - 1]).toBe(10);
        expect(now.length).toBeLessThanOrEqual(ended);
      }
      expect(home.faults).toEqual([]);
      expect(await said(home)).toEqual(whole);
      expect(home.ledger.warnings.count()).toBe(0);
    }),
    { seed: 20261130, numRuns: 12 },
  );
});

test.each(lineHarnesses)('%s: a last record without its newline, and what a restart or a rewrite of the same bytes leaves, adds nothing', async (harness) => {
  const { file, lines } = madeLines[harness](typed);
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const folder = homeWith(file, text, homes);
  const place = path.join(folder, file);
  const ledger = fs.mkdtempSync(path.join(folder, 'ledger-'));
  {
    await using home = new HomeLedger(folder, {}, 'linux', { folder: ledger });
    await home.catchUp();
    expect(await said(home)).toEqual(whole.slice(0, -1));
  }
  fs.appendFileSync(place, '\n');
  await using home = new HomeLedger(folder, {}, 'linux', { folder: ledger });
  await home.catchUp();
  expect(await said(home)).toEqual(whole);
  const [before] = home.ledger.threads.newest(1);
  // Written anew in place, then replaced by a rename, then cut to nothing and written again.
  fs.writeFileSync(place, `${text}\n`);
  await home.catchUp();
  fs.writeFileSync(`${place}.tmp`, `${text}\n`);
  fs.renameSync(`${place}.tmp`, place);
  await home.catchUp();
  fs.truncateSync(place, 0);
  await home.catchUp();
  fs.writeFileSync(place, `${text}\n`);
  await home.catchUp();
  expect(await said(home)).toEqual(whole);
  const [after] = home.ledger.threads.newest(1);
  expect([after?.entries, after?.turns, after?.source_gone]).toEqual([before?.entries, before?.turns, 0]);
});
