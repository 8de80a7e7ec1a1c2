/** Starts the thread that reads sources for an import: from the bundle beside this one, or from the source when this is not bundled. */
import { Worker } from 'node:worker_threads';
import { ReadingThread } from '../ingest/reading-thread.ts';

/**
 * Two batches of each of a few files wait in it, and what a record of some megabytes becomes (longer ones are read in place,
 * reading-worker.ts). Garbage is collected early: the whole server shall stay below 300 MB. A young
 * generation is three semi-spaces: of 8 MB each, as the server's (server-process.ts).
 */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 };

export function startReadingThread(): ReadingThread {
  const here = import.meta.url;
  const file = new URL(here.endsWith('.ts') ? './reading-worker.ts' : './reading-worker.cjs', here);
  return new ReadingThread(new Worker(file, { resourceLimits, name: 'loom-reading' }));
}
