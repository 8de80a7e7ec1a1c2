/**
 * What `loom doctor` says of each harness: where its sessions are, whether its program can be started and what for, and whether Loom can
 * carry a thread into it. A harness that is not on the machine is nothing broken; a machine without any is.
 */
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import type { Environment, Shuttle } from '../../../shuttles/contract/shuttle.ts';
import { walk } from '../../../shuttles/kit/walk.ts';
import { faults } from '../../protocol/faults.ts';
import { harnessStatus } from '../harnesses.ts';
import type { Check } from './doctor.ts';

/** `path`: the PATH variable of this process. */
export function harnessChecks(shuttles: readonly Shuttle[], environment: Environment, path: string): readonly Check[] {
  const all = shuttles.map((shuttle) => oneHarness(shuttle, environment, path));
  const checks = all.flatMap(({ checks: own }) => own);
  if (all.some(({ isHere }) => isHere)) return checks;
  return [
    ...checks,
    {
      id: 'harnesses',
      ok: false,
      detail: `no sessions and no program of ${shuttles.map(({ harness }) => harnessNames[harness]).join(', ')} were found`,
      fix: 'Start one of them once. Where its folder was moved by a variable (CLAUDE_CONFIG_DIR, CODEX_HOME), set that for Loom too; --home names another home folder.',
    },
  ];
}

function oneHarness(
  shuttle: Shuttle,
  environment: Environment,
  path: string,
): { readonly isHere: boolean; readonly checks: readonly Check[] } {
  const { harness, launch, write } = shuttle;
  const { roots, installed } = harnessStatus(shuttle, environment, path);
  const found = roots.filter((root) => root.exists).map((root) => root.path);
  const isHere = found.length > 0 || installed !== null;
  const sessions =
    found.length > 0 ? `sessions in ${found.join(', ')}` : `no sessions (looked in ${roots.map((root) => root.path).join(', ')})`;
  const program =
    'absent' in launch
      ? // It may well run: Loom starts it for nobody.
        launch.absent
      : installed !== null
        ? `program ${installed}`
        : found.length > 0
          ? `its program ${launch.program} is not on PATH: reading needs none, opening a session there does (${launch.install})`
          : `its program ${launch.program} is not on PATH`;
  const unreadable = shuttle.find.roots(environment).flatMap((root) => walk(root).unreadable);
  const parts = [sessions, program, ...(isHere && 'absent' in write ? [write.absent] : [])].map((part) =>
    part.replace(/\.$/, ''),
  );
  return {
    isHere,
    checks: [
      { id: harness, ok: true, detail: `${harnessNames[harness]}: ${parts.join('; ')}`, fix: '' },
      ...unreadable.map(({ path: folder, code }): Check => ({
        id: `${harness}-unreadable`,
        ok: false,
        detail: `${folder} (${code})`,
        fix: faults.F001.fix,
      })),
    ],
  };
}
