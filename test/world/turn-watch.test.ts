/** When snapshots are taken by themselves: what is fresh, what is one snapshot, what is told of failures; on real worktrees. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { TurnWatch } from '../../server/world/turn-watch.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { LedgerWorktrees } from './ledger-worktrees.ts';
import { write } from './worktrees.ts';

class Watched implements AsyncDisposable {
  readonly at = new LedgerWorktrees();
  readonly told: string[] = [];
  now = 1_800_000_000_000;
  readonly watch: TurnWatch;

  constructor(folderOf: (thread: ThreadRow) => string) {
    this.watch = new TurnWatch({
      snapshots: this.at.snapshots,
      folderOf,
      isChild: (_thread, conversation) => conversation === 99,
      promptOf: () => Promise.resolve(41),
      isNew: (root) => this.at.table.knownWorktree(root) === undefined,
      onTaken: (rows) => this.told.push(`taken ${rows.length}`),
      onFailed: (_root, fault) => this.told.push(`failed ${fault.id}`),
      onHealed: () => this.told.push('healed'),
      onError: (error) => this.told.push(String(error)),
      log: () => undefined,
      now: () => this.now,
    });
  }

  entry(kind: LedgerEntry['kind'], id: number, content: object, conversationId = 1): LedgerEntry {
    const provenance = { harness: 'claude', source: 1, offset: 0, length: 0, translator: 1, trust: 'user' };
    return { id, conversationId, kind, content: { at: this.now, provenance, ...content } } as unknown as LedgerEntry;
  }
  prompt(id: number, conversation = 1): LedgerEntry {
    return this.entry('user', id, { origin: 'typed', content: [] }, conversation);
  }
  turn(id: number, phase: string): LedgerEntry {
    return this.entry('turn', id, { phase });
  }
  rows(): readonly string[] {
    return this.at.table
      .newest(100)
      .map(({ cause, thread, conversation, entry, tree }) => `${cause} ${thread}/${conversation}/${entry} ${tree.slice(0, 6)}`)
      .toReversed();
  }
  causes(): readonly string[] {
    return this.rows().map((row) => row.replace(/ \w+$/u, ''));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watch.stop();
    await this.at[Symbol.asyncDispose]();
  }
}
const thread = (number: number): ThreadRow => ({ number, current_conversation: 1, updated_at: 1_800_000_000_000 }) as ThreadRow;

test('a burst of commits of several threads is one tree with a row for each boundary', async () => {
  let root = '';
  await using live = new Watched(() => root);
  root = live.at.worktrees.repository();
  live.watch.committed(thread(1), [live.turn(1, 'started'), live.prompt(2), live.entry('assistant', 3, { content: [] })]);
  live.watch.committed(thread(1), [live.turn(4, 'completed')]);
  live.watch.committed(thread(2), [live.prompt(7)]);
  await live.watch.flush();
  expect(live.causes()).toEqual(['turnStart 1/1/2', 'turnEnd 1/1/2', 'turnStart 2/1/7']);
  expect(new Set(live.rows().map((row) => row.split(' ')[2])).size).toBe(1);
  // The prompt of a turn that was begun before this process is looked for.
  live.watch.committed(thread(3), [live.entry('assistant', 9, { content: [{ type: 'text', text: 'x' }], stopReason: 'stop' })]);
  await live.watch.flush();
  expect(live.causes().at(-1)).toBe('turnEnd 3/1/41');
});

test('what is old, inherited or of a subagent is no boundary; anything fresh in a new worktree is a beginning', async () => {
  let root = '';
  await using live = new Watched(() => root);
  root = live.at.worktrees.repository();
  const old = live.entry('user', 1, { origin: 'typed', content: [], at: live.now - 130_000 });
  const copied = live.entry('user', 2, { origin: 'typed', content: [] });
  const inherited = {
    ...copied,
    content: { ...copied.content, provenance: { ...copied.content.provenance, inherited: true } },
  } as LedgerEntry;
  const undated = live.entry('user', 3, { origin: 'typed', content: [], at: null });
  live.watch.committed(thread(1), [old, inherited, undated]);
  await live.watch.flush();
  expect(live.causes()).toEqual([]);
  live.watch.committed(thread(1), [live.prompt(3, 99)]);
  await live.watch.flush();
  expect(live.causes()).toEqual(['baseline 1/null/null']);
  live.watch.committed(thread(1), [live.entry('step', 4, { details: {} })]);
  live.watch.met(root);
  await live.watch.flush();
  expect(live.causes()).toHaveLength(1);
});

test('a program that goes away in the middle of a turn ends it', async () => {
  let root = '';
  await using live = new Watched(() => root);
  root = live.at.worktrees.repository();
  live.watch.committed(thread(1), [live.prompt(5)]);
  await live.watch.flush();
  write(root, { 'left.txt': 'x\n' });
  live.watch.left(thread(1));
  await live.watch.flush();
  expect(live.causes()).toEqual(['turnStart 1/1/5', 'turnEnd 1/1/5']);
});

test('a worktree that fails is told of once and left alone for a minute, then tried again and healed', async () => {
  let root = '';
  await using live = new Watched(() => root);
  root = live.at.worktrees.repository();
  // A file stands where the stores are to be.
  const stores = path.join(live.at.ledger.folder, 'snapshots');
  fs.writeFileSync(stores, '');
  for (let n = 0; n < 3; n++) {
    live.watch.committed(thread(1), [live.prompt(n + 1)]);
    await live.watch.flush();
  }
  expect(live.told).toEqual(['failed G002']);
  fs.rmSync(stores);
  live.watch.committed(thread(1), [live.prompt(4)]);
  await live.watch.flush();
  expect(live.told).toEqual(['failed G002']);
  live.now += 61_000;
  live.watch.committed(thread(1), [live.prompt(5)]);
  await live.watch.flush();
  expect(live.told).toEqual(['failed G002', 'healed', 'taken 1']);
  expect(live.causes()).toEqual(['turnStart 1/1/5']);
});

test('a folder without a worktree is looked at once a minute, and after a stop nothing is taken', async () => {
  let root = '';
  await using live = new Watched(() => root);
  root = path.join(live.at.worktrees.folder, 'plain');
  fs.mkdirSync(root);
  live.watch.committed(thread(1), [live.prompt(1)]);
  await live.watch.flush();
  live.at.worktrees.git(root, 'init', '-q');
  live.watch.committed(thread(1), [live.prompt(2)]);
  await live.watch.flush();
  expect(live.told).toEqual([]);
  live.now += 61_000;
  live.watch.committed(thread(1), [live.prompt(3)]);
  await live.watch.flush();
  expect(live.told).toEqual(['taken 1']);
  await live.watch.stop();
  live.watch.committed(thread(1), [live.prompt(4)]);
  await live.watch.flush();
  expect(live.causes()).toHaveLength(1);
});
