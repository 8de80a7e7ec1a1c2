/** Reads a home into a ledger and ends: `node ingest-process.ts HOME LEDGER`. Killed by the crash test at any moment. */
import { Ingest } from '../../server/ingest/ingest.ts';
import { Ledger } from '../../server/ledger/ledger.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { shuttles } from '../../shuttles/registry.ts';

const [home = '', folder = ''] = process.argv.slice(2);
const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
const ingest = new Ingest({
  ledger,
  shuttles,
  environment: environmentOf(home, {}, 'linux'),
  sidecars: new DiskSidecars(),
  now: () => Date.now(),
  onCommit: () => process.stdout.write('.'),
  onProgress: () => undefined,
  onFault: () => undefined,
  onThreadChanged: () => undefined,
});
await ingest.pass();
await ledger.close();
process.stdout.write('done');
