import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { missingIn } from './held-objects.ts';
import type { KnownLists } from './held-objects.ts';
import { objectId } from './loose-object.ts';
import type { ObjectKind } from './loose-object.ts';
import { clearLists, packEntry, packOf, packsIn, writePack } from './pack.ts';
import type { Pack } from './pack.ts';

class Store implements Disposable {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-packs-'));
  constructor() {
    execFileSync('git', ['init', '-q', '--bare', this.folder]);
  }
  git(...argv: readonly string[]): Buffer {
    return execFileSync('git', ['-C', this.folder, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  }
  has(id: string): boolean {
    const answer = execFileSync('git', ['-C', this.folder, 'cat-file', '--batch-check'], { input: id, encoding: 'utf8' });
    const has = !answer.includes('missing');
    expect(missingIn(this.folder, [Buffer.from(id, 'hex')])).toHaveLength(has ? 0 : 1);
    return has;
  }
  [Symbol.dispose](): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

async function pack(objects: readonly (readonly [ObjectKind, Buffer])[]): Promise<Pack> {
  return packOf(await Promise.all(objects.map(([kind, content]) => packEntry(kind, objectId(kind, content), content))));
}

test('what goes into a pack is what git reads, of every length of its head, and git finds nothing wrong', async () => {
  using store = new Store();
  // Sizes around those from which on the size takes one byte more; the last is deflated beside everything else.
  const sizes = [0, 1, 15, 16, 17, 2047, 2048, 2049, 262_143, 262_144, 300_000];
  const contents = sizes.map((size) => Buffer.from(Array.from({ length: size }, (_, n) => (n * n + size) % 251)));
  const file = objectId('blob', contents[4] ?? Buffer.alloc(0));
  const tree = Buffer.concat([Buffer.from('100644 seventeen\0'), Buffer.from(file, 'hex')]);
  const blobs = contents.map((content) => ['blob', content] as const);
  const many = Array.from({ length: 700 }, (_, n) => ['blob', Buffer.from(`number ${n}`)] as const);
  const made = await pack([...blobs, ['tree', tree], ...many]);
  writePack(store.folder, made);
  for (const content of contents) expect(store.git('cat-file', 'blob', objectId('blob', content)).equals(content)).toBe(true);
  expect(store.git('ls-tree', '-r', '--name-only', objectId('tree', tree)).toString()).toBe('seventeen\n');
  expect(store.git('verify-pack', path.join(packsIn(store.folder), `${made.name}.pack`)).toString()).toBe('');
  expect(store.git('fsck', '--full', '--strict', '--no-dangling').toString()).toBe('');
  // Byte for byte the list that git makes of the pack.
  const own = path.join(store.folder, 'own.idx');
  store.git('index-pack', '-o', own, path.join(packsIn(store.folder), `${made.name}.pack`));
  expect(fs.readFileSync(own).equals(made.list)).toBe(true);
  const ids = [...blobs, ...many].map(([kind, content]) => Buffer.from(objectId(kind, content), 'hex'));
  expect(missingIn(store.folder, [...ids, Buffer.alloc(20, 1)])).toEqual(['01'.repeat(20)]);
  expect(fs.readdirSync(packsIn(store.folder)).filter((name) => name.startsWith('tmp_'))).toEqual([]);
});

test('a pack that a kill left without an end is not there, for git as well, and its list is cleared away', async () => {
  using store = new Store();
  const content = Buffer.from('content\n');
  const id = objectId('blob', content);
  const made = await pack([['blob', content]]);
  const list = path.join(packsIn(store.folder), `${made.name}.idx`);
  // Killed between the two.
  fs.writeFileSync(list, made.list);
  expect(store.has(id)).toBe(false);
  // Another one that is whole stays.
  const other = await pack([['blob', Buffer.from('other\n')]]);
  writePack(store.folder, other);
  clearLists(store.folder);
  expect(fs.readdirSync(packsIn(store.folder)).toSorted()).toEqual([`${other.name}.idx`, `${other.name}.pack`]);
  writePack(store.folder, made);
  expect(store.has(id)).toBe(true);
  // And once more the same.
  writePack(store.folder, made);
  expect(store.git('cat-file', 'blob', id).toString()).toBe('content\n');
});

test('a pack that was cut short by a machine that went down counts as not there', async () => {
  using store = new Store();
  const content = Buffer.from('content\n');
  const made = await pack([['blob', content]]);
  writePack(store.folder, made);
  const file = path.join(packsIn(store.folder), `${made.name}.pack`);
  const id = Buffer.from(objectId('blob', content), 'hex');
  for (const length of [0, 1, 19, 20, made.pack.length - 1]) {
    fs.rmSync(file);
    fs.writeFileSync(file, made.pack.subarray(0, length));
    expect(missingIn(store.folder, [id]), `${length} bytes`).toHaveLength(1);
  }
  // It is written again over what was left.
  writePack(store.folder, made);
  expect(missingIn(store.folder, [id])).toEqual([]);
  expect(store.git('cat-file', 'blob', id.toString('hex')).toString()).toBe('content\n');
});

test('where nothing can be written nothing is left', async () => {
  using store = new Store();
  const made = await pack([['blob', Buffer.from('content\n')]]);
  // A folder stands where the pack is to go.
  fs.mkdirSync(path.join(packsIn(store.folder), `${made.name}.pack`, 'inside'), { recursive: true });
  expect(() => writePack(store.folder, made)).toThrow();
  expect(store.has(objectId('blob', Buffer.from('content\n')))).toBe(false);
  expect(fs.readdirSync(packsIn(store.folder))).toEqual([`${made.name}.pack`]);
});

test('what stands beside a pack that is gone is cleared away, and what stands beside one that is there stays', async () => {
  using store = new Store();
  const made = await pack([['blob', Buffer.from('content\n')]]);
  writePack(store.folder, made);
  const own = [`${made.name}.idx`, `${made.name}.pack`, `${made.name}.rev`];
  for (const name of [`${made.name}.rev`, `pack-${'0'.repeat(40)}.rev`, `pack-${'0'.repeat(40)}.idx`])
    fs.writeFileSync(path.join(packsIn(store.folder), name), '');
  clearLists(store.folder);
  expect(fs.readdirSync(packsIn(store.folder)).toSorted()).toEqual(own);
});

test('what is known of a pack counts only as long as the pack is there', async () => {
  using store = new Store();
  const content = Buffer.from('content\n');
  const made = await pack([['blob', content]]);
  const ids = [Buffer.from(objectId('blob', content), 'hex')];
  const known: KnownLists = new Map();
  const file = path.join(packsIn(store.folder), made.name);
  writePack(store.folder, made);
  for (let times = 0; times < 2; times++) expect(missingIn(store.folder, ids, known)).toEqual([]);
  expect([...known.keys()]).toEqual([`${made.name}.idx`]);
  fs.rmSync(`${file}.pack`);
  expect(missingIn(store.folder, ids, known)).toHaveLength(1);
  fs.rmSync(`${file}.idx`);
  expect(missingIn(store.folder, ids, known)).toHaveLength(1);
  expect(known.size).toBe(0);
  writePack(store.folder, made);
  expect(missingIn(store.folder, ids, known)).toEqual([]);
});
