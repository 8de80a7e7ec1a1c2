import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archiveChunk, archiveChunks, mostChunkBytes, nativeBytes } from './archive-chunk.ts';
import { mostEarlierGenerations } from './archive-chunks.ts';
import { Archive } from './archive.ts';
import { blockBytes, mostHeldVersions } from './archive-versions.ts';
import { migrateLedger } from './schema.ts';

class Opened implements Disposable {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-archive-'));
  readonly db = new Sqlite(path.join(this.folder, 'ledger.db'));
  readonly archive: Archive;
  constructor() {
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('synchronous = OFF');
    migrateLedger(this.db);
    this.archive = new Archive(this.db);
  }
  source(file: string, status = 'current', generation = 0): number {
    const number = Number(
      this.db
        .prepare("INSERT INTO sources (path, harness, status, generation) VALUES (?, 'claude', ?, ?)")
        .run(file, status, generation).lastInsertRowid,
    );
    return number;
  }
  /** Compacts until there is nothing left to do; how many pieces there were after each step. */
  compact(most: number, before = 1e15): readonly number[] {
    const left: number[] = [];
    while (this.db.transaction(() => this.archive.chunks.compactSome(most, before))()) left.push(this.archive.totals().pieces);
    return left;
  }
  [Symbol.dispose](): void {
    this.db.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

function whole(archive: Archive, source: number, generation = 0): Buffer {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const piece of archive.chunks.pieces(source, generation)) {
    if (!piece.ok) throw new Error(`${piece.start} ${piece.reason}`);
    expect(piece.start).toBe(at);
    at += piece.bytes.length;
    pieces.push(piece.bytes);
  }
  return Buffer.concat(pieces);
}

function put(archive: Archive, source: number, start: number, bytes: Uint8Array, generation = 0): void {
  for (const chunk of archiveChunks({ source, generation, start }, bytes)) archive.append(chunk);
}

test('any bytes come back from a chunk as they were, however long, and are cut at a megabyte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const chunk = archiveChunk({ source: 1, generation: 0, start: 7 }, bytes);
      expect(Buffer.compare(nativeBytes(chunk), bytes)).toBe(0);
    }),
    { seed: 11, numRuns: 200 },
  );
  const long = Buffer.alloc(2 * mostChunkBytes + 1, 'ab');
  const chunks = archiveChunks({ source: 1, generation: 0, start: 5 }, long);
  expect(chunks.map(({ start, length }) => [start, length])).toEqual([
    [5, mostChunkBytes],
    [5 + mostChunkBytes, mostChunkBytes],
    [5 + 2 * mostChunkBytes, 1],
  ]);
  expect(Buffer.concat(chunks.map(nativeBytes)).equals(long)).toBe(true);
  expect(archiveChunks({ source: 1, generation: 0, start: 5 }, new Uint8Array(0))).toEqual([]);
});

test('whatever is appended in whatever steps, with torn tails that are replaced, the file comes back byte for byte, compacted or not', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }),
          /** How much of what follows stood behind the cursor already. */
          tail: fc.integer({ min: 0, max: 60 }),
          compacts: fc.boolean(),
        }),
        { minLength: 1, maxLength: 30 },
      ),
      (steps) => {
        using opened = new Opened();
        const { archive } = opened;
        const source = opened.source('/a.jsonl');
        const all = Buffer.concat(steps.map(({ bytes }) => bytes));
        let cursor = 0;
        for (const { bytes, tail, compacts } of steps) {
          put(archive, source, cursor, bytes);
          cursor += bytes.length;
          put(archive, source, cursor, all.subarray(cursor, cursor + tail));
          expect(whole(archive, source).equals(all.subarray(0, Math.min(all.length, cursor + tail)))).toBe(true);
          if (compacts) opened.compact(100);
          expect(whole(archive, source).equals(all.subarray(0, Math.min(all.length, cursor + tail)))).toBe(true);
        }
        expect(whole(archive, source).equals(all)).toBe(true);
        expect(archive.chunks.extents(source, 0)).toEqual([{ start: 0, end: all.length }]);
      },
    ),
    { seed: 12, numRuns: 60 },
  );
});

test('any range is read alone, over the borders of chunks', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  const all = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 251));
  for (let at = 0; at < all.length; at += 37) put(opened.archive, source, at, all.subarray(at, at + 37));
  fc.assert(
    fc.property(fc.nat(299), fc.nat(300), (from, to) => {
      const pieces = [...opened.archive.chunks.pieces(source, 0, from, to)];
      expect(pieces.every(({ ok }) => ok)).toBe(true);
      const bytes = Buffer.concat(pieces.map((piece) => (piece.ok ? piece.bytes : new Uint8Array(0))));
      expect(bytes.equals(all.subarray(from, Math.max(from, to)))).toBe(true);
    }),
    { seed: 13, numRuns: 300 },
  );
});

test('thousands of small chunks become few long ones, a bounded part at a time, and only of a file that is idle', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  opened.db.prepare('UPDATE sources SET mtime = 1000 WHERE number = ?').run(source);
  const line = Buffer.from(`${JSON.stringify({ type: 'user', text: 'the same words again and again '.repeat(12) })}\n`);
  const count = 3000;
  opened.db.transaction(() => {
    for (let i = 0; i < count; i++) put(opened.archive, source, i * line.length, line);
  })();
  expect(opened.archive.totals().pieces).toBe(count);
  expect(opened.archive.chunks.compactSome(1, 1000)).toBe(false);
  const storedBefore = opened.archive.totals().stored;
  const left = opened.compact(1, 1001);
  expect(left.length).toBeGreaterThan(1);
  expect(left[0]).toBeGreaterThan(100);
  expect(opened.archive.totals().pieces).toBe(Math.ceil((count * line.length) / mostChunkBytes));
  expect(opened.archive.totals().stored).toBeLessThan(storedBefore / 20);
  expect(whole(opened.archive, source).equals(Buffer.concat(Array.from({ length: count }, () => line)))).toBe(true);
  expect(opened.archive.chunks.compactSome(1, 1e15)).toBe(false);
});

test('few small chunks are left as they are', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  const append = (n: number): void => put(opened.archive, source, n * 10, Buffer.alloc(10, n));
  for (let n = 0; n < 8; n++) append(n);
  expect([opened.compact(1), opened.archive.totals().pieces]).toEqual([[], 8]);
  append(8);
  expect([opened.compact(1).length > 0, opened.archive.totals().pieces]).toEqual([true, 1]);
});

test('a damaged chunk costs its own bytes and no other, and compaction leaves it alone', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  for (let i = 0; i < 5; i++) put(opened.archive, source, i * 100, Buffer.alloc(100, 65 + i));
  const damage = opened.db.prepare('UPDATE archive_chunks SET bytes = ? WHERE start = 200');
  damage.run(Buffer.from('nothing that could be decompressed'));
  const seen = (): unknown => [...opened.archive.chunks.pieces(source, 0)].map((piece) => [piece.start, piece.ok]);
  expect(seen()).toEqual([
    [0, true],
    [100, true],
    [200, false],
    [300, true],
    [400, true],
  ]);
  opened.compact(1);
  expect([...opened.archive.chunks.pieces(source, 0)].filter(({ ok }) => !ok)).toEqual([
    { ok: false, start: 200, length: 100, reason: 'damaged' },
  ]);
  expect(opened.archive.damaged(1)).toMatchObject({ sources: [source] });
});

test('bytes that decompress and are others than those that were archived are damage', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  put(opened.archive, source, 0, Buffer.alloc(100, 'a'));
  const other = archiveChunk({ source, generation: 0, start: 0 }, Buffer.alloc(100, 'b'));
  opened.db.prepare('UPDATE archive_chunks SET codec = ?, bytes = ?').run(other.codec, other.bytes);
  expect([...opened.archive.chunks.pieces(source, 0)]).toEqual([{ ok: false, start: 0, length: 100, reason: 'damaged' }]);
});

test('what is not there is said to be missing, and can be filled in later', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  put(opened.archive, source, 100, Buffer.alloc(50, 'b'));
  expect([...opened.archive.chunks.pieces(source, 0)].map((piece) => [piece.ok, piece.start])).toEqual([
    [false, 0],
    [true, 100],
  ]);
  opened.archive.chunks.fill(archiveChunk({ source, generation: 0, start: 0 }, Buffer.alloc(100, 'a')));
  expect(whole(opened.archive, source).toString()).toBe('a'.repeat(100) + 'b'.repeat(50));
});

test('of a file that is rewritten again and again the newest state is kept, and the longest of the earlier ones', () => {
  using opened = new Opened();
  const source = opened.source('/a.jsonl');
  put(opened.archive, source, 0, Buffer.alloc(5000, 'x'), 0);
  for (let generation = 1; generation < 40; generation++)
    put(opened.archive, source, 0, Buffer.alloc(generation % 7 === 0 ? 100 : 10, 'y'), generation);
  const kept = opened.archive.chunks.generations(source);
  expect(kept).toHaveLength(mostEarlierGenerations + 1);
  expect(kept[0]).toEqual({ generation: 0, bytes: 5000 });
  expect(kept.at(-1)?.generation).toBe(39);
  expect(whole(opened.archive, source, 0).length).toBe(5000);
});

test('a new version of a file costs what changed, and the one before goes', () => {
  using opened = new Opened();
  const { versions } = opened.archive;
  const source = opened.source('/db.sqlite');
  const content = Buffer.alloc(blockBytes * 20 + 5);
  for (let i = 0; i < content.length; i++) content[i] = (i * 2654435761) >>> 24;
  const store = (bytes: Buffer): number => {
    const blocks: number[] = [];
    for (let at = 0; at < bytes.length; at += blockBytes)
      blocks.push(versions.putBlock(source, bytes.subarray(at, at + blockBytes)));
    const made = versions.put(source, [{ suffix: '', size: bytes.length, mtime: 1, sha256: hashOf(bytes), blocks }]);
    versions.prune(source);
    return made;
  };
  expect(store(content)).toBe(1);
  expect(store(content)).toBe(1);
  const before = versions.totals().pieces;
  content[blockBytes * 7] = (content[blockBytes * 7] ?? 0) ^ 1;
  // What a crash left: no version names it.
  versions.putBlock(source, Buffer.from('never finished'));
  expect(store(content)).toBe(2);
  expect(versions.totals().pieces).toBe(before);
  expect(versions.parts(source, 1)).toEqual([]);
  const back = Buffer.concat([...versions.pieces(source, 2, '')].map((piece) => (piece.ok ? piece.bytes : new Uint8Array(0))));
  expect(back.equals(content)).toBe(true);
});

test('versions in which a session stood that is gone are kept, the newest of them when there are too many', () => {
  using opened = new Opened();
  const { versions } = opened.archive;
  const container = opened.source('/db.sqlite');
  const sessions = Array.from({ length: mostHeldVersions + 4 }, (_, i) => opened.source(`/db.sqlite#${i}`));
  const store = (text: string): void => {
    const bytes = Buffer.from(text);
    const before = versions.newest(container) ?? 0;
    versions.put(container, [
      { suffix: '', size: bytes.length, mtime: 1, sha256: hashOf(bytes), blocks: [versions.putBlock(container, bytes)] },
    ]);
    versions.depart(container, before, '/db.sqlite#');
    versions.prune(container);
  };
  store('version 1');
  for (const [i, session] of sessions.entries()) {
    opened.db.prepare("UPDATE sources SET status = 'gone' WHERE number = ?").run(session);
    store(`version ${i + 2}`);
  }
  expect(versions.held(sessions.at(-1) ?? 0, 0)).toEqual({ container, version: sessions.length });
  expect(versions.held(sessions[0] ?? 0, 0)).toEqual({ container, version: 0 });
  expect(versions.totals().pieces).toBe(mostHeldVersions + 1);
  const text = (version: number): string =>
    [...versions.pieces(container, version, '')].map((piece) => (piece.ok ? Buffer.from(piece.bytes).toString() : '?')).join('');
  expect(text(sessions.length)).toBe(`version ${sessions.length}`);
  // One that comes back is in the newest version again.
  opened.db.prepare("UPDATE sources SET status = 'current' WHERE number = ?").run(sessions.at(-1));
  store('one more');
  expect(versions.held(sessions.at(-1) ?? 0, 0)).toBeUndefined();
});

test('what is dropped is gone with everything that was said of it, and nothing else is', () => {
  using opened = new Opened();
  const { archive } = opened;
  const [a, b] = [opened.source('/a'), opened.source('/b')];
  for (const source of [a, b]) {
    for (let at = 0; at < 100; at += 10) put(archive, source, at, Buffer.alloc(10, at));
    const blocks = [archive.versions.putBlock(source, Buffer.alloc(10, 'z'))];
    archive.versions.put(source, [{ suffix: '', size: 10, mtime: 1, sha256: hashOf(Buffer.alloc(10, 'z')), blocks }]);
    archive.wait(source);
  }
  archive.drop(a);
  expect([...archive.chunks.pieces(a, 0), ...archive.versions.pieces(a, 1, '')]).toEqual([]);
  expect(archive.totals()).toMatchObject({ pieces: 11, absent: [{ reason: 'waiting', count: 1 }] });
  expect(whole(archive, b).length).toBe(100);
  opened.compact(1);
  expect(archive.totals().pieces).toBe(2);
});

function hashOf(bytes: Buffer): Uint8Array {
  return archiveChunk({ source: 0, generation: 0, start: 0 }, bytes).sha256;
}
