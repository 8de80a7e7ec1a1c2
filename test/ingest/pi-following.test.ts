/** Files of pi as they are written, rewritten, lost and copied while Loom looks on: nothing is stored twice, nothing is lost. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { HomeLedger } from '../home-ledger.ts';

const id = (n: number): string => `01a2ee00-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`;

/** A home with one project's folder, and rows of pi's form. */
class Home implements Disposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-pi-'));
  readonly folder = path.join(this.home, '.pi/agent/sessions/--home-user-shop--');

  constructor() {
    fs.mkdirSync(this.folder, { recursive: true });
  }
  file(session: number): string {
    return path.join(this.folder, `2026-11-02T10-00-0${session}-000Z_${id(session)}.jsonl`);
  }
  write(session: number, ...rows: readonly object[]): void {
    fs.writeFileSync(this.file(session), lines(rows));
  }
  append(session: number, ...rows: readonly object[]): void {
    fs.appendFileSync(this.file(session), lines(rows));
  }
  [Symbol.dispose](): void {
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
function header(session: number, rest: object = {}): object {
  return { type: 'session', version: 3, id: id(session), timestamp: at(0), cwd: '/home/user/shop', ...rest };
}
function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 2, 10, 0, second)).toISOString();
}
function user(n: number, parent: number | null, text: string): object {
  return record(n, parent, { role: 'user', content: [{ type: 'text', text }] });
}
function answer(n: number, parent: number | null, text: string): object {
  const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
  return record(n, parent, { role: 'assistant', content: [{ type: 'text', text }], usage, stopReason: 'stop' });
}
function record(n: number, parent: number | null, message: object): object {
  const name = (value: number): string => value.toString(16).padStart(8, '0');
  return { type: 'message', id: name(n), parentId: parent === null ? null : name(parent), timestamp: at(n), message };
}

async function seen(
  ledger: HomeLedger,
  session: number,
): Promise<{ row: ThreadRow; texts: readonly string[]; branches: number }> {
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  const row = findThread(ledger.ledger, id(session));
  if (row === undefined) throw new Error('no thread');
  const entries = await allEntries(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  const texts = entries.flatMap((entry) =>
    entry.kind === 'user' || entry.kind === 'assistant'
      ? entry.content.content.map((block) => (block.type === 'text' ? block.text : ''))
      : [],
  );
  return { row, texts, branches: ledger.ledger.branches.bySession(row.session).length };
}

test('a linear session of the first version that a later pi rewrote with ids is not stored again', async () => {
  using home = new Home();
  const old = (second: number, message: object): object => ({
    type: 'message',
    timestamp: new Date(Date.UTC(2025, 10, 1, 10, 0, second)).toISOString(),
    message,
  });
  const rows = [
    old(1, { role: 'user', content: 'one' }),
    old(2, {
      role: 'assistant',
      content: [{ type: 'text', text: 'first' }],
      usage: { input: 10, output: 1 },
      stopReason: 'stop',
    }),
    old(3, { role: 'hookMessage', content: 'note', customType: 'x' }),
    { type: 'compaction', timestamp: '2025-11-01T10:00:04.000Z', summary: 'So far.', firstKeptEntryIndex: 2, tokensBefore: 9 },
  ];
  home.write(1, { type: 'session', id: id(1), timestamp: '2025-11-01T10:00:00.000Z', cwd: '/home/user/shop' }, ...rows);
  await using ledger = new HomeLedger(home.home);
  const before = await seen(ledger, 1);
  const context = await contextOf(ledger.ledger, before.row.session, before.row.current_conversation);
  expect(context.map(({ message }) => JSON.stringify(message.content))).toEqual([
    expect.stringContaining('So far.'),
    expect.stringContaining('first'),
    expect.stringContaining('note'),
  ]);

  // What pi writes in their place: ids, parents, the newer role, the id of the first kept record.
  const migrated: readonly object[] = [
    { ...rows[0], id: 'id-0', parentId: null },
    { ...rows[1], id: 'id-1', parentId: 'id-0' },
    { ...old(3, { role: 'custom', content: 'note', customType: 'x' }), id: 'id-2', parentId: 'id-1' },
    {
      type: 'compaction',
      timestamp: '2025-11-01T10:00:04.000Z',
      summary: 'So far.',
      tokensBefore: 9,
      id: 'id-3',
      parentId: 'id-2',
      firstKeptEntryId: 'id-1',
    },
  ];
  home.write(
    1,
    { type: 'session', version: 3, id: id(1), timestamp: '2025-11-01T10:00:00.000Z', cwd: '/home/user/shop' },
    ...migrated,
  );
  home.append(1, { ...user(9, null, 'two'), parentId: 'id-3' }, answer(10, 9, 'second'));
  const after = await seen(ledger, 1);
  expect(after.texts).toEqual([...before.texts, 'two', 'second']);
  expect([after.branches, after.row.turns, after.row.usage_input]).toEqual([1, 2, 20]);
});

test('a file that was deleted under a running pi comes again without a header, and what is new follows what was there', async () => {
  using home = new Home();
  home.write(1, header(1), user(1, null, 'one'), answer(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await seen(ledger, 1);
  fs.rmSync(home.file(1));
  await ledger.catchUp();
  home.append(1, user(3, 2, 'two'), answer(4, 3, 'second'));
  const { row, texts, branches } = await seen(ledger, 1);
  expect(texts).toEqual(['one', 'first', 'two', 'second']);
  expect([branches, row.turns, row.cwd, row.source_gone]).toEqual([1, 2, '/home/user/shop', 0]);
});

test('a last line without its newline waits; what an old pi glued onto it is told apart', async () => {
  using home = new Home();
  home.write(1, header(1), user(1, null, 'one'));
  fs.appendFileSync(home.file(1), JSON.stringify(answer(2, 1, 'first')));
  await using ledger = new HomeLedger(home.home);
  expect((await seen(ledger, 1)).texts).toEqual(['one']);
  fs.appendFileSync(home.file(1), lines([user(3, 2, 'two'), answer(4, 3, 'second')]));
  expect((await seen(ledger, 1)).texts).toEqual(['one', 'first', 'two', 'second']);
});

test('a fork is its parent’s, whichever of the two files is met first', async () => {
  using home = new Home();
  const common = [user(1, null, 'one'), answer(2, 1, 'first')];
  home.write(1, header(1), ...common, user(3, 2, 'on'), answer(4, 3, 'went on'));
  home.write(
    2,
    header(2, { timestamp: at(5), parentSession: home.file(1) }),
    ...common,
    user(6, 2, 'other'),
    answer(7, 6, 'elsewhere'),
  );
  await using ledger = new HomeLedger(home.home);
  const parent = await seen(ledger, 1);
  const fork = await seen(ledger, 2);
  expect([parent.texts, fork.texts]).toEqual([
    ['one', 'first', 'on', 'went on'],
    ['one', 'first', 'other', 'elsewhere'],
  ]);
  expect(fork.row).toMatchObject({ parent_thread: parent.row.id, turns: 1, usage_input: 10 });
  expect(parent.row).toMatchObject({ parent_thread: null, turns: 2, usage_input: 20 });
  expect(fork.branches).toBe(2);
});

test('a fork whose parent is gone keeps what it copied, without counting it', async () => {
  using home = new Home();
  home.write(
    2,
    header(2, { timestamp: at(5), parentSession: home.file(1) }),
    user(1, null, 'one'),
    answer(2, 1, 'first'),
    user(6, 2, 'own'),
    answer(7, 6, 'yes'),
  );
  await using ledger = new HomeLedger(home.home);
  const { row, texts } = await seen(ledger, 2);
  expect(texts).toEqual(['one', 'first', 'own', 'yes']);
  expect([row.turns, row.usage_input]).toEqual([1, 10]);
});

test('sessions whose records have the same ids and times stay apart', async () => {
  using home = new Home();
  home.write(1, header(1), user(1, null, 'one'), answer(2, 1, 'first'));
  home.write(2, header(2), user(1, null, 'uno'), answer(2, 1, 'primero'));
  await using ledger = new HomeLedger(home.home);
  expect((await seen(ledger, 1)).texts).toEqual(['one', 'first']);
  expect((await seen(ledger, 2)).texts).toEqual(['uno', 'primero']);
  expect((await seen(ledger, 2)).row.parent_thread).toBeNull();
});

test('two processes on one file: the newest line is where the thread goes on, the other branch stays', async () => {
  using home = new Home();
  home.write(1, header(1), user(1, null, 'one'), answer(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await seen(ledger, 1);
  home.append(1, user(3, 2, 'from print'), answer(4, 3, 'printed'));
  expect((await seen(ledger, 1)).texts).toEqual(['one', 'first', 'from print', 'printed']);
  home.append(1, user(5, 2, 'from the terminal'), answer(6, 5, 'shown'));
  const { texts, branches } = await seen(ledger, 1);
  expect(texts).toEqual(['one', 'first', 'from the terminal', 'shown']);
  expect(branches).toBe(2);
  // The first process appends behind its own leaf.
  home.append(1, user(7, 4, 'print again'), answer(8, 7, 'printed again'));
  expect((await seen(ledger, 1)).texts).toEqual(['one', 'first', 'from print', 'printed', 'print again', 'printed again']);
  expect((await seen(ledger, 1)).branches).toBe(2);
});

test('omp writes its title anew in place: the thread takes it and nothing is stored again', async () => {
  using home = new Home();
  const slot = (title: string): object => ({ type: 'title', v: 1, title, pad: ' '.repeat(200 - title.length) });
  home.write(1, slot(''), header(1), user(1, null, 'one'), answer(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  const before = await seen(ledger, 1);
  expect(before.row.title).toBe('one');
  home.write(1, slot('Mending the cart'), header(1), user(1, null, 'one'), answer(2, 1, 'first'));
  const after = await seen(ledger, 1);
  expect(after.row).toMatchObject({ title: 'Mending the cart', entries: before.row.entries, turns: 1, usage_input: 10 });
  expect(after.branches).toBe(1);
});

test('an edit of the context holds in its own branch only, and what it took out can come back', async () => {
  using home = new Home();
  const edit = (n: number, parent: number, replacement: object | null): object => ({
    type: 'context_edit',
    id: n.toString(16).padStart(8, '0'),
    parentId: parent.toString(16).padStart(8, '0'),
    timestamp: at(n),
    targetId: '00000002',
    replacement,
  });
  home.write(
    1,
    header(1),
    user(1, null, 'one'),
    answer(2, 1, 'first'),
    edit(3, 2, null),
    user(4, 3, 'two'),
    answer(5, 4, 'second'),
  );
  await using ledger = new HomeLedger(home.home);
  const context = async (): Promise<readonly string[]> => {
    const { row } = await seen(ledger, 1);
    const messages = await contextOf(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
    return messages.map(({ message }) => message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
  };
  expect(await context()).toEqual(['one', 'two', 'second']);
  home.append(1, edit(6, 5, { content: 'first, in short' }));
  expect(await context()).toEqual(['one', 'first, in short', 'two', 'second']);
  // Behind the answer, before its edit: a branch that knows nothing of it. An edit of a record in the other branch does nothing here.
  home.append(1, user(7, 2, 'other'), { ...edit(8, 7, null), targetId: '00000005' }, answer(9, 8, 'elsewhere'));
  expect(await context()).toEqual(['one', 'first', 'other', 'elsewhere']);
});
