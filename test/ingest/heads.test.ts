/** Of many new files as much as lists their threads comes before the rest of any, newest first, and nothing comes of that which would not stay. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { IngestOptions } from '../../server/ingest/ingest.ts';
import type { Committed } from '../../server/ingest/commit.ts';
import type { Ledger } from '../../server/ledger/ledger.ts';
import { isListed } from '../../server/main/list.ts';
import { startReadingThread } from '../../server/main/reading-thread.ts';
import { threadView } from '../../server/main/thread-view.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';
import { assistantRow, line, userRow } from './claude-session.ts';
import { ledgerText } from './ledger-text.ts';

const sessions = 40;
const nativeId = (n: number): string => `5baaea07-d3e0-4173-9e63-${String(n).padStart(12, '0')}`;

interface Reading extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly ingest: HomeLedger['ingest'];
  /** What the ledger's cursors say was read, in all and of a session. */
  readonly read: (n?: number) => number;
}

function reading(home: string, options: Partial<IngestOptions> & { readonly folder?: string } = {}): Reading {
  const { folder, ...ingest } = options;
  const made = new HomeLedger(home, {}, 'linux', { ingest, ...(folder === undefined ? {} : { folder }) });
  const { ledger } = made;
  return {
    ledger,
    ingest: made.ingest,
    read: (n) =>
      ledger.sources
        .all()
        .filter((source) => n === undefined || source.path.includes(nativeId(n)))
        .reduce((sum, { offset }) => sum + offset, 0),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

/** Sessions of `bytes` each, the first the newest. `before`: what stands in front of the prompt of one. */
async function withSessions(
  bytes: number,
  work: (home: string, fileOf: (n: number) => string) => Promise<void>,
  before: (n: number) => string = () => '',
): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-heads-'));
  const folder = path.join(home, '.claude/projects/-home-user-shop');
  fs.mkdirSync(folder, { recursive: true });
  const fileOf = (n: number): string => path.join(folder, `${nativeId(n)}.jsonl`);
  for (let n = 0; n < sessions; n++) {
    const rows = [before(n), userRow(1, null, `prompt ${n}`)];
    for (let i = 2; i < bytes / 1300; i++) rows.push(assistantRow(i, i - 1, 'word '.repeat(200)));
    fs.writeFileSync(
      fileOf(n),
      rows
        .join('')
        .replaceAll(/5baaea07-d3e0-4173-9e63-d58b3998a4c4/g, nativeId(n))
        .replaceAll('"00000000-0000-4000-', `"${String(n + 1).padStart(8, '0')}-0000-4000-`),
    );
    fs.utimesSync(fileOf(n), 1_800_000_000 - n * 60, 1_800_000_000 - n * 60);
  }
  try {
    await work(home, fileOf);
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

const single = { groups: { bytes: 1, ms: 0 } };

for (const mode of ['in place', 'in a thread'] as const)
  test(`all of many threads are listed, newest first, when little more than their prompts was read: ${mode}`, async () => {
    await withSessions(200_000, async (home) => {
      const listed: string[] = [];
      let readThen = 0;
      let views: unknown[] = [];
      const onCommit = ({ thread }: Committed): void => {
        if (listed.includes(thread.title)) return;
        listed.push(thread.title);
        if (listed.length < sessions) return;
        readThen = made.read();
        views = made.ledger.threads.newest(sessions).map((row) => {
          const { title, cwd, harness, reading: isRead, updatedAt } = threadView(made.ledger, row, new Map());
          return { title, cwd, harness, isRead, updatedAt };
        });
      };
      await using made = reading(home, {
        ...single,
        onCommit,
        ...(mode === 'in place' ? {} : { readingThread: startReadingThread, threadFrom: 1 }),
      });
      const report = await made.ingest.pass();
      expect(listed).toEqual(Array.from({ length: sessions }, (_, n) => `prompt ${n}`));
      expect(report.bytes).toBeGreaterThan(sessions * 190_000);
      expect(readThen / sessions).toBeLessThan(20_000);
      // As a list shows them: who, where, and the file's time until the last record's is known.
      expect(views).toHaveLength(sessions);
      for (const [n] of listed.entries())
        expect(views).toContainEqual({
          title: `prompt ${n}`,
          cwd: '/home/user/shop',
          harness: 'claude',
          isRead: true,
          updatedAt: (1_800_000_000 - n * 60) * 1000,
        });
      for (const row of made.ledger.threads.newest(sessions)) {
        const view = threadView(made.ledger, row, new Map());
        expect(view.reading).toBeUndefined();
        expect(view.updatedAt).toBe(row.updated_at);
      }
    });
  }, 120_000);

test('a head goes as far as its prompt, and a session that has none so soon waits for its turn', async () => {
  const setting = (n: number): string =>
    line({ type: 'system', subtype: 'informational', content: 'x'.repeat(1000), uuid: `s${n}` });
  const before = (n: number): string => (n === 1 ? setting(1).repeat(40) : n === 2 ? setting(2).repeat(400) : '');
  await withSessions(
    100_000,
    async (home) => {
      const order: string[] = [];
      let firstRead = 0;
      await using made = reading(home, {
        ...single,
        onCommit: ({ thread }) => {
          if (order.push(thread.title) <= sessions && thread.title === 'prompt 1' && firstRead === 0) firstRead = made.read(1);
        },
      });
      await made.ingest.pass();
      const heads = order.slice(0, sessions - 1);
      expect(heads[1]).toBe('prompt 1');
      expect(firstRead).toBeGreaterThan(40_000);
      expect(firstRead).toBeLessThan(70_000);
      expect(heads).not.toContain('prompt 2');
      expect(heads).not.toContain('Untitled');
      expect(order).toContain('prompt 2');
    },
    before,
  );
}, 120_000);

test('a file that somebody looks at is read before the others, and whoever waits for it hears when it is', async () => {
  await withSessions(400_000, async (home, fileOf) => {
    const wanted = 33;
    let whole: Promise<void> | undefined;
    let readWhenWhole: readonly number[] = [];
    const readAtItsEnd = async (): Promise<void> => {
      await made.ingest.prefer(fileOf(wanted));
      readWhenWhole = Array.from({ length: sessions }, (_, n) => made.read(n));
    };
    await using made = reading(home, {
      ...single,
      onCommit: ({ thread }) => {
        if (whole !== undefined || thread.title !== `prompt ${wanted}`) return;
        whole = readAtItsEnd();
      },
    });
    await made.ingest.prefer(fileOf(wanted));
    await made.ingest.pass();
    await whole;
    const sizes = Array.from({ length: sessions }, (_, n) => fs.statSync(fileOf(n)).size);
    expect(readWhenWhole).toHaveLength(sessions);
    expect(readWhenWhole.flatMap((read, n) => (read === sizes[n] ? n : []))).toEqual([wanted]);
    expect(made.read()).toBe(sizes.reduce((sum, size) => sum + size, 0));
    await made.ingest.prefer(fileOf(wanted));
  });
}, 120_000);

test('a pass that ends early leaves threads that are being read, and the next one reads them to their end', async () => {
  await withSessions(200_000, async (home, fileOf) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
    const unread = (ledger: Ledger): number =>
      ledger.threads.newest(100).filter((row) => threadView(ledger, row, new Map()).reading === true).length;
    let heads = 0;
    {
      await using made = reading(home, {
        ...single,
        folder,
        onCommit: () => {
          if (++heads === 20) void made.ingest.stop();
        },
      });
      await made.ingest.pass();
      expect(unread(made.ledger)).toBe(20);
    }
    fs.rmSync(fileOf(3));
    let changed = 0;
    await using made = reading(home, { folder, onThreadChanged: () => changed++ });
    await made.ingest.pass();
    // A file that went away tells no more: its thread stands as far as it was read, and says why.
    expect(unread(made.ledger)).toBe(0);
    expect(changed).toBeGreaterThan(0);
    const titles = made.ledger.threads.newest(100).map(({ title, source_gone }) => `${title}${source_gone === 1 ? ' gone' : ''}`);
    expect(titles).toHaveLength(sessions);
    expect(titles.filter((title) => title.endsWith('gone'))).toEqual(['prompt 3 gone']);
    await made[Symbol.asyncDispose]();
    fs.rmSync(folder, { recursive: true, force: true });
  });
}, 120_000);

test('forks, copies, subagents and automation runs: heads make the same ledger, and nothing is listed that does not stay', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-heads-'));
  for (const harness of ['claude', 'codex', 'gemini', 'pi', 'openclaw', 'codex-native-import'])
    for (const name of fs.existsSync(path.join(fixtures, harness)) ? fs.readdirSync(path.join(fixtures, harness)) : [])
      if (fs.statSync(path.join(fixtures, harness, name)).isDirectory())
        fs.cpSync(path.join(fixtures, harness, name), home, { recursive: true, force: false });
  const listed = async (manyFrom: number): Promise<{ readonly seen: ReadonlySet<string>; readonly text: unknown }> => {
    const seen = new Set<string>();
    await using made = reading(home, {
      ...single,
      manyFrom,
      onCommit: ({ thread }) => {
        if (isListed(thread, false)) seen.add(thread.id);
      },
    });
    await made.ingest.pass();
    return { seen, text: await ledgerText(made.ledger) };
  };
  const plain = await listed(Number.MAX_SAFE_INTEGER);
  const heads = await listed(1);
  expect(plain.seen.size).toBeGreaterThan(20);
  expect(heads.text).toEqual(plain.text);
  expect([...heads.seen].toSorted()).toEqual([...plain.seen].toSorted());
  fs.rmSync(home, { recursive: true, force: true });
}, 120_000);
