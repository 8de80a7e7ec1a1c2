import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { CommitGroup } from './commit-group.ts';
import { ledgerFile } from './database.ts';
import { kindNamed } from './kinds.ts';
import { Ledger } from './ledger.ts';

function temporary(): { readonly ledger: Ledger; readonly reader: Ledger; close(): Promise<void> } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-group-'));
  const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
  const reader = Ledger.open(folder, { readonly: true, now: 0, maySetAside: false });
  return {
    ledger,
    reader,
    async close() {
      await reader.close();
      await ledger.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

const limits = { bytes: 100, ms: 50 };

async function write(ledger: Ledger, session: string, text: string): Promise<void> {
  const engine = await ledger.engine(session, true);
  await engine.commit((tx) => {
    const conversation = tx.createConversation({});
    tx.entry(kindNamed('notice'), conversation, { text, at: null });
  });
}

test('a reader sees all commits of a group at once, and they are told of when it does', async () => {
  const made = temporary();
  const told: string[] = [];
  const group = new CommitGroup(made.ledger, limits, () => 0);
  for (const session of ['a', 'b', 'c']) {
    group.begin();
    await write(made.ledger, session, session);
    group.add(session, 10, () => told.push(`${session} ${String(made.reader.hasSession('c'))}`));
    expect(made.reader.hasSession('a')).toBe(false);
  }
  expect(told).toEqual([]);
  group.flush();
  expect(told).toEqual(['a true', 'b true', 'c true']);
  expect(group.isOpen).toBe(false);
  group.flush();
  expect(told).toHaveLength(3);
  await made.close();
});

test('a group is full by its bytes or by its time, whichever is first', async () => {
  const made = temporary();
  let now = 0;
  const group = new CommitGroup(made.ledger, limits, () => now);
  expect(group.isFull).toBe(false);
  group.begin();
  group.add('a', 99, () => undefined);
  expect(group.isFull).toBe(false);
  group.add('a', 1, () => undefined);
  expect(group.isFull).toBe(true);
  group.flush();
  group.begin();
  now = 49;
  expect(group.isFull).toBe(false);
  now = 50;
  expect(group.isFull).toBe(true);
  group.flush();
  await made.close();
});

test('of an abandoned group nothing is kept or told, and its sessions begin anew', async () => {
  const made = temporary();
  await write(made.ledger, 'a', 'before');
  const group = new CommitGroup(made.ledger, limits, () => 0);
  group.begin();
  await write(made.ledger, 'a', 'lost');
  group.add('a', 1, () => expect.unreachable());
  await write(made.ledger, 'new', 'lost');
  group.add('new', 1, () => expect.unreachable());
  group.abandon();
  expect(made.ledger.hasSession('new')).toBe(false);
  await write(made.ledger, 'a', 'after');
  const engine = await made.ledger.engine('a');
  const texts = [1, 3].flatMap((conversation) => engine.entries(conversation, { limit: 10 }).items).map((entry) => entry.content);
  expect(texts).toMatchObject([{ text: 'before' }, { text: 'after' }]);
  await made.close();
});

test('a commit that fails half-way fails the whole group, which is then said of the ledger as ever', async () => {
  const made = temporary();
  const group = new CommitGroup(made.ledger, limits, () => 0);
  group.begin();
  await write(made.ledger, 'a', 'fine');
  group.add('a', 1, () => expect.unreachable());
  const engine = await made.ledger.engine('b', true);
  const failing = engine.commit((tx) => tx.createConversation({}), {
    within: () => {
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    },
  });
  await expect(failing).rejects.toThrow('full');
  await expect(write(made.ledger, 'c', 'too late')).rejects.toThrow();
  expect(() => group.flush()).toThrow();
  expect(made.ledger.hasSession('a')).toBe(false);
  await write(made.ledger, 'a', 'again');
  expect(made.reader.hasSession('a')).toBe(true);
  await made.close();
});

test('when a statement beside the commits takes the group back, as a full disk does, none of its documents is found', async () => {
  const made = temporary();
  const group = new CommitGroup(made.ledger, limits, () => 0);
  const other = new Sqlite(ledgerFile(made.ledger.folder));
  other.exec("CREATE TRIGGER full BEFORE INSERT ON sources BEGIN SELECT RAISE(ROLLBACK, 'as if it were full'); END");
  other.close();
  group.begin();
  const engine = await made.ledger.engine('a', true);
  await engine.commit((tx) => tx.createConversation({}), {
    within: () => {
      const row = { thread: 1, conversation: 1, entry: 1, kind: 'user', harness: 'claude', at: 0, length: 4 } as const;
      made.ledger.index([{ row, body: 'lost' }]);
    },
  });
  group.add('a', 1, () => expect.unreachable());
  expect(() => made.ledger.sources.insert('/home/user/one.jsonl', 'claude')).toThrow('as if it were full');
  expect(() => group.flush()).toThrow();
  expect(made.ledger.documents.match('lost', {}, 10)).toEqual([]);
  expect(made.ledger.hasSession('a')).toBe(false);
  expect(group.isOpen).toBe(false);
  await write(made.ledger, 'a', 'again');
  expect(made.reader.hasSession('a')).toBe(true);
  await made.close();
});
