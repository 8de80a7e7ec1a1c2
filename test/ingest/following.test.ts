import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { HomeLedger } from '../home-ledger.ts';
import { newestEntries } from '../../server/ledger/transcript.ts';
import { assistantRow, sessionId, TestHome, userRow } from './claude-session.ts';

async function texts(ledger: HomeLedger): Promise<string[]> {
  const [thread] = ledger.ledger.threads.newest(10);
  if (thread === undefined || thread.current_conversation === 0) return [];
  const { entries } = await newestEntries(
    ledger.ledger,
    thread.session,
    thread.current_conversation,
    1000,
    thread.current_entry === null ? {} : { through: thread.current_entry },
  );
  return entries.flatMap((entry) =>
    entry.kind === 'user' || entry.kind === 'assistant'
      ? entry.content.content.map((block) => ('text' in block ? block.text : ''))
      : [],
  );
}

test('a torn last record waits for its newline', async () => {
  using home = new TestHome();
  const torn = assistantRow(2, 1, 'an answer with 🚢 and 港口');
  const bytes = Buffer.from(torn);
  home.write(userRow(1, null, 'one'));
  home.append(bytes.subarray(0, bytes.indexOf(Buffer.from('🚢')) + 2));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  expect(await texts(ledger)).toEqual(['one']);
  home.append(bytes.subarray(bytes.indexOf(Buffer.from('🚢')) + 2, bytes.length - 1));
  await ledger.catchUp();
  expect(await texts(ledger)).toEqual(['one']);
  home.append('\n');
  await ledger.catchUp();
  expect(await texts(ledger)).toEqual(['one', 'an answer with 🚢 and 港口']);
});

test('a pass over unchanged files reads nothing', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  expect((await ledger.catchUp()).records).toBe(2);
  const before = ledger.committed.length;
  expect(await ledger.catchUp()).toMatchObject({ bytes: 0, records: 0, entries: 0, sources: 1 });
  expect(ledger.committed.length).toBe(before);
});

test('an append costs its own size', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'x'.repeat(2_000_000)));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const row = userRow(3, 2, 'two');
  home.append(row);
  expect(await ledger.catchUp()).toMatchObject({ bytes: Buffer.byteLength(row), records: 1, entries: 1 });
});

test('an append is read without reading the beginning of its file again', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'x'.repeat(3_000_000)));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  home.append(userRow(3, 2, 'two'));
  const read = fs.readSync;
  let bytes = 0;
  const counting = ((...args: Parameters<typeof fs.readSync>) => {
    const length = read(...args);
    bytes += length;
    return length;
  }) as typeof fs.readSync;
  fs.readSync = counting;
  syncBuiltinESMExports();
  try {
    await ledger.catchUp();
  } finally {
    fs.readSync = read;
    syncBuiltinESMExports();
  }
  expect((await texts(ledger)).at(-1)).toBe('two');
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(10_000);
});

test('a file that was cut and rewritten is read anew, and nothing that was read is repeated or lost', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'), userRow(3, 2, 'taken back'));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await ledger.catchUp();
  home.append(userRow(4, 2, 'instead'));
  await ledger.catchUp();
  const [thread] = ledger.ledger.threads.newest(10);
  expect(thread?.entries).toBe(4);
  expect(await texts(ledger)).toEqual(['one', 'first', 'instead']);
});

test('a file that moved keeps its thread and is not read again', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const folder = path.join(home.home, '.claude', 'projects', '-home-user-other');
  fs.mkdirSync(folder);
  fs.renameSync(home.file, path.join(folder, path.basename(home.file)));
  expect(await ledger.catchUp()).toMatchObject({ records: 0, entries: 0, threads: 1 });
  expect(ledger.ledger.threads.newest(1)[0]?.source_gone).toBe(0);
});

test('what a harness deletes stays in the ledger and says that its source is gone; coming back it goes on', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  const bytes = fs.readFileSync(home.file);
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  fs.rmSync(home.file);
  await ledger.catchUp();
  expect(ledger.ledger.threads.newest(1)[0]?.source_gone).toBe(1);
  expect(await texts(ledger)).toEqual(['one', 'first']);
  fs.writeFileSync(home.file, Buffer.concat([bytes, Buffer.from(userRow(3, 2, 'two'))]));
  await ledger.catchUp();
  expect(ledger.ledger.threads.newest(1)[0]?.source_gone).toBe(0);
  expect(await texts(ledger)).toEqual(['one', 'first', 'two']);
  expect(ledger.ledger.threads.newest(1)[0]?.entries).toBe(3);
});

test('an unreadable folder and a file that is no session are named, and everything else is read', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  fs.writeFileSync(path.join(home.folder, 'notes.jsonl'), '{"hello":1}\n');
  fs.mkdirSync(path.join(home.folder, 'aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa.jsonl'));
  fs.writeFileSync(path.join(home.folder, 'bbbbbbbb-1111-4111-8111-bbbbbbbbbbbb.jsonl'), '');
  await using ledger = new HomeLedger(home.home);
  const report = await ledger.catchUp();
  expect(report.entries).toBe(1);
  expect(ledger.ledger.threads.newest(10).filter((thread) => thread.current_conversation !== 0)).toHaveLength(1);
});

test('any bytes give entries and warnings, never an exception or a lost record', async () => {
  using home = new TestHome();
  const rows = [
    userRow(1, null, 'one'),
    '\0\0\0\0',
    'no json at all\n',
    assistantRow(2, 1, 'first'),
    '[1,2]\n',
    '{"type":"user"\n',
    userRow(3, 2, 'two').trimEnd() + assistantRow(4, 3, 'glued'),
  ];
  home.write(...rows);
  home.append(Buffer.from([0xff, 0xfe, 0x0a]));
  home.append(line5());
  await using ledger = new HomeLedger(home.home);
  const report = await ledger.catchUp();
  expect(await texts(ledger)).toEqual(['one', 'first', 'two', 'glued', 'five']);
  expect(report.warnings.length).toBeGreaterThanOrEqual(3);
  expect(report.warnings.every((warning) => warning.path.endsWith(`${sessionId}.jsonl`))).toBe(true);
});

function line5(): string {
  return userRow(5, 4, 'five');
}

test('a new session in the file that another one left, as when a file system gives a number anew, begins a conversation of its own', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const other = '99999999-9999-4999-8999-999999999999';
  const file = path.join(home.folder, `${other}.jsonl`);
  fs.renameSync(home.file, file);
  fs.writeFileSync(file, [userRow(31, 30, 'two'), assistantRow(32, 31, 'second')].join('').replaceAll(sessionId, other));
  await ledger.catchUp();
  const threads = ledger.ledger.threads.newest(10).map(({ title, entries }) => `${title}: ${entries}`);
  expect(threads.toSorted()).toEqual(['one: 2', 'two: 2']);
});
