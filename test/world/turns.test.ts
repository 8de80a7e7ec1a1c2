/** Turns of live sessions in real worktrees, as a Loom that follows the sources sees them: snapshots by themselves, changes, restores. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { environmentOf } from '../../server/main/environment.ts';
import { Seat } from '../../server/main/seat.ts';
import { snapshotsOf } from '../../server/main/snapshots-of.ts';
import { driversIn } from '../../server/main/worktree-drivers.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { Status } from '../../server/protocol/requests.ts';
import type { ThreadChanges, SnapshotView, WorldRestoreResult } from '../../server/protocol/world.ts';
import type { ThreadsView } from '../../server/protocol/views.ts';
import type { Activity, Holder } from '../../shuttles/contract/shuttle.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { LiveClaude } from './live-claude.ts';
import { filesOf, Worktrees, write } from './worktrees.ts';

class LiveLoom implements AsyncDisposable {
  readonly worktrees = new Worktrees();
  readonly ledger = path.join(this.worktrees.folder, 'ledger');
  readonly log: string[] = [];
  readonly seat: Seat;

  constructor(noSnapshots = false) {
    fs.mkdirSync(path.join(this.worktrees.home, '.claude', 'projects'), { recursive: true });
    this.seat = new Seat({
      folder: this.ledger,
      environment: environmentOf(this.worktrees.home, {}, process.platform),
      version: '0',
      follow: true,
      noSnapshots,
      log: (line) => this.log.push(line),
      onChange: () => undefined,
      onEvents: () => undefined,
    });
    open.push(this);
  }

  // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape that it then checks
  async ask<T>(method: string, params: JsonValue): Promise<T> {
    return (await this.seat.request({ events: () => undefined }, method, params)) as unknown as T;
  }
  list(params: { readonly thread?: string; readonly folder?: string } = {}): Promise<readonly SnapshotView[]> {
    return this.ask(requests.snapshotList.method, { thread: null, folder: null, limit: 100, ...params });
  }
  /** Causes, oldest first. */
  async causes(): Promise<readonly string[]> {
    return (await this.list()).map(({ cause }) => cause).toReversed();
  }
  changes(thread: string): Promise<ThreadChanges> {
    return this.ask(requests.threadChanges.method, { thread });
  }
  threads(): Promise<ThreadsView> {
    return this.ask(requests.subscribe.method, { subscription: 'list', kind: 'threads', all: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.seat.close();
    this.worktrees[Symbol.dispose]();
  }
}
const open: LiveLoom[] = [];
afterEach(async () => {
  for (const loom of open.splice(0)) await loom[Symbol.asyncDispose]();
});

async function until<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`not seen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
/** That many snapshots of that cause are there. */
const seen = (loom: LiveLoom, cause: string, count: number): Promise<boolean> =>
  until(async () => (await loom.causes()).filter((one) => one === cause).length >= count, `${count} of ${cause}`);

function told({ turns }: ThreadChanges): readonly string[] {
  return turns.map(
    ({ entry, files, added, removed }) =>
      `${entry === null ? 'between' : 'turn'} +${added} -${removed}: ${files.map((file) => `${file.change} ${file.path} ${file.by}`).join(', ')}`,
  );
}

test('each turn of a live thread is told exactly, with what its tools, its commands and the person did apart', async () => {
  const loom = new LiveLoom();
  const root = loom.worktrees.repository({ 'a.txt': 'a\n', 'gone.txt': 'gone\n' });
  const claude = new LiveClaude(loom.worktrees.home, root);
  claude.prompt('First');
  await seen(loom, 'turnStart', 1);
  claude.write('new.txt', 'one\ntwo\n');
  claude.run('rm gone.txt', () => write(root, { 'gone.txt': null }));
  claude.say('Done.');
  await seen(loom, 'turnEnd', 1);
  write(root, { 'mine.txt': 'mine\n' });
  claude.prompt('Second');
  await seen(loom, 'turnStart', 2);
  claude.run('echo b >> a.txt', () => fs.appendFileSync(path.join(root, 'a.txt'), 'b\n'));
  claude.say('Done again.');
  await seen(loom, 'turnEnd', 2);
  const changes = await loom.changes(claude.id);
  expect(told(changes)).toEqual([
    'turn +2 -1: deleted gone.txt command, added new.txt tool',
    'between +1 -0: added mine.txt between',
    'turn +1 -0: modified a.txt command',
  ]);
  expect(changes).toMatchObject({ worktree: root, reason: null, files: 3, added: 3, removed: 1 });
  const listed = await until(
    async () => (await loom.threads()).threads.find((thread) => thread.changes?.files === 3),
    'the totals in the list',
  );
  expect(listed.changes).toEqual({ files: 3, added: 3, removed: 1 });

  // The first turn is taken back, the second and the person's own stay; then that is taken back.
  const turn = changes.turns[0];
  const restore = { thread: claude.id, paths: null, hunk: null, dryRun: false, force: false, overwrite: false };
  const start = filesOf(root);
  const result = await loom.ask<WorldRestoreResult>(requests.snapshotRestore.method, {
    ...restore,
    before: turn?.before ?? 0,
    after: turn?.after ?? 0,
  });
  expect(result.steps.map(({ path: name, action }) => `${action} ${name}`)).toEqual(['write gone.txt', 'delete new.txt']);
  expect(filesOf(root)).toEqual({ 'a.txt': 'a\nb\n', 'gone.txt': 'gone\n', 'mine.txt': 'mine\n' });
  await loom.ask(requests.snapshotRestore.method, { ...restore, ...result.undo });
  expect(filesOf(root)).toEqual(start);
}, 120_000);

test('two threads in one worktree at once: each knows of the other, and only what tools reported is told apart', async () => {
  const loom = new LiveLoom();
  const root = loom.worktrees.repository({ 'a.txt': 'a\n' });
  const [one, other] = [new LiveClaude(loom.worktrees.home, root), new LiveClaude(loom.worktrees.home, root)];
  one.prompt('First');
  await seen(loom, 'turnStart', 1);
  other.prompt('Beside');
  await seen(loom, 'turnStart', 2);
  one.write('one.txt', '1\n');
  other.write('other.txt', '2\n');
  one.run('touch x', () => write(root, { x: '' }));
  one.say('Done.');
  await seen(loom, 'turnEnd', 1);
  other.say('Done too.');
  await seen(loom, 'turnEnd', 2);
  const [mine, theirs] = [await loom.changes(one.id), await loom.changes(other.id)];
  expect(told(mine)).toEqual(['turn +2 -0: added one.txt tool, added other.txt unclear, added x unclear']);
  expect(mine.turns[0]?.beside).toEqual([theirs.thread]);
  expect(told(theirs)).toEqual(['turn +2 -0: added one.txt between, added other.txt tool, added x unclear']);
}, 120_000);

test('a restore is refused while an agent is at work in that worktree, and it is said which', async () => {
  const loom = new LiveLoom();
  const root = loom.worktrees.repository();
  const claude = new LiveClaude(loom.worktrees.home, path.join(root));
  claude.prompt('Work');
  const inside = path.join(root, 'inside');
  loom.worktrees.git(root, 'worktree', 'add', '-q', inside);
  const elsewhere = new LiveClaude(loom.worktrees.home, inside);
  elsewhere.prompt('Elsewhere');
  await loom.ask(requests.ingest.method, {});
  const ledger = await loom.seat.ledger();
  const snapshots =
    ledger === undefined
      ? undefined
      : snapshotsOf(ledger, environmentOf(loom.worktrees.home, {}, 'linux'), process.env['PATH'] ?? '');
  if (ledger === undefined || snapshots === undefined) throw new Error('this process owns the ledger');
  const holder = (activity: Activity): Holder => ({ nativeId: '', pid: 4711, activity, evidence: 'a test' });
  const drivers = (id: string, activity: Activity): Promise<readonly string[]> =>
    driversIn(root, ledger, new Map([[`claude:${id}`, [holder(activity)]]]), snapshots, new Set(), Date.now());
  expect(await drivers(claude.id, 'working')).toEqual([
    expect.stringMatching(/^Claude Code \(process 4711\) is working in thread \w{8}: Work$/u),
  ]);
  expect(await drivers(claude.id, 'waiting')).toHaveLength(1);
  expect(await drivers(claude.id, 'unknown')).toHaveLength(1);
  expect(await drivers(claude.id, 'idle')).toEqual([]);
  // A worktree of its own inside of the other one.
  expect(await drivers(elsewhere.id, 'working')).toEqual([]);
  // Of a harness whose processes cannot be seen, an open turn counts while it is new.
  const row = ledger.threads.byId((await loom.changes(claude.id)).thread);
  if (row === undefined) throw new Error('the thread');
  ledger.threads.update({ ...row, last_turn: 'started' });
  const unseen = (now: number): Promise<readonly string[]> =>
    driversIn(root, ledger, new Map(), snapshots, new Set(['claude'] as const), now);
  expect(await unseen(Date.now())).toEqual([expect.stringContaining('Claude Code has a turn open')]);
  expect(await unseen(Date.now() + 120_000)).toEqual([]);
}, 60_000);

test('old sessions that are read for the first time make no snapshot, and what cannot be told has a reason', async () => {
  const loom = new LiveLoom();
  const root = loom.worktrees.repository();
  const claude = new LiveClaude(loom.worktrees.home, root);
  claude.prompt('Long ago');
  claude.say('Done.');
  const [file = ''] = fs.globSync(path.join(loom.worktrees.home, '.claude/projects/*/*.jsonl'));
  const old = fs.readFileSync(file, 'utf8').replaceAll(/"timestamp":"[^"]*"/gu, '"timestamp":"2026-01-01T00:00:00.000Z"');
  fs.writeFileSync(file, old);
  await loom.ask(requests.ingest.method, {});
  const outside = path.join(loom.worktrees.folder, 'plain');
  fs.mkdirSync(outside);
  const plain = new LiveClaude(loom.worktrees.home, outside);
  plain.prompt('No repository here');
  await loom.ask(requests.ingest.method, {});
  expect(await loom.list()).toEqual([]);
  expect((await loom.changes(claude.id)).reason).toMatch(/No turn of it was seen/u);
  expect((await loom.changes(plain.id)).reason).toMatch(/in no git repository/u);
}, 60_000);

test('with snapshots off none is taken by itself, and one that is asked for is', async () => {
  const loom = new LiveLoom(true);
  const root = loom.worktrees.repository();
  const claude = new LiveClaude(loom.worktrees.home, root);
  claude.prompt('First');
  await loom.ask(requests.ingest.method, {});
  await until(async () => (await loom.threads()).threads.length === 1, 'the thread');
  expect(await loom.list()).toEqual([]);
  const taken = await loom.ask<SnapshotView>(requests.snapshotTake.method, { folder: root });
  expect(taken).toMatchObject({ number: 1, worktree: root, cause: 'asked', thread: null });
  expect(await loom.ask(requests.snapshotTake.method, { folder: root, baseline: true })).toEqual(taken);
  await expect(loom.ask(requests.snapshotTake.method, { folder: loom.worktrees.folder })).rejects.toThrow(/no git repository/u);
}, 60_000);

test('a worktree whose snapshot fails is told of once, among the faults', async () => {
  const loom = new LiveLoom();
  const root = loom.worktrees.repository();
  await loom.ask(requests.status.method, {});
  // A file stands where the stores are to be.
  const stores = path.join(loom.ledger, 'snapshots');
  fs.rmSync(stores, { recursive: true });
  fs.writeFileSync(stores, '');
  const claude = new LiveClaude(loom.worktrees.home, root);
  claude.prompt('First');
  const faults = async (): Promise<readonly string[]> =>
    (await loom.ask<Status>(requests.status.method, {})).faults.map(({ id }) => id);
  await until(async () => (await faults()).includes('G002'), 'the fault');
  claude.say('Done.');
  await loom.ask(requests.ingest.method, {});
  expect((await faults()).filter((id) => id === 'G002')).toHaveLength(1);
  expect(await loom.list()).toEqual([]);
}, 60_000);
