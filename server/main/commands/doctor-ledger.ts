/** What `loom doctor` looks for around the ledger: the place it stands in, room, locks, damage, watches, clocks, and faults that its owner met. */
import fs from 'node:fs';
import path from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { ledgerFile } from '../../ledger/database.ts';
import { Fault, faults } from '../../protocol/faults.ts';
import type { FaultId } from '../../protocol/faults.ts';
import { requests } from '../../protocol/requests.ts';
import type { Status } from '../../protocol/requests.ts';
import type { Environment } from '../../../shuttles/contract/shuttle.ts';
import { attempt, errorCode } from '../../../shuttles/kit/error-code.ts';
import { networkFolder } from '../network-folder.ts';
import { readOwner } from '../owner-record.ts';
import type { CommandContext } from './command.ts';
import type { Check } from './doctor.ts';

/** Bytes: with less, the next import may stand still. */
const little = 200 * 1024 * 1024;
/** Milliseconds that clocks of one machine may differ from one another (a guest system, a suspended laptop). */
const clockSlack = 3_600_000;

export function faultCheck(id: FaultId, detail: string): Check {
  return { id: `fault-${id}`, ok: false, detail: `${faults[id].message} ${detail}`.trim(), fix: faults[id].fix };
}

/** Can be asked for whether or not the ledger can be opened. */
export function placeChecks(folder: string, platform: Environment['platform']): readonly Check[] {
  const network = networkFolder(folder, platform);
  return [
    ...(network === undefined ? [] : [faultCheck('L006', `${folder} (${network})`)]),
    ...roomCheck(folder),
    ...watchCheck(folder),
  ];
}

export async function ledgerChecks({ ledger, folder, service, request, now }: CommandContext): Promise<readonly Check[]> {
  const integrity = ledger.integrity();
  const owner = readOwner(folder);
  const owned = service !== undefined ? 'this command' : owner === undefined ? 'nobody' : `process ${owner.pid}`;
  return [
    {
      id: 'ledger',
      ok: integrity === 'ok',
      detail: `${folder}, ${ledger.threads.count()} threads, owned by ${owned}${integrity === 'ok' ? '' : `: ${integrity}`}`,
      fix: `Close Loom everywhere, rename ${ledgerFile(folder)} (and keep it: what an agent has deleted is only there), and start Loom: it reads the sessions that are still there into a new ledger.`,
    },
    ...setAsideCheck(folder),
    ...clockCheck(ledger, now()),
    ...(await ownersFaults(request)),
  ];
}

/** What the owner met: this process when it owns the ledger, the window that does otherwise. */
async function ownersFaults(request: CommandContext['request']): Promise<readonly Check[]> {
  try {
    const status = await request<Status>(requests.status.method, {});
    return status.faults.map(({ id, message, fix }) => ({ id: `fault-${id}`, ok: false, detail: message, fix }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [faultCheck(error.id, error.detail)];
  }
}

function roomCheck(folder: string): readonly Check[] {
  const stats = attempt(() => fs.statfsSync(folder));
  if (stats === undefined) return [];
  const free = stats.bavail * stats.bsize;
  if (free >= little) return [];
  return [
    {
      id: 'room',
      ok: false,
      detail: `${Math.floor(free / 1024 / 1024)} MB are free where the ledger is: ${folder}`,
      fix: faults.L004.fix,
    },
  ];
}

/** Does the system still give a watch? The one that is asked for is given back at once. */
function watchCheck(folder: string): readonly Check[] {
  try {
    fs.watch(folder, { persistent: false }).close();
    return [];
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'EACCES' ? [] : [faultCheck('W001', `(${code})`)];
  }
}

/** Those of earlier runs too: they take room, and a person may want to know why. */
function setAsideCheck(folder: string): readonly Check[] {
  const base = path.basename(ledgerFile(folder));
  const damaged = (attempt(() => fs.readdirSync(folder)) ?? []).filter(
    (name) => name.startsWith(`${base}.damaged-`) && !/-(?:wal|shm)$/u.test(name),
  );
  if (damaged.length === 0) return [];
  return [
    {
      id: 'ledger-damaged',
      ok: true,
      detail: `damaged ledgers were set aside in ${folder}: ${damaged.join(', ')}; all sessions were read again, and these files can be removed`,
      fix: '',
    },
  ];
}

function clockCheck(ledger: Ledger, now: number): readonly Check[] {
  const ahead = ledger.threads.newest(200).filter((row) => row.updated_at > now + clockSlack);
  const [first] = ahead;
  if (first === undefined) return [];
  return [
    {
      id: 'clock',
      ok: false,
      detail: `${ahead.length} threads are of the future, "${first.title}" of ${new Date(first.updated_at).toISOString()}; this machine's clock says ${new Date(now).toISOString()}`,
      fix: 'Set the clock. Nothing is lost; until then these threads are listed first.',
    },
  ];
}
