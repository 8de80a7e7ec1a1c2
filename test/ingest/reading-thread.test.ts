import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { Ingest } from '../../server/ingest/ingest.ts';
import type { IngestOptions } from '../../server/ingest/ingest.ts';
import { ReadingThread } from '../../server/ingest/reading-thread.ts';
import { startReadingThread } from '../../server/main/reading-thread.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { assistantRow, TestHome, userRow } from './claude-session.ts';
import { ledgerText } from './ledger-text.ts';

const harnesses = ['claude', 'codex', 'gemini', 'pi'];

/** One home with the sessions of many. */
function manyHomes(): string {
  const home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  for (const harness of harnesses)
    for (const name of fs.readdirSync(path.join(fixtures, harness)))
      if (fs.statSync(path.join(fixtures, harness, name)).isDirectory())
        fs.cpSync(path.join(fixtures, harness, name), home, { recursive: true, force: false });
  return home;
}

async function textOf(
  home: string,
  options: Partial<IngestOptions> = {},
): Promise<{ text: unknown; faults: string[]; entries: number }> {
  await using made = new HomeLedger(home);
  const faults: string[] = [];
  const ingest = new Ingest({
    ledger: made.ledger,
    shuttles,
    environment: environmentOf(home, {}, 'linux'),
    sidecars: new DiskSidecars(),
    now: () => Date.now(),
    onCommit: () => undefined,
    onProgress: () => undefined,
    onFault: (id, detail) => faults.push(`${id} ${detail}`),
    onThreadChanged: () => undefined,
    ...options,
  });
  const { entries } = await ingest.pass();
  await ingest.stop();
  return { text: await ledgerText(made.ledger), faults, entries };
}

test('a thread that reads ahead makes the same ledger as reading in place, whatever the size of transactions', async () => {
  const home = manyHomes();
  const here = await textOf(home);
  expect(here.entries).toBeGreaterThan(300);
  for (const groups of [undefined, { bytes: 1, ms: 0 }]) {
    let started = 0;
    const there = await textOf(home, {
      readingThread: () => {
        started++;
        return startReadingThread();
      },
      threadFrom: 1,
      ...(groups === undefined ? {} : { groups }),
    });
    expect(started).toBe(1);
    expect(there).toEqual(here);
  }
  fs.rmSync(home, { recursive: true, force: true });
}, 120_000);

test('what was said can be looked at while it is told of, and later by whoever did', async () => {
  const home = manyHomes();
  const told = async (options: Partial<IngestOptions>): Promise<readonly string[]> => {
    const contents: { readonly content: object; readonly text: string }[] = [];
    await textOf(home, {
      ...options,
      onCommit: ({ entries }) => {
        for (const { content } of entries) contents.push({ content, text: JSON.stringify(content) });
      },
    });
    for (const { content, text } of contents) expect(JSON.stringify(content)).toBe(text);
    // Numbers of sources are given in the order of reading.
    return contents.map(({ text }) => text.replace(/"source":\d+/u, '')).toSorted();
  };
  const here = await told({});
  expect(here.length).toBeGreaterThan(300);
  expect(await told({ readingThread: startReadingThread, threadFrom: 1 })).toEqual(here);
  fs.rmSync(home, { recursive: true, force: true });
}, 120_000);

test('when the thread ends in the middle, the rest is read in place and nothing is lost or doubled', async () => {
  const home = manyHomes();
  const here = await textOf(home);
  for (const after of [1, 2, 7, 30]) {
    const there = await textOf(home, { readingThread: () => endingThread(after), threadFrom: 1 });
    expect(there).toEqual(here);
  }
  fs.rmSync(home, { recursive: true, force: true });
}, 120_000);

test('a thread that cannot start costs nothing but itself', async () => {
  const home = manyHomes();
  const here = await textOf(home);
  const absent = () => new ReadingThread(new Worker(path.join(home, 'there-is-no-such-file.mjs')));
  expect(await textOf(home, { readingThread: absent, threadFrom: 1 })).toEqual(here);
  fs.rmSync(home, { recursive: true, force: true });
}, 120_000);

test('a record that is too long for the thread is read in place, what stands around it too, and the thread goes on with the others', async () => {
  using long = new TestHome();
  const text = 'a line of many megabytes '.repeat(400_000);
  long.write(
    userRow(1, null, 'one'),
    assistantRow(2, 1, text),
    userRow(3, 2, 'two'),
    assistantRow(4, 3, text),
    userRow(5, 4, 'three'),
  );
  fs.cpSync(path.join(fixtures, 'codex/10-app-server-mixed'), long.home, { recursive: true });
  const here = await textOf(long.home);
  let thread: ReadingThread | undefined;
  let isLost: boolean | undefined;
  const there = await textOf(long.home, {
    readingThread: () => (thread = startReadingThread()),
    threadFrom: 1,
    // The pass ends the thread when it is over.
    onProgress: (progress) => {
      if (progress === null) isLost = thread?.isLost;
    },
  });
  expect(isLost).toBe(false);
  expect(there).toEqual(here);
}, 120_000);

/** A real one that is ended when it has said so much. */
function endingThread(after: number): ReadingThread {
  const worker = new Worker(new URL('../../server/main/reading-worker.ts', import.meta.url));
  let said = 0;
  worker.on('message', () => {
    if (++said === after) void worker.terminate();
  });
  return new ReadingThread(worker);
}
