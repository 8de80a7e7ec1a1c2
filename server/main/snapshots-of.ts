/** The snapshots of a ledger on this machine: stores below its folder, the git that is on PATH. */
import fs from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Snapshots } from '../world/snapshots.ts';
import type { GitProgram } from '../world/git.ts';
import { hasTrueTimes } from './folder-times.ts';

/** undefined: the ledger is of an older Loom, and has no place for them. */
export function snapshotsOf(
  ledger: Ledger,
  { home, platform }: Pick<Environment, 'home' | 'platform'>,
  searchPath: string,
): Snapshots | undefined {
  if (ledger.snapshots === undefined) return undefined;
  const stores = storesIn(ledger.folder);
  const program = gitProgram(ledger.folder, home, searchPath);
  if (!ledger.readonly) fs.mkdirSync(program.nowhere, { recursive: true, mode: 0o700 });
  return new Snapshots({
    table: ledger.snapshots,
    program,
    stores,
    hidden: [ledger.folder],
    trustsFolders: (root) => hasTrueTimes(root, platform),
    home,
    now: () => Date.now(),
    elapsed: () => performance.now(),
  });
}

export function gitProgram(ledgerFolder: string, home: string, searchPath: string): GitProgram {
  return { file: 'git', path: searchPath, home, nowhere: path.join(storesIn(ledgerFolder), 'nowhere') };
}

export function storesIn(ledgerFolder: string): string {
  return path.join(ledgerFolder, 'snapshots');
}
