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
  const { write, launch, harness } = shuttle;
  // Its folder is there although no session is: a desktop app or editor extension may be all that is installed.
  const present = installed !== null || roots.some((root) => root.exists || fs.existsSync(path.dirname(root.path)));
  const onlyAsked = !('absent' in write) && write.onlyAsked === true;
  // Which program would have to take it has to be known then.
  const writes = !('absent' in write) && (!onlyAsked || installed !== null);
  const begins = !('absent' in launch) && !('absent' in launch.begin);
  const native = writes && present ? (['native'] as const) : [];
  const prompt = begins && installed !== null ? (['prompt'] as const) : [];
  const modes = onlyAsked ? [...prompt, ...native] : [...native, ...prompt];
  return {
    harness,
    roots,
    installed,
    canReceive: modes.length > 0,
    reason: modes.length > 0 ? null : 'absent' in write && !begins ? write.absent : notFound(shuttle),
    modes,
    version: null,
    verified: verifiedRuns(harness),
    losses: 'absent' in write ? [] : write.losses.map((loss) => loss.text),
  };
}

function notFound({ harness, launch }: Shuttle): string {
  const how = 'absent' in launch ? '' : ` Install it with: ${launch.install}`;
  return `${harnessNames[harness]} was not found on this machine.${how}`;
}
