/**
 * Everything from nothing: the real server on an empty ledger until it rests, beside the plain way over the same files. Time and processor
 * time of both, when the newest threads can be used, the memory at its peak and at rest, and the ledger that comes of it.
 */
import path from 'node:path';
import { requests } from '../../server/protocol/requests.ts';
import type { View } from '../../server/protocol/views.ts';
import type { Corpus } from './corpus.ts';
import { LiveServer } from './live-server.ts';
import { residentMbOf } from './process-facts.ts';
import { run } from './program.ts';
import { untilQuiet } from './quiet.ts';
import { inFolder } from './temp-folder.ts';

export interface PlainRun {
  /** Of the program from start to end; the same of `cpuMs`. */
  readonly wallMs: number;
  readonly cpuMs: number | null;
  readonly rows: number;
  readonly peakMb: number | null;
  readonly databaseMb: number;
}

const baselineProgram = path.join(import.meta.dirname, 'baseline.ts');

export function plainWay(home: string, index: 'fts' | 'rows'): Promise<PlainRun> {
  return inFolder(async (folder) => {
    const { out, ms, cpuMs, peakMb } = await run([baselineProgram, home, path.join(folder, 'plain.db'), index], home);
    const told = JSON.parse(out) as { readonly rows: number; readonly databaseBytes: number };
    return { wallMs: ms, cpuMs, rows: told.rows, peakMb, databaseMb: told.databaseBytes / 1e6 };
  });
}

export interface ColdImport {
  /** From the start of the server's process until the newest threads stand in a subscriber's list and the newest one's timeline came. */
  readonly usableMs: number;
  /** The same of the newest 20 threads, without opening one. */
  readonly first20Ms: number;
  /** Until the list says that nothing is being read any more. */
  readonly readMs: number;
  /** Until the server rests: everything written, indexed and packed. */
  readonly wallMs: number;
  readonly cpuMs: number | null;
  /** Of this process meanwhile, which keeps the list as a window does and shares the processors with the server. */
  readonly listenerCpuMs: number;
  readonly entries: number;
  readonly threads: number;
  /** The most that was resident; what is resident 20 s after the last work. */
  readonly peakMb: number | null;
  readonly restMb: number | null;
}

/** Who needs longer than this stands still. */
const limitOf = ({ bytes }: Corpus): number => 120_000 + (bytes / 1e6) * 2000;
const restMs = 20_000;
const newest = 200;

/** The ledger is in the folder afterwards, and no process holds it. */
export async function coldImport(corpus: Corpus, ledger: string): Promise<ColdImport> {
  const before = process.cpuUsage();
  const limitMs = limitOf(corpus);
  const server = new LiveServer(corpus.home, ledger);
  try {
    await server.initialize();
    await server.subscribe({ subscription: 'list', kind: 'threads', all: false });
    const few = corpus.files.slice(0, 20).map(({ id }) => id);
    await server.until('list', (view) => holds(view, few), limitMs);
    const first20Ms = performance.now() - server.startedAt;
    const wanted = corpus.files.slice(0, newest).map(({ id }) => id);
    const list = await server.until('list', (view) => holds(view, wanted), limitMs);
    const thread = threadsByNative(list).get(wanted[0] ?? '') ?? '';
    const opened = { subscription: 'open', kind: 'timeline', thread, conversation: null, tail: 300 } as const;
    const first = await server.subscribe(opened);
    if (first.kind !== 'timeline' || first.entries.length === 0) throw new Error('The newest thread opened without an entry.');
    const usableMs = performance.now() - server.startedAt;
    await server.unsubscribe('open');
    await server.request(requests.ingest, {});
    const all = corpus.files.map(({ id }) => id);
    const read = await server.until(
      'list',
      (view) => holds(view, all) && view.kind === 'threads' && view.importing === null,
      limitMs,
    );
    const readMs = performance.now() - server.startedAt;
    const listener = process.cpuUsage(before);
    const rest = await untilQuiet(server.pid, ledger, restMs, limitMs);
    const restMb = residentMbOf(server.pid);
    const threads = read.kind === 'threads' ? read.threads : [];
    return {
      usableMs,
      first20Ms,
      readMs,
      wallMs: Math.max(rest.at - server.startedAt, readMs),
      cpuMs: rest.cpuMs,
      listenerCpuMs: (listener.user + listener.system) / 1000,
      entries: threads.reduce((sum, { entries }) => sum + entries, 0),
      threads: threads.length,
      restMb,
      peakMb: await server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function holds(view: View, ids: readonly string[]): boolean {
  if (view.kind !== 'threads' || view.threads.length < ids.length) return false;
  const known = threadsByNative(view);
  return ids.every((id) => known.has(id));
}

/** Thread by the id of its native session. */
export function threadsByNative(view: View): ReadonlyMap<string, string> {
  const threads = view.kind === 'threads' ? view.threads : [];
  return new Map(threads.flatMap((thread) => thread.native.map((native) => [native.id, thread.id] as const)));
}
