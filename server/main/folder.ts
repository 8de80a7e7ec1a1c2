/** Which ledger a process uses: --ledger over LOOM_HOME over the platform's data folder (below --home, when that is given). */
import path from 'node:path';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { ledgerFolder } from './platform.ts';

export function ledgerFolderOf(
  given: string | undefined,
  home: string | undefined,
  environment: Environment,
  variables: NodeJS.ProcessEnv,
): string {
  if (given !== undefined) return path.resolve(given);
  const own = variables['LOOM_HOME'];
  // Like --ledger: below the folder that the program was called in.
  if (own !== undefined && own !== '') return path.resolve(own);
  const usable = home === undefined ? variables : {};
  return ledgerFolder({ platform: environment.platform, variables: usable, home: environment.home, temporary: '', account: 0 });
}
