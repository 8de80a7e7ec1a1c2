/** The real server on a ledger that knows everything already, at rest, with the list as a window has it. */
import { requests } from '../../server/protocol/requests.ts';
import { threadsByNative } from './cold-import.ts';
import type { CorpusFile } from './corpus.ts';
import { LiveServer } from './live-server.ts';
import { untilQuiet } from './quiet.ts';

export interface Settled {
  readonly server: LiveServer;
  /** Throws for a file that has no thread. */
  readonly threadOf: (file: Pick<CorpusFile, 'id'>) => string;
}

const limitMs = 600_000;

export async function withSettledServer<T>(home: string, ledger: string, work: (settled: Settled) => Promise<T>): Promise<T> {
  const server = new LiveServer(home, ledger);
  try {
    await server.initialize();
    await server.subscribe({ subscription: 'list', kind: 'threads', all: false });
    await server.request(requests.ingest, {});
    const list = await server.until('list', (view) => view.kind === 'threads' && view.importing === null, limitMs);
    await untilQuiet(server.pid, ledger, 2000, limitMs);
    const threads = threadsByNative(list);
    const threadOf = ({ id }: Pick<CorpusFile, 'id'>): string => {
      const thread = threads.get(id);
      if (thread === undefined) throw new Error(`The session ${id} has no thread.`);
      return thread;
    };
    return await work({ server, threadOf });
  } finally {
    await server.close();
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
