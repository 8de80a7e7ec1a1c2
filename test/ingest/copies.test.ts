/** Sessions of Claude Code that share records, as forks and resumed copies do, in whatever order and parts their files are read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newestEntries } from '../../server/ledger/transcript.ts';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, sessionId, userRow } from './claude-session.ts';

const original = '11111111-1111-4111-8111-111111111111';
const copy = '22222222-2222-4222-8222-222222222222';

class Copies implements AsyncDisposable {
  readonly #home: string;
  readonly #ledger: HomeLedger;

  /** `manyFrom`: of so many new files heads come first. */
  constructor({ home, manyFrom }: { readonly home?: string; readonly manyFrom?: number } = {}) {
    this.#home = home ?? fs.mkdtempSync(path.join(os.tmpdir(), 'loom-copies-'));
    this.#ledger = new HomeLedger(this.#home, {}, 'linux', manyFrom === undefined ? {} : { ingest: { manyFrom } });
  }

  /** So many records, a prompt and an answer by turns; `at` in seconds. */
  write(id: string, records: number, at: number, before = '', size = 1): void {
    const folder = path.join(this.#home, '.claude/projects/-home-user-shop');
    fs.mkdirSync(folder, { recursive: true });
    const rows = Array.from({ length: records }, (_, i) => {
      const words = `record ${i + 1} ${'word '.repeat(size)}`;
      return i % 2 === 0 ? userRow(i + 1, i === 0 ? null : i, words) : assistantRow(i + 1, i, words);
    });
    const file = path.join(folder, `${id}.jsonl`);
    fs.writeFileSync(file, before + rows.join('').replaceAll(sessionId, id));
    fs.utimesSync(file, at, at);
  }

  async read(): Promise<void> {
    await this.#ledger.catchUp();
  }

  /** Records of the session that are shown. */
  async shown(id: string): Promise<number> {
    const { ledger } = this.#ledger;
    const native = ledger.natives.byNativeId('claude', id);
    const row = native === undefined ? undefined : ledger.threads.byNumber(native.thread);
    if (row === undefined) throw new Error(`${id} has no thread`);
    const { entries } = await newestEntries(
      ledger,
      row.session,
      row.current_conversation,
      1000,
      row.current_entry === null ? {} : { through: row.current_entry },
    );
    return entries.filter(({ content }) => JSON.stringify(content).includes('record ')).length;
  }

  /** What the thread counts: own entries, turns, tokens that were given out; and whether it has a parent. */
  counts(id: string): readonly unknown[] {
    const { ledger } = this.#ledger;
    const row = ledger.threads.byNumber(ledger.natives.byNativeId('claude', id)?.thread ?? 0);
    if (row === undefined) return [];
    const parent = row.parent_thread === null ? undefined : ledger.threads.byId(row.parent_thread);
    return [row.entries, row.turns, row.usage_output, parent === row ? 'itself' : (parent?.id ?? null)];
  }

  /** A ledger that reads the files as they are now, all at once. */
  async readAnew(): Promise<Copies> {
    const anew = new Copies({ home: this.#home });
    await anew.read();
    return anew;
  }

  parents(): readonly (string | null)[] {
    return this.#ledger.ledger.threads.newest(10).map(({ parent_thread: parent }) => parent);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ledger[Symbol.asyncDispose]();
    fs.rmSync(this.#home, { recursive: true, force: true });
  }
}

test('a session and its copy of which only heads come first are both shown whole', async () => {
  await using at = new Copies({ manyFrom: 1 });
  const summaries = Array.from(
    { length: 8 },
    (_, n) =>
      `${JSON.stringify({ type: 'summary', summary: `a summary ${n} ${'of it '.repeat(20)}`, leafUuid: `00000000-0000-4000-8000-${String(n).padStart(12, '9')}` })}\n`,
  ).join('');
  at.write(original, 100, 1_790_000_000, '', 200);
  at.write(copy, 104, 1_790_000_100, summaries, 200);
  await at.read();
  expect([await at.shown(original), await at.shown(copy)]).toEqual([100, 104]);
  expect(at.parents().filter((parent) => parent !== null).length).toBeLessThan(2);
});

test('a session whose next records were read from a copy first is shown with them', async () => {
  await using at = new Copies();
  at.write(original, 50, 1_790_000_000);
  await at.read();
  at.write(copy, 104, 1_790_000_100);
  await at.read();
  at.write(original, 100, 1_790_000_200);
  await at.read();
  expect([await at.shown(original), await at.shown(copy)]).toEqual([100, 104]);
});

test('a copy with nothing of its own ends where it was made, though the original goes on', async () => {
  await using at = new Copies();
  at.write(original, 4, 1_790_000_000);
  await at.read();
  at.write(copy, 4, 1_790_000_100);
  await at.read();
  at.write(original, 10, 1_790_000_200);
  await at.read();
  expect([await at.shown(original), await at.shown(copy)]).toEqual([10, 4]);
});

const orders: readonly (readonly (readonly [string, number])[])[] = [
  [
    [original, 50],
    [copy, 104],
    [original, 100],
  ],
  [
    [original, 50],
    [copy, 104],
    [original, 70],
    [original, 100],
  ],
  [
    [original, 50],
    [copy, 60],
    [original, 100],
    [copy, 104],
  ],
  [
    [original, 50],
    [copy, 104],
    [original, 120],
  ],
  [
    [copy, 104],
    [original, 50],
    [original, 100],
  ],
];

test.each(orders.map((steps) => ({ steps })))(
  'a session and its copy count the same in whatever order they grew: $steps',
  async ({ steps }) => {
    await using at = new Copies();
    for (const [i, [id, records]] of steps.entries()) {
      at.write(id, records, 1_790_000_000 + i * 100);
      await at.read();
    }
    await using anew = await at.readAnew();
    expect([at.counts(original), at.counts(copy)]).toEqual([anew.counts(original), anew.counts(copy)]);
    expect(at.counts(original)).not.toContain('itself');
  },
);
