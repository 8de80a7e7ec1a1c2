/**
 * Every reader over mutated real records: nothing is thrown, any split of the bytes and of the batches gives the same, the state stays
 * bounded and is JSON, what cannot be understood is opaque at its place, and whatever comes out can be drawn.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryView } from '../../server/main/entry-view.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { NativeRecord, ReadOutput, SessionFacts, SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { copiedDatabase, OpenclawHome } from '../openclaw-home.ts';
import { homes, TempFolder } from './facts/homes.ts';
import { noSidecars, sessionsOf, type Session } from './fuzz/corpus.ts';
import { mutatedLines, mutatedRecord, type Pick } from './fuzz/mutations.ts';
import { filesBelow } from './facts/raw.ts';

/** More than any reader keeps of the most that it can be given. */
const largestState = 400_000;

const stream = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
const pickOf =
  (numbers: Iterator<number>): Pick =>
  () =>
    Number(numbers.next().value ?? 0);

const cases = shuttles.map((shuttle) => [shuttle.harness, shuttle] as const);

test.each(cases)('%s: mutated records of whole sessions, in any batches', (harness, shuttle) => {
  const sessions = sessionsOf(harness);
  expect(sessions.flatMap(({ values }) => values).length).toBeGreaterThan(40);
  fc.assert(
    fc.property(fc.nat(sessions.length - 1), stream, (index, numbers) => {
      const pick = pickOf(numbers);
      const session = sessions[index] as Session;
      const records = placed(session.values.map((value) => (pick() < 0.25 ? mutatedRecord(value, pick) : value)));
      check(shuttle, session.path, records, pick);
    }),
    { seed: 21, numRuns: 120 },
  );
});

test.each(cases)('%s: a session of other sessions’ records, each of them mutated', (harness, shuttle) => {
  const sessions = sessionsOf(harness);
  const all = sessions.flatMap(({ values }) => values);
  fc.assert(
    fc.property(
      fc.nat(sessions.length - 1),
      fc.array(fc.nat(all.length - 1), { minLength: 1, maxLength: 25 }),
      stream,
      (index, chosen, numbers) => {
        const pick = pickOf(numbers);
        const records = placed(chosen.map((at) => mutatedRecord(all[at] ?? {}, pick)));
        check(shuttle, sessions[index]?.path ?? '', records, pick);
      },
    ),
    { seed: 22, numRuns: 150 },
  );
});

test.each(cases)('%s: lines that are cut, spliced, overwritten, doubled and out of order', (harness, shuttle) => {
  const sessions = sessionsOf(harness);
  fc.assert(
    fc.property(fc.nat(sessions.length - 1), stream, (index, numbers) => {
      const pick = pickOf(numbers);
      const session = sessions[index] as Session;
      const bytes = mutatedLines(
        session.values.map((value) => JSON.stringify(value)),
        pick,
      );
      const whole = cut(bytes, [bytes.length]);
      expect(cut(bytes, sizes(bytes.length, pick))).toEqual(whole);
      check(shuttle, session.path, whole, pick);
    }),
    { seed: 23, numRuns: 120 },
  );
});

test('stores of Antigravity with any bytes in their rows are read, refused or told as damaged', () => {
  using folder = new TempFolder();
  homes().get('made antigravity')?.(folder.path);
  const container = shuttleOf('antigravity').container;
  const [file = ''] = filesBelow(folder.path, /\.db$/);
  fc.assert(
    fc.property(stream, (numbers) => {
      const pick = pickOf(numbers);
      using database = copiedDatabase(file);
      const rows = database.tables.all('SELECT idx, step_payload FROM steps');
      const broken = new Map(rows.map((row) => [row['idx'], garbled(row['step_payload'] as Uint8Array, pick)]));
      const tables = {
        all: (sql: string, ...parameters: readonly (string | number | null)[]) =>
          database.tables
            .all(sql, ...parameters)
            .map((row) => ('step_payload' in row ? { ...row, step_payload: broken.get(row['idx']) ?? null } : row)),
      };
      const held = {
        form: 'database',
        path: '/home/user/.gemini/antigravity-cli/conversations/0f000000-0000-4000-8000-000000000001.db',
        tables,
      } as const;
      const listed = container?.sessions(held, noSidecars);
      if (listed === undefined || 'refused' in listed) return;
      for (const { name } of listed.sessions)
        check(shuttleOf('antigravity'), `${held.path}#${name}`, [...(container?.records(held, name, 0, noSidecars) ?? [])], pick);
    }),
    { seed: 24, numRuns: 80 },
  );
});

test('rows of OpenClaw that are no JSON, or no event, are told at their place', () => {
  const values = sessionsOf('openclaw').flatMap((session) => session.values);
  const container = shuttleOf('openclaw').container;
  const id = '0d000000-0000-4000-8000-000000000002';
  fc.assert(
    fc.property(fc.array(fc.nat(values.length - 1), { minLength: 1, maxLength: 12 }), stream, (chosen, numbers) => {
      const pick = pickOf(numbers);
      using home = new OpenclawHome();
      home.session(id);
      chosen.forEach((at, index) => home.event(id, index + 1, mutatedRecord(values[at] ?? {}, pick), pick() < 0.3));
      const tables = {
        all: (sql: string, ...parameters: readonly (string | number | null)[]) =>
          home.db.prepare(sql).all(...parameters) as Record<string, unknown>[],
      };
      const records = [...(container?.records({ form: 'database', path: '/db', tables }, id, 0, noSidecars) ?? [])];
      expect(records).toHaveLength(chosen.length + 2);
      check(shuttleOf('openclaw'), `/db#${id}`, records, pick);
    }),
    { seed: 25, numRuns: 25 },
  );
});

test('documents of older Gemini CLIs that are cut or no sessions are refused in words', () => {
  const container = shuttleOf('gemini').container;
  const messages = sessionsOf('gemini').flatMap(({ values }) => values.filter(({ id }) => id !== undefined));
  const whole = JSON.stringify({ sessionId: '0e000000-0000-4000-8000-000000000009', projectHash: 'x', messages }, null, 2);
  fc.assert(
    fc.property(stream, (numbers) => {
      const pick = pickOf(numbers);
      const at = Math.floor(pick() * whole.length);
      const text =
        pick() < 0.5
          ? whole.slice(0, at)
          : JSON.stringify(mutatedRecord(JSON.parse(whole) as { readonly [name: string]: JsonValue }, pick));
      const held = { form: 'document', path: '/home/user/.gemini/tmp/shop/chats/session-x.json', text } as const;
      const listed = container?.sessions(held, noSidecars);
      if (listed === undefined || 'refused' in listed) {
        expect(listed?.refused.length).toBeGreaterThan(20);
        return;
      }
      for (const { name } of listed.sessions)
        check(shuttleOf('gemini'), `${held.path}#${name}`, [...(container?.records(held, name, 0, noSidecars) ?? [])], pick);
    }),
    { seed: 26, numRuns: 80 },
  );
});

function shuttleOf(harness: HarnessId): Shuttle {
  const found = shuttles.find((shuttle) => shuttle.harness === harness);
  if (found === undefined) throw new Error(harness);
  return found;
}

function check({ reader }: Shuttle, path: string, records: readonly NativeRecord[], pick: Pick): void {
  const named = reader.identify(path, records.slice(0, 64), noSidecars);
  const identity: SourceIdentity = named ?? { nativeId: 'x', part: 'x', needs: [] };
  const start = reader.start(identity, path);
  const before = JSON.stringify(start);
  const whole = reader.read(start, records);
  expect(JSON.stringify(start)).toBe(before);
  const state = JSON.stringify(whole.state);
  expect(state.length).toBeLessThan(largestState);

  let saved = before;
  const outputs: ReadOutput[] = [];
  for (const [from, to] of stretches(records.length, pick)) {
    const step = reader.read(JSON.parse(saved) as JsonValue, records.slice(from, to));
    outputs.push(...step.outputs);
    saved = JSON.stringify(step.state);
  }
  expect(comparable(outputs)).toEqual(comparable(whole.outputs));
  expect(JSON.parse(saved)).toEqual(JSON.parse(state));

  const places = new Set(records.map(({ offset }) => offset));
  const opaque = new Set<number>();
  for (const output of whole.outputs) {
    if (output.type !== 'entry') continue;
    expect(places.has(output.offset)).toBe(true);
    expect(output.keys.length).toBeGreaterThan(0);
    if (output.kind === 'opaque') opaque.add(output.offset);
    drawn(output);
  }
  for (const record of records) if (!record.ok) expect(opaque.has(record.offset), record.reason).toBe(true);
}

/** Facts of a batch are told at its end, so that only their sum does not depend on the batches. */
function comparable(outputs: readonly ReadOutput[]): object {
  const facts = Object.assign(
    {},
    ...outputs.flatMap((output) => (output.type === 'facts' ? [output.facts] : [])),
  ) as SessionFacts;
  return { entries: outputs.filter((output) => output.type !== 'facts'), facts };
}

/** The entry as the ledger would keep it can be written as JSON, and has a row. */
function drawn(draft: Extract<ReadOutput, { type: 'entry' }>): void {
  const stored = JSON.parse(JSON.stringify(draft.content)) as object;
  const provenance = { harness: 'pi', source: 1, offset: draft.offset, length: draft.length, translator: 1, trust: draft.trust };
  const entry = {
    id: 1,
    conversationId: 1,
    kind: draft.kind,
    content: { ...stored, at: draft.at, provenance },
  } as unknown as LedgerEntry;
  const view = entryView(entry);
  expect(view.kind).toBe(draft.kind);
  expect(draft.at === null || Number.isSafeInteger(draft.at)).toBe(true);
}

function placed(values: readonly object[]): readonly NativeRecord[] {
  return values.map((value, index) => ({
    ok: true,
    offset: index * 1000,
    length: 999,
    value: value as Extract<NativeRecord, { ok: true }>['value'],
  }));
}

function cut(bytes: Buffer, lengths: readonly number[]): readonly NativeRecord[] {
  const cutter = new RecordCutter();
  const records: NativeRecord[] = [];
  let at = 0;
  for (const length of lengths) records.push(...cutter.feed(bytes.subarray(at, (at += length))));
  return [...records, ...cutter.finish()];
}

function sizes(total: number, pick: Pick): readonly number[] {
  const found: number[] = [];
  for (let left = total; left > 0;) {
    const size = Math.min(left, 1 + Math.floor(pick() ** 3 * total));
    found.push(size);
    left -= size;
  }
  return found;
}

function stretches(length: number, pick: Pick): readonly (readonly [from: number, to: number])[] {
  const found: (readonly [number, number])[] = [];
  for (let at = 0; at < length;) {
    const to = Math.min(length, at + 1 + Math.floor(pick() * 6));
    found.push([at, to]);
    at = to;
  }
  return found.length === 0 ? [[0, 0]] : found;
}

/** Some bytes changed, a part left out, or cut off. */
function garbled(bytes: Uint8Array, pick: Pick): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let times = Math.floor(pick() * 4); times > 0; times--) copy[Math.floor(pick() * copy.length)] = Math.floor(pick() * 256);
  const at = Math.floor(pick() * copy.length);
  const way = pick();
  if (way < 0.15) return copy.subarray(0, at);
  return way < 0.3
    ? Buffer.concat([copy.subarray(0, at), copy.subarray(Math.min(copy.length, at + 1 + Math.floor(pick() * 8)))])
    : copy;
}
