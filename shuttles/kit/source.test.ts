import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as zlib from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RecordCutter } from './records.ts';
import { openSource, type Source } from './source.ts';
import { decompress } from './zstd.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-source-'));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

const at = (...parts: string[]): string => path.join(folder, ...parts);
function put(name: string, bytes: string | Uint8Array): string {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), bytes);
  return at(name);
}
function open(file: string, root = folder): Source {
  const opened = openSource(file, root);
  if (!opened.ok) throw new Error(opened.refusal.detail);
  return opened.source;
}
function refusal(file: string, root = folder): string | undefined {
  const opened = openSource(file, root);
  if (!opened.ok) return opened.refusal.kind;
  opened.source.close();
  return undefined;
}
function content(source: Source, offset = 0): Buffer {
  // A chunk is valid until the next one: copy each.
  const chunks: Buffer[] = [];
  for (const chunk of source.chunks(offset)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

test('a plain file is read from any offset in chunks of at most 1 MiB', () => {
  const bytes = Buffer.alloc(2_500_000, 'abcdefghi\n');
  using source = open(put('a.jsonl', bytes));
  expect(content(source).equals(bytes)).toBe(true);
  expect(content(source, 2_400_001).equals(bytes.subarray(2_400_001))).toBe(true);
  expect(content(source, bytes.length)).toHaveLength(0);
  expect(content(source, bytes.length + 10)).toHaveLength(0);
  expect(Math.max(...Array.from(source.chunks(0), (chunk) => chunk.length))).toBe(1024 * 1024);
  expect(source.failure).toBeUndefined();
});

test('what is appended while a source is open is read too', () => {
  const file = put('a.jsonl', '{"a":1}\n');
  using source = open(file);
  expect(content(source).toString()).toBe('{"a":1}\n');
  fs.appendFileSync(file, '{"b":2}\n');
  expect(content(source, 8).toString()).toBe('{"b":2}\n');
});

test('a compressed file gives its content from any offset', () => {
  const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, i) => JSON.stringify({ i, text: `line ${i * 7919}` })).join('\n'));
  using source = open(put('a.jsonl.zst', zlib.zstdCompressSync(bytes)));
  expect(source.compressed).toBe(true);
  expect(content(source).equals(bytes)).toBe(true);
  expect(content(source, 1_000_001).equals(bytes.subarray(1_000_001))).toBe(true);
  expect(content(source, bytes.length)).toHaveLength(0);
  expect(source.failure).toBeUndefined();
});

test('a rollout that Codex compressed is read to its last record', () => {
  const root = path.join(import.meta.dirname, '../../test/fixtures/codex/15-zstd-compressed/.codex/sessions');
  const [name] = fs.globSync('**/*.zst', { cwd: root });
  using source = open(path.join(root, name ?? ''), root);
  const cutter = new RecordCutter();
  const records = [];
  for (const chunk of source.chunks()) records.push(...cutter.feed(chunk));
  records.push(...cutter.finish());
  expect(source.failure).toBeUndefined();
  expect(records.length).toBeGreaterThan(5);
  expect(records.every((record) => record.ok)).toBe(true);
  expect(records[0]?.ok === true && records[0].value['type']).toBe('session_meta');
});

test('of a compressed file that is cut off what is there is given, and the failure is told', () => {
  const bytes = Buffer.from(Array.from({ length: 60_000 }, (_, i) => JSON.stringify({ i, text: `${i * 7919}` })).join('\n'));
  const compressed = zlib.zstdCompressSync(bytes);
  using source = open(put('a.jsonl.zst', compressed.subarray(0, compressed.length - 20)));
  const read = content(source);
  expect(read.length).toBeGreaterThan(0);
  expect(bytes.subarray(0, read.length).equals(read)).toBe(true);
  expect(source.failure).toBe('compressed data that is cut off');
});

test('what is no compressed data is a failure, never a throw, whatever the bytes', () => {
  using source = open(put('a.jsonl.zst', '{"a":1}\n'.repeat(10)));
  expect(content(source)).toHaveLength(0);
  expect(source.failure).toBe('damaged compressed data');
  const good = zlib.zstdCompressSync(Buffer.from('some text that compresses, some text that compresses'.repeat(20)));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = Buffer.from(good);
      for (const [place, byte] of changes) bytes[place] = byte;
      const parts = [...decompress([bytes])];
      expect(parts.slice(0, -1).every((part) => part.ok)).toBe(true);
    }),
    { seed: 15, numRuns: 500 },
  );
});

test('compressed data that asks for a huge window is refused before memory is taken', () => {
  // Frame header: single segment, content size of 1 GiB in four bytes.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0x00, 0x00, 0x00, 0x40]);
  expect([...decompress([Buffer.concat([header, Buffer.alloc(20)])])]).toEqual([
    { ok: false, reason: 'compressed data needs too much memory' },
  ]);
});

test('little compressed input never makes much output wait', () => {
  // Thirty frames of 10 MB of zeros each, a few hundred bytes as they are stored.
  const frame = zlib.zstdCompressSync(Buffer.alloc(10_000_000));
  const frames = Buffer.concat(Array.from({ length: 30 }, () => frame));
  const before = process.memoryUsage().arrayBuffers;
  let total = 0;
  let first = 0;
  for (const part of decompress([frames])) {
    if (part.ok) total += part.bytes.length;
    if (first === 0) first = process.memoryUsage().arrayBuffers - before;
  }
  expect(total).toBe(300_000_000);
  expect(first).toBeLessThan(64_000_000);
});

test('the fingerprint of a file stays while it grows and changes when its beginning is rewritten in place', () => {
  const file = put('a.jsonl', '{"a":1}\n');
  const before = (() => {
    using source = open(file);
    return source.fingerprint() ?? '';
  })();
  fs.appendFileSync(file, 'x'.repeat(1000));
  using grown = open(file);
  expect(grown.beginsAs(before)).toBe(true);
  expect(grown.fingerprint()).not.toBe(before);
  fs.writeFileSync(file, `{"b":1}\n${'x'.repeat(1000)}`);
  using rewritten = open(file);
  expect(rewritten.facts.ino).toBe(grown.facts.ino);
  expect(rewritten.beginsAs(before)).toBe(false);
  fs.truncateSync(file, 3);
  using shorter = open(file);
  expect(shorter.beginsAs(before)).toBe(false);
  expect(shorter.beginsAs('rubbish')).toBe(false);
});

test('only a regular file is opened: no folder, no pipe, nothing that is gone', () => {
  fs.mkdirSync(at('folder.jsonl'));
  expect(refusal(at('folder.jsonl'))).toBe('refused');
  expect(refusal(at('none.jsonl'))).toBe('absent');
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [at('pipe.jsonl')]);
    expect(refusal(at('pipe.jsonl'))).toBe('refused');
    expect(refusal('/dev/null', '/dev')).toBe('refused');
  }
});

test('a link that leads out of the root is refused, at the file and on the way to it; one that stays inside is followed', () => {
  const outside = put('outside/secret.jsonl', '{"token":"x"}\n');
  put('root/p/a.jsonl', '{"a":1}\n');
  fs.symlinkSync(outside, at('root/p/link.jsonl'));
  fs.symlinkSync(at('outside'), at('root/q'));
  fs.symlinkSync(at('root/p'), at('root/inside'));
  expect(refusal(at('root/p/link.jsonl'), at('root'))).toBe('refused');
  expect(refusal(at('root/q/secret.jsonl'), at('root'))).toBe('refused');
  expect(refusal(at('root/p/../../outside/secret.jsonl'), at('root'))).toBe('refused');
  expect(refusal(at('root/inside/a.jsonl'), at('root'))).toBeUndefined();
});

test('a folder whose name begins like the root is not below it', () => {
  expect(refusal(put('root-other/a.jsonl', ''), put('root/x', '').slice(0, -2))).toBe('refused');
});

test('a root that is itself a link is fine, and a loop of links is refused', () => {
  put('real/p/a.jsonl', '{"a":1}\n');
  fs.symlinkSync(at('real'), at('root'));
  expect(refusal(at('root/p/a.jsonl'), at('root'))).toBeUndefined();
  fs.symlinkSync(at('real/loop-b'), at('real/loop-a'));
  fs.symlinkSync(at('real/loop-a'), at('real/loop-b'));
  expect(refusal(at('root/loop-a'), at('root'))).toBe('refused');
});

test('a source is closed once, also when that is asked for twice', () => {
  const source = open(put('a.jsonl', 'x'));
  source.close();
  const other = open(at('a.jsonl'));
  source.close();
  expect(content(other).toString()).toBe('x');
  other.close();
});
