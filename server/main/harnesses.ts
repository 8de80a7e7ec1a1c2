/** What of each harness is on this machine: where its sessions were looked for, whether its program can be started. */
import fs from 'node:fs';
import path from 'node:path';
import type { HarnessStatus } from '../protocol/views.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { verifiedRuns } from '../../shuttles/verified.ts';

/** Absolute path of a program on PATH; null: not there. Windows' own endings are tried. */
export function programPath(
  program: string,
  pathVariable: string,
  platform: Environment['platform'],
  extensions = '.EXE;.CMD;.BAT;.PS1',
): string | null {
  const names = platform === 'win32' ? [program, ...extensions.split(';').map((end) => program + end.toLowerCase())] : [program];
  for (const folder of pathVariable.split(platform === 'win32' ? ';' : ':')) {
    if (folder === '' || !path.isAbsolute(folder)) continue;
    for (const name of names) {
      const file = path.join(folder, name);
      try {
        if (!fs.statSync(file).isFile()) continue;
        if (platform !== 'win32') fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
    }
  }
  return null;
}

export function harnessStatus(shuttle: Shuttle, environment: Environment, pathVariable: string): HarnessStatus {
  const roots = shuttle.find.roots(environment).map((root) => ({ path: root.path, exists: fs.existsSync(root.path) }));
  const installed = 'absent' in shuttle.launch ? null : programPath(shuttle.launch.program, pathVariable, environment.platform);
  const writes = !('absent' in shuttle.write);
  // Its folder is there although no session is: a desktop app or editor extension may be all that is installed.
  const present = installed !== null || roots.some((root) => root.exists || fs.existsSync(path.dirname(root.path)));
  const reason = !writes
    ? 'absent' in shuttle.write
      ? shuttle.write.absent
      : null
    : present
      ? null
      : `${harnessNames[shuttle.harness]} was not found on this machine.${'absent' in shuttle.launch ? '' : ` Install it with: ${shuttle.launch.install}`}`;
  return {
    harness: shuttle.harness,
    roots,
    installed,
    canReceive: writes && present,
    reason,
    modes: writes && present ? ['native'] : [],
    version: null,
    verified: verifiedRuns(shuttle.harness),
    losses: 'absent' in shuttle.write ? [] : shuttle.write.losses.map((loss) => loss.text),
  };
}
