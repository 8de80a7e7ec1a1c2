/** `loom snapshot take` and `restore` as real processes that are killed at many moments: before or after, never between. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DiffResult, SnapshotView, WorldRestoreResult } from '../../server/protocol/world.ts';
import { LoomProgram } from './program.ts';
import type { Ran } from './program.ts';
import { filesOf, Worktrees, write } from './worktrees.ts';

let program: LoomProgram;
beforeAll(() => {
  program = new LoomProgram();
}, 120_000);
afterAll(() => program[Symbol.dispose]());

class Killed implements Disposable {
  readonly worktrees = new Worktrees();
  readonly ledger = path.join(this.worktrees.folder, 'ledger');

  loom(args: readonly string[], killAfterMs?: number): Promise<Ran> {
    return program.run(this.worktrees.home, this.ledger, args, killAfterMs);
  }
  // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape that it then checks
  async json<T>(...args: readonly string[]): Promise<T> {
    const ran = await this.loom([...args, '--json']);
    if (ran.status !== 0) throw new Error(`loom ${args.join(' ')}: ${ran.status} ${ran.err}`);
    return JSON.parse(ran.out) as T;
  }
  [Symbol.dispose](): void {
    this.worktrees[Symbol.dispose]();
  }
}

const moments = 10;
/** From the first work of the process to its end, as far as it took so long before. */
const momentsOf = (ms: number): readonly number[] =>
  Array.from({ length: moments }, (_, n) => Math.round(ms * (0.25 + (0.8 * n) / moments)));

const many = (word: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`folder ${n % 9}/${n}.txt`, `${word} ${n}\n`.repeat(400 + n)]));

test('a snapshot that is killed while it is taken is not listed, or is whole', async () => {
  using at = new Killed();
  const root = at.worktrees.repository(many('first'));
  const measured = await at.loom(['snapshot', 'take', '--cwd', root]);
  expect(measured, measured.err).toMatchObject({ status: 0 });
  let killed = 0;
  for (const [n, ms] of momentsOf(measured.ms).entries()) {
    write(root, many(`word ${n}`));
    const files = filesOf(root);
    const ran = await at.loom(['snapshot', 'take', '--cwd', root], ms);
    if (ran.status === null) killed++;
    expect(filesOf(root)).toEqual(files);
    const {
      snapshots: [newest],
    } = await at.json<{ readonly snapshots: readonly SnapshotView[] }>('snapshot', 'list', '--cwd', root, '--limit', '1');
    if (newest === undefined) throw new Error('the first one is there');
    const diff = await at.json<DiffResult>('snapshot', 'diff', String(newest.number));
    // It is the one before, of which all files differ, or the one that was asked for, to the last byte.
    expect([0, 120], `killed after ${ms} ms`).toContain(diff.filesTotal);
    const again = await at.json<SnapshotView>('snapshot', 'take', '--cwd', root);
    const whole = await at.json<DiffResult>('snapshot', 'diff', String(again.number));
    expect(whole.filesTotal).toBe(0);
  }
  expect(killed).toBeGreaterThan(moments / 3);
}, 400_000);

test('a restore that is killed leaves, once Loom runs again, the files as before or as after', async () => {
  using at = new Killed();
  const first = many('first');
  const root = at.worktrees.repository(first);
  const before = await at.json<SnapshotView>('snapshot', 'take', '--cwd', root);
  const gone = Object.keys(first).slice(0, 50);
  write(root, { ...many('second'), 'new/deep/er.txt': 'new\n' });
  write(root, Object.fromEntries(gone.map((name) => [name, null])));
  const after = await at.json<SnapshotView>('snapshot', 'take', '--cwd', root);
  const [old, fresh] = [first, filesOf(root)];
  const args = ['snapshot', 'restore', '--before', String(before.number), '--after', String(after.number)];
  const measured = await at.loom([...args, '--json']);
  expect(measured, measured.err).toMatchObject({ status: 0 });
  expect(filesOf(root)).toEqual(old);
  const { undo } = JSON.parse(measured.out) as WorldRestoreResult;
  await at.json('snapshot', 'restore', '--before', String(undo?.before), '--after', String(undo?.after));
  expect(filesOf(root)).toEqual(fresh);
  const ends = new Map<string, number>();
  for (const ms of momentsOf(measured.ms)) {
    await at.loom([...args, '--json'], ms);
    await at.json('snapshot', 'list');
    const now = filesOf(root);
    const end = JSON.stringify(now) === JSON.stringify(fresh) ? 'before' : 'after';
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (end === 'before') continue;
    expect(now, `killed after ${ms} ms`).toEqual(old);
    // And back, for the next moment.
    await at.json('snapshot', 'restore', '--before', String(after.number), '--after', String(before.number));
    expect(filesOf(root)).toEqual(fresh);
  }
  expect(ends.get('before') ?? 0).toBeGreaterThan(0);
}, 400_000);
