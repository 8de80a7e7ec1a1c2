/** The target's program before anything is written for it: is it there, new enough for what Loom writes, is somebody logged in? */
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams } from '../protocol/requests.ts';
import type { HarnessStatus } from '../protocol/views.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { isOlder } from '../../shuttles/kit/version.ts';
import type { Way } from './way.ts';

export interface ProgramFacts {
  readonly harnesses: readonly HarnessStatus[];
  readonly isLoggedIn?: (harness: HarnessId) => Promise<boolean | null>;
}

/** Its version; null: it is not known. Throws `Fault` C001 or C012 unless it is a dry run: that warns. */
export async function checkProgram(
  { mode, shuttle }: Way,
  { dryRun }: ContinueParams,
  { harnesses, isLoggedIn }: ProgramFacts,
  warnings: string[],
): Promise<string | null> {
  const { harness, launch } = shuttle;
  const name = harnessNames[harness];
  const status = harnesses.find((candidate) => candidate.harness === harness);
  if (status === undefined) return null;
  if (status.installed === null) {
    // A session can be written for a program that is started elsewhere (a desktop app), a prompt needs the program.
    if (!dryRun && (!status.canReceive || mode === 'prompt')) throw new Fault('C001', status.reason ?? notOnPath(name));
    warnings.push(
      mode === 'prompt' ? notOnPath(name) : `${notOnPath(name).slice(0, -1)}: the session is written, but Loom cannot start it.`,
    );
    return null;
  }
  const { version } = status;
  const oldest = 'absent' in launch ? undefined : launch.oldest;
  if (version !== null && oldest !== undefined && isOlder(version, oldest)) {
    const told = `${name} ${version} at ${status.installed}, and ${oldest} is the oldest that takes it.`;
    if (!dryRun) throw new Fault('C012', told);
    warnings.push(`The installed program is too old for what Loom writes: ${told}`);
  }
  if ((await isLoggedIn?.(harness)) === false)
    warnings.push(
      `${name} says that nobody is logged in there: unless another provider is set up, its model answers only after a login.`,
    );
  return version;
}

function notOnPath(name: string): string {
  return `The program of ${name} is not on PATH.`;
}
