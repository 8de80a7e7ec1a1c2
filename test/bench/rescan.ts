/** Looking at every session file when none has changed: in a program that starts for it, and asked of a server at rest. */
import type { IngestReport } from '../../server/protocol/requests.ts';
import { requests } from '../../server/protocol/requests.ts';
import { loomProgram, run } from './program.ts';
import { timed } from './settled-server.ts';
import type { Settled } from './settled-server.ts';

export interface Rescan {
  /** The pass alone, as the program tells it. */
  readonly passMs: number;
  /** The program from start to end. */
  readonly wallMs: number;
}

/** Throws when the ledger did not know everything. */
export async function rescan(home: string, ledger: string): Promise<Rescan> {
  const { out, ms } = await run([loomProgram, 'ingest', '--json', '--home', home, '--ledger', ledger], home);
  const report = JSON.parse(out) as IngestReport;
  if (report.bytes !== 0) throw new Error(`A rescan read ${report.bytes} bytes of a corpus that did not change.`);
  return { passMs: report.ms, wallMs: ms };
}

export async function liveRescans({ server }: Settled, count: number): Promise<readonly number[]> {
  const out: number[] = [];
  for (let n = 0; n < count; n++) out.push(await timed(() => server.request(requests.ingest, {})));
  return out;
}
