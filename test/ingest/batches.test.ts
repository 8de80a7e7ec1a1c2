import path from 'node:path';
import { expect, test } from 'vitest';
import { Translation } from '../../server/ingest/translation.ts';
import type { PackedBatch } from '../../server/ingest/reading-messages.ts';
import { unpacked } from '../../server/ingest/reading-messages.ts';
import type { TranslationRequest } from '../../server/ingest/translated-batch.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { claudeShuttle } from '../../shuttles/claude/shuttle.ts';
import { assistantRow, TestHome, userRow } from './claude-session.ts';

const megabyte = 1024 * 1024;

function batchesOf(file: string, limit: number, offset = 0, before?: PackedBatch): readonly PackedBatch[] {
  const request: TranslationRequest = {
    path: file,
    root: path.dirname(file),
    harness: 'claude',
    source: 1,
    offset,
    fingerprint: '',
    state: before?.state ?? '',
    generation: 0,
    identity: undefined,
    limit,
    head: false,
    packs: true,
    archive: true,
  };
  using reading = new Translation(request, { shuttle: claudeShuttle, sidecars: new DiskSidecars() });
  const batches: PackedBatch[] = [];
  for (let next = reading.next(); next !== undefined; next = reading.next()) batches.push(next);
  return batches;
}

function isWhole(batches: readonly PackedBatch[], from: number): void {
  let at = from;
  for (const batch of batches) {
    expect(batch.from).toBe(at);
    at = batch.offset;
    expect(batch.records).toBeLessThanOrEqual(1000);
    expect(batch.natives.every(({ length }) => length <= megabyte)).toBe(true);
    expect(batch.natives.reduce((sum, { length }) => sum + length, 0)).toBe(batch.offset - batch.from);
    const { outputs, stored, found } = unpacked(batch);
    const entries = outputs.filter(({ type }) => type === 'entry').length;
    expect([stored.length, found.length]).toEqual([entries, entries]);
  }
  expect(batches.map(({ last }) => last)).toEqual(batches.map((_, i) => i === batches.length - 1));
}

test('batches of a file of many small records are full ones, each with the native bytes of its records', () => {
  using home = new TestHome();
  const rows = Array.from({ length: 2500 }, (_, n) => userRow(n + 1, n === 0 ? null : n, `prompt ${n}`));
  home.write(...rows);
  const batches = batchesOf(home.file, Number.MAX_SAFE_INTEGER);
  isWhole(batches, 0);
  expect(batches.map(({ records }) => records)).toEqual([1000, 1000, 500]);
});

test('records of many bytes end a batch earlier, one of megabytes is in one batch with all of its bytes, and a slice goes on where it ended', () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'one'),
    ...Array.from({ length: 30 }, (_, n) => assistantRow(n + 2, n + 1, 'word '.repeat(20_000))),
    assistantRow(40, 31, 'a long one '.repeat(300_000)),
    userRow(41, 40, 'end'),
  );
  const all = batchesOf(home.file, Number.MAX_SAFE_INTEGER);
  isWhole(all, 0);
  expect(all.length).toBeGreaterThan(3);
  for (const batch of all.slice(0, 2)) expect(batch.offset - batch.from).toBeLessThan(megabyte * 1.2);
  const first = batchesOf(home.file, 256 * 1024);
  isWhole(first, 0);
  const [end] = first.slice(-1);
  expect(end?.more).toBe(true);
  const rest = batchesOf(home.file, Number.MAX_SAFE_INTEGER, end?.offset, end);
  isWhole(rest, end?.offset ?? 0);
  const count = (batches: readonly PackedBatch[]): number => batches.reduce((sum, { records }) => sum + records, 0);
  expect(count(first) + count(rest)).toBe(count(all));
  expect(rest.at(-1)?.offset).toBe(all.at(-1)?.offset);
});
