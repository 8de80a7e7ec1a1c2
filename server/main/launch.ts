/**
 * Starts the program of another harness in this terminal and waits for its end. Only once the ledger is let go of: the program
 * runs for hours, and while this process waits it answers nobody.
 */
import { spawnSync } from 'node:child_process';
import type { Command } from '../../shuttles/contract/shuttle.ts';
import { Fault } from '../protocol/faults.ts';

/** The program's own exit status. Throws `Fault` C001 when it cannot be started. */
export function launch({ argv, cwd, env }: Command): number {
  const [program, ...rest] = argv;
  // Ctrl+C is meant for the program; without a listener it would end this process first and leave the program without a shell.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  const ended = spawnSync(program, rest, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
  process.off('SIGINT', ignore);
  if (ended.error !== undefined) throw new Fault('C001', `${program}: ${ended.error.message}`);
  return ended.status ?? 1;
}
