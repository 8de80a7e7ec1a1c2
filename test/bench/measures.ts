/** What is measured, each in a temp folder of its own. Every function gives plain numbers; medians are taken by the caller. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { IngestReport } from '../../server/protocol/requests.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { View } from '../../server/protocol/views.ts';
import { claudePrompt, claudeSession } from './claude-session.ts';
import { codexPrompt } from './codex-session.ts';
import type { Corpus, CorpusFile } from './corpus.ts';
import { writeLongLine, writeSession } from './corpus.ts';
import { LiveServer } from './live-server.ts';
import { loomProgram, run } from './program.ts';
import { Words } from './words.ts';

const baselineProgram = path.join(import.meta.dirname, 'baseline.ts');

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bench-'));
  try {
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export interface PlainRun {
  readonly mbPerSecond: number;
  readonly cpuMs: number;
  readonly rows: number;
  readonly peakMb: number;
}
export function plainWay(home: string): Promise<PlainRun> {
  return inFolder(async (folder) => {
    const { out } = await run([baselineProgram, home, path.join(folder, 'plain.db')], home);
    const told = JSON.parse(out) as { ms: number; bytes: number; rows: number; rssKb: number; cpuMs: number };
    return { mbPerSecond: told.bytes / 1e6 / (told.ms / 1000), cpuMs: told.cpuMs, rows: told.rows, peakMb: told.rssKb / 1024 };
  });
}

export interface ImportRun {
  readonly mbPerSecond: number;
  readonly wallMs: number;
  /** Of the program from start to end. */
  readonly cpuMs: number | null;
  readonly entries: number;
  readonly threads: number;
  readonly peakMb: number | null;
  readonly ledgerMb: number;
  /** The same again with nothing new: the pass, and the whole program from start to end. */
  readonly rescanMs: number;
  readonly rescanWallMs: number;
}
export function wholeImport(home: string): Promise<ImportRun> {
  return inFolder(async (folder) => {
    const ledger = path.join(folder, 'ledger');
    const args = [loomProgram, 'ingest', '--json', '--home', home, '--ledger', ledger];
    const first = await run(args, home);
    const report = JSON.parse(first.out) as IngestReport;
    const again = await run(args, home);
    const rescan = JSON.parse(again.out) as IngestReport;
    if (rescan.bytes !== 0) throw new Error(`A rescan read ${rescan.bytes} bytes of a corpus that did not change.`);
    const ledgerBytes = fs.readdirSync(ledger).reduce((sum, name) => sum + fs.statSync(path.join(ledger, name)).size, 0);
    return {
      mbPerSecond: report.bytes / 1e6 / (report.ms / 1000),
      wallMs: first.ms,
      cpuMs: first.cpuMs,
      entries: report.entries,
      threads: report.threads,
      peakMb: first.peakMb,
      ledgerMb: ledgerBytes / 1e6,
      rescanMs: rescan.ms,
      rescanWallMs: again.ms,
    };
  });
}

export interface LiveRun {
  /** From the start of the server process until a subscriber's list has the 20 newest threads. */
  readonly firstThreadsMs: number;
  readonly importedMs: number;
  /** From the end of the write to the file until the entry is in a subscriber's timeline. */
  readonly appendMs: readonly number[];
  readonly searchMs: readonly number[];
  readonly commonSearchMs: readonly number[];
  readonly batonMs: readonly number[];
  readonly largestBatonMs: number;
  readonly openTimelineMs: readonly number[];
  readonly peakMb: number | null;
}

const limitMs = 1_200_000;
const threadsOf = (view: View): number => (view.kind === 'threads' ? view.threads.length : 0);

/** The corpus gets longer by what is appended. */
export function live(corpus: Corpus, appends: number): Promise<LiveRun> {
  return inFolder(async (folder) => {
    const server = new LiveServer(corpus.home, path.join(folder, 'ledger'));
    try {
      await server.initialize();
      await server.subscribe({ subscription: 'list', kind: 'threads', all: false });
      await server.until('list', (view) => threadsOf(view) >= Math.min(20, corpus.files.length), limitMs);
      const firstThreadsMs = performance.now() - server.startedAt;
      await server.request(requests.ingest, {});
      const list = await server.until(
        'list',
        (view) => threadsOf(view) >= corpus.files.length && view.kind === 'threads' && view.importing === null,
        limitMs,
      );
      const importedMs = performance.now() - server.startedAt;
      const threadByNative = new Map(
        list.kind === 'threads'
          ? list.threads.flatMap((thread) => thread.native.map((native) => [native.id, thread.id] as const))
          : [],
      );
      const threadOf = (file: CorpusFile): string => threadByNative.get(file.id) ?? '';

      const appendMs: number[] = [];
      const words = new Words(99);
      for (let index = 0; index < appends; index++) {
        const file = corpus.files.filter((candidate) => candidate.harness === (index % 2 === 0 ? 'claude' : 'codex'))[index % 10];
        if (file !== undefined) appendMs.push(await appendLatency(server, file, threadOf(file), words, index));
      }
      const sample = corpus.files
        .filter((_, index) => index % Math.max(1, Math.floor(corpus.files.length / 20)) === 0)
        .slice(0, 20);
      const largest = corpus.files.toSorted((a, b) => b.bytes - a.bytes)[0] ?? sample[0];
      const timed = async (work: () => Promise<unknown>): Promise<number> => {
        const started = performance.now();
        await work();
        return performance.now() - started;
      };
      const openTimelineMs: number[] = [];
      const batonMs: number[] = [];
      for (const file of sample) {
        openTimelineMs.push(
          await timed(() =>
            server.subscribe({ subscription: 'open', kind: 'timeline', thread: threadOf(file), conversation: null, tail: 100 }),
          ),
        );
        await server.unsubscribe('open');
        batonMs.push(await timed(() => server.request(requests.baton, { thread: threadOf(file), to: 'codex', budget: null })));
      }
      const searchMs: number[] = [];
      const commonSearchMs: number[] = [];
      for (let index = 0; index < 20; index++) {
        searchMs.push(
          await timed(() => server.request(requests.search, { words: `appendmark${index % Math.max(1, appends)}`, limit: 20 })),
        );
        commonSearchMs.push(
          await timed(() => server.request(requests.search, { words: `${words.word()} ${words.word()}`, limit: 20 })),
        );
      }
      const largestBatonMs =
        largest === undefined
          ? 0
          : await timed(() => server.request(requests.baton, { thread: threadOf(largest), to: 'codex', budget: null }));
      return {
        firstThreadsMs,
        importedMs,
        appendMs,
        searchMs,
        commonSearchMs,
        batonMs,
        largestBatonMs,
        openTimelineMs,
        peakMb: await server.close(),
      };
    } catch (error) {
      await server.close();
      throw error;
    }
  });
}

async function appendLatency(server: LiveServer, file: CorpusFile, thread: string, words: Words, index: number): Promise<number> {
  const mark = `appendmark${index} ${words.hex(8)}`;
  const subscription = `follow${index}`;
  await server.subscribe({ subscription, kind: 'timeline', thread, conversation: null, tail: 5 });
  const now = Date.now();
  const line =
    file.harness === 'claude'
      ? claudePrompt(words, file.id, file.cwd, lastUuid(file.path), mark, now).line
      : codexPrompt(mark, now);
  fs.appendFileSync(file.path, `${line}\n`);
  const started = performance.now();
  await server.until(
    subscription,
    (view) => view.kind === 'timeline' && view.entries.some((entry) => entry.kind === 'user' && entry.text.includes(mark)),
    30_000,
  );
  const ms = performance.now() - started;
  await server.unsubscribe(subscription);
  return ms;
}

function lastUuid(file: string): string | null {
  const size = fs.statSync(file).size;
  const length = Math.min(size, 400_000);
  const buffer = Buffer.alloc(length);
  const descriptor = fs.openSync(file, 'r');
  fs.readSync(descriptor, buffer, 0, length, size - length);
  fs.closeSync(descriptor);
  return [...buffer.toString('utf8').matchAll(/"uuid":"([0-9a-f-]{36})"/g)].at(-1)?.[1] ?? null;
}

export interface SingleFileRun {
  readonly mb: number;
  readonly mbPerSecond: number;
  readonly peakMb: number | null;
  readonly entries: number;
}
/** One session with a line of `bytes`. */
export function longLine(bytes: number): Promise<SingleFileRun> {
  return inFolder((folder) => {
    writeLongLine(folder, bytes, Date.now());
    return single(folder);
  });
}
/** One session file of `bytes`. */
export function hugeFile(bytes: number): Promise<SingleFileRun> {
  return inFolder((folder) => {
    const session = claudeSession(77_001, '/home/user/huge', Date.now() - 86_400_000);
    writeSession(
      path.join(folder, '.claude/projects/-home-user-huge', `${session.id}.jsonl`),
      session,
      bytes,
      Date.now() - 60_000,
    );
    return single(folder);
  });
}
async function single(home: string): Promise<SingleFileRun> {
  const { out, peakMb } = await run(
    [loomProgram, 'ingest', '--json', '--home', home, '--ledger', path.join(home, 'ledger')],
    home,
  );
  const report = JSON.parse(out) as IngestReport;
  return { mb: report.bytes / 1e6, mbPerSecond: report.bytes / 1e6 / (report.ms / 1000), peakMb, entries: report.entries };
}
