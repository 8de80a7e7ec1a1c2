/**
 * What `loom doctor` says of each harness: where its sessions are, whether its program can be started, in which version and what for, how
 * Loom can carry a thread into it, and whether a program was seen to take that. A harness that is not on the machine is nothing broken; a
 * machine without any is.
 */
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import type { Environment, Shuttle } from '../../../shuttles/contract/shuttle.ts';
import { walk } from '../../../shuttles/kit/walk.ts';
import { faults } from '../../protocol/faults.ts';
import type { HarnessStatus } from '../../protocol/views.ts';
import type { Check } from './doctor.ts';

export function harnessChecks(
  shuttles: readonly Shuttle[],
  environment: Environment,
  statuses: readonly HarnessStatus[],
): readonly Check[] {
  const all = shuttles.flatMap((shuttle) => {
    const status = statuses.find(({ harness }) => harness === shuttle.harness);
    return status === undefined ? [] : [oneHarness(shuttle, environment, status)];
  });
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
  status: HarnessStatus,
): { readonly isHere: boolean; readonly checks: readonly Check[] } {
  const { harness, launch, write } = shuttle;
  const { roots, installed, version } = status;
  const found = roots.filter((root) => root.exists).map((root) => root.path);
  const isHere = found.length > 0 || installed !== null;
  const sessions =
    found.length > 0 ? `sessions in ${found.join(', ')}` : `no sessions (looked in ${roots.map((root) => root.path).join(', ')})`;
  const program =
    'absent' in launch
      ? // It may well run: Loom starts it for nobody.
        launch.absent
      : installed !== null
        ? `program ${installed}${version === null ? '' : ` ${version}`}`
        : found.length > 0
          ? `its program ${launch.program} is not on PATH: reading needs none, opening a session there does (${launch.install})`
          : `its program ${launch.program} is not on PATH`;
  const unreadable = shuttle.find.roots(environment).flatMap((root) => walk(root).unreadable);
  const parts = [sessions, program, ...(isHere ? [takes(status, write), ...verified(status)] : [])].map((part) =>
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

function takes({ modes, reason }: HarnessStatus, write: Shuttle['write']): string {
  const onlyAsked = modes[0] === 'prompt' ? ' when that is asked for (--native)' : '';
  const ways = modes.map((mode) => (mode === 'native' ? `as native sessions${onlyAsked}` : 'by a prompt that names the baton'));
  if (ways.length > 0) return `takes threads ${ways.join(' and ')}`;
  return 'absent' in write ? write.absent : `takes no threads: ${reason ?? ''}`;
}

/** Only of what can be carried: whether the installed version, or which other one, was seen to take it. */
function verified({ modes, verified: runs, version }: HarnessStatus): readonly string[] {
  if (modes.length === 0) return [];
  const own = runs.filter((run) => run.version === version);
  if (own.length > 0) return [`verified with this version, from ${names(own)}`];
  const versions = [...new Set(runs.map((run) => run.version))];
  return [versions.length === 0 ? 'not verified' : `verified with ${versions.join(', ')}, from ${names(runs)}`];
}

function names(runs: HarnessStatus['verified']): string {
  return [...new Set(runs.map(({ from }) => harnessNames[from]))].join(', ');
}
