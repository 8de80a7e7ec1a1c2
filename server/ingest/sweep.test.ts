import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ledger } from '../ledger/ledger.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { claudeShuttle } from '../../shuttles/claude/shuttle.ts';
import { ContainerPace } from './container-pace.ts';
import { Containers } from './containers.ts';
import { Sweep } from './sweep.ts';
import type { Look } from './sweep.ts';

/** A home with real files, a ledger that takes in whatever the sweep finds, and nothing that reads. */
class World implements AsyncDisposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-sweep-'));
  readonly root = path.join(this.home, '.claude/projects');
  readonly ledger = Ledger.open(path.join(this.home, 'ledger'), { readonly: false, now: 0, maySetAside: false });
  readonly faults: string[] = [];
  /** Of the clock that gives files their times, in milliseconds. */
  ahead = 0;
  readonly #sweep: Sweep;
  readonly #options;

  constructor(shuttles: readonly Shuttle[] = [claudeShuttle]) {
    const environment: Environment = { platform: 'linux', home: this.home, variables: {} };
    this.#options = {
      ledger: this.ledger,
      shuttles,
      environment,
      now: () => Date.now() + this.ahead,
      onFault: (_: string, detail: string) => void this.faults.push(detail),
      onHealed: (_: string, detail: string) => void this.faults.splice(this.faults.indexOf(detail), 1),
    };
    this.#sweep = new Sweep(this.#options, 0);
    fs.mkdirSync(this.root, { recursive: true });
  }

  file(folder: number, n: number): string {
    return path.join(this.root, `-p${folder}`, `0000000${n}-0000-4000-8000-000000000000.jsonl`);
  }
  write(file: string, text: string): void {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, text);
  }
  /** As long ago as folders settle; a change of names is still seen, in the folder's other time. */
  age(): void {
    for (const at of [this.root, ...fs.readdirSync(this.root).map((name) => path.join(this.root, name))])
      fs.utimesSync(at, 1000, 1000);
  }

  async sweep(look: Look): Promise<{ readonly files: number; readonly changed: number }> {
    const { ledger } = this.#options;
    using containers = new Containers({
      ...this.#options,
      sidecars: { text: () => undefined, list: () => [] },
      pace: new ContainerPace(() => 0),
    });
    const { changed, gone, files } = await this.#sweep.run(look, containers);
    for (const { file, known } of changed) {
      const row = ledger.sources.byNumber(known?.number ?? ledger.sources.insert(file.path, file.harness));
      if (row === undefined) throw new Error('no row');
      ledger.sources.update({
        ...row,
        path: file.path,
        size: file.size,
        mtime: file.mtimeMs,
        identity: file.ino,
        status: 'current',
      });
    }
    for (const { number } of gone) {
      const row = ledger.sources.byNumber(number);
      if (row !== undefined) ledger.sources.update({ ...row, status: 'gone' });
    }
    return { files, changed: changed.length };
  }

  /** What the ledger says is there, and what is. */
  both(): readonly [Record<string, number>, Record<string, number>] {
    const known = this.ledger.sources.all().filter((row) => row.status !== 'gone');
    const files = fs
      .readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(this.root, name))
      .filter((file) => fs.statSync(file).isFile());
    return [
      Object.fromEntries(known.map((row) => [row.path, row.size])),
      Object.fromEntries(files.map((file) => [file, fs.statSync(file).size])),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger.close();
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
const all: Look = { at: 'all' };
const turns: Look = { at: 'turns', folders: new Set() };

test('nothing is missed: whatever happens to files and folders, a round of sweeps knows it all', async () => {
  const place = fc.record({ folder: fc.nat(4), n: fc.nat(3) });
  const change = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), at: place, bytes: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('remove' as const), at: place }),
    fc.record({ kind: fc.constant('move' as const), at: place, to: place }),
    fc.record({ kind: fc.constant('removeFolder' as const), at: place }),
    fc.record({ kind: fc.constant('moveFolder' as const), at: place, to: place }),
    fc.record({ kind: fc.constant('sweep' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      await using world = new World();
      await world.sweep(all);
      for (const one of changes) {
        if (one.kind === 'sweep') {
          world.age();
          await world.sweep(turns);
          continue;
        }
        const file = world.file(one.at.folder, one.at.n);
        const folder = path.dirname(file);
        switch (one.kind) {
          case 'write':
            world.write(file, 'x'.repeat(one.bytes));
            break;
          case 'remove':
            fs.rmSync(file, { force: true });
            break;
          case 'removeFolder':
            fs.rmSync(folder, { recursive: true, force: true });
            break;
          case 'move':
          case 'moveFolder': {
            const to = world.file(one.to.folder, one.to.n);
            const [from, target] = one.kind === 'move' ? [file, to] : [folder, path.dirname(to)];
            if (!fs.existsSync(from) || from === target) break;
            fs.rmSync(target, { recursive: true, force: true });
            fs.mkdirSync(path.dirname(target), { recursive: true });
            fs.renameSync(from, target);
            break;
          }
        }
      }
      world.age();
      for (let i = 0; i < 31; i++) await world.sweep(turns);
      const [known, there] = world.both();
      expect(known).toEqual(there);
    }),
    { seed: 9, numRuns: 40 },
  );
});

test('a sweep looks at a part of the old files, and at all of a folder that was named or that changed', async () => {
  await using world = new World();
  for (let folder = 0; folder < 60; folder++) for (let n = 0; n < 5; n++) world.write(world.file(folder, n), 'x');
  expect((await world.sweep(all)).files).toBe(300);
  world.age();
  // The folders' times were just set: now they are as they will be.
  await world.sweep(all);
  expect((await world.sweep(turns)).files).toBeLessThanOrEqual(15);
  world.write(world.file(40, 0), 'y');
  expect(await world.sweep({ at: 'only', folders: new Set([path.dirname(world.file(40, 0))]) })).toEqual({
    files: 5,
    changed: 1,
  });
  world.write(world.file(41, 9), 'new');
  const { files, changed } = await world.sweep(turns);
  expect(changed).toBe(1);
  expect(files).toBeLessThanOrEqual(21);
});

test('a folder in two roots is compared for both, and a file of one is not gone for the other', async () => {
  const inner: Shuttle = {
    ...claudeShuttle,
    harness: 'codex',
    find: {
      sidecarPaths: () => [],
      roots: ({ home }) => [
        { path: path.join(home, '.claude/projects/-p1'), depth: 1, matches: (relative) => relative.endsWith('.other') },
      ],
    },
  };
  await using world = new World([claudeShuttle, inner]);
  world.write(world.file(1, 1), 'x');
  world.write(path.join(world.root, '-p1/a.other'), 'x');
  for (const look of [all, turns, all]) await world.sweep(look);
  const rows = world.ledger.sources.all().map(({ harness, status }) => `${harness} ${status}`);
  expect(rows.toSorted()).toEqual(['claude current', 'codex current']);
});

test('what is known of a root that is no longer looked at is gone', async () => {
  await using world = new World();
  world.write(world.file(1, 1), 'x');
  await world.sweep(all);
  const elsewhere = world.ledger.sources.insert('/home/user/moved/a.jsonl', 'claude');
  await world.sweep(turns);
  expect(world.ledger.sources.byNumber(elsewhere)?.status).toBe('new');
  await world.sweep(all);
  expect(world.ledger.sources.byNumber(elsewhere)?.status).toBe('gone');
  expect(world.both()[0]).toEqual(world.both()[1]);
});

test('a clock that jumps, back or forth, hides nothing', async () => {
  await using world = new World();
  const day = 86_400_000;
  world.write(world.file(1, 1), 'x');
  await world.sweep(all);
  for (const ahead of [day, -day, 0, -10 * day, 10 * day]) {
    world.ahead = ahead;
    world.write(world.file(1, 1), 'grows');
    world.write(world.file(2, Math.abs(ahead / day) % 10), 'is new');
    for (let i = 0; i < 30; i++) await world.sweep(turns);
    expect(world.both()[0], String(ahead)).toEqual(world.both()[1]);
  }
});
