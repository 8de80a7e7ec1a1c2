/**
 * Reads a home into a ledger and ends: `node ingest-process.ts HOME LEDGER small|thread`, a commit a transaction or, heads first, with a
 * thread that reads. Killed by the crash test at any moment.
 */
import { Ingest } from '../../server/ingest/ingest.ts';
import { Ledger } from '../../server/ledger/ledger.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { startReadingThread } from '../../server/main/reading-thread.ts';
import { shuttles } from '../../shuttles/registry.ts';

const [home = '', folder = '', mode = ''] = process.argv.slice(2);
const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
const ingest = new Ingest({
  ledger,
  shuttles,
  environment: environmentOf(home, {}, 'linux'),
  sidecars: new DiskSidecars(),
  now: () => Date.now(),
  ...(mode === 'small' ? { groups: { bytes: 1, ms: 0 } } : { readingThread: startReadingThread, threadFrom: 1, manyFrom: 1 }),
  onCommit: () => process.stdout.write('.'),
  onProgress: () => undefined,
  onFault: () => undefined,
  onThreadChanged: () => undefined,
});
await ingest.pass();
await ledger.close();
process.stdout.write('done');
