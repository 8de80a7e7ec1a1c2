/** `loom doctor`: what is installed, found and broken, and the fix for each. */
import { liveHandovers } from '../../drive/live-handovers.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Fault, faults } from '../../protocol/faults.ts';
import { requests } from '../../protocol/requests.ts';
import type { IngestReport } from '../../protocol/requests.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { fidelities } from '../../../shuttles/contract/read.ts';
import type { Fidelity } from '../../../shuttles/contract/read.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import type { HarnessStatus } from '../../protocol/views.ts';
import { askProgram } from '../ask-program.ts';
import { Programs } from '../programs.ts';
import { passedOver } from '../../ingest/withdrawal.ts';
import { fidelityOf } from '../thread-view.ts';
import { done, flag } from './command.ts';
import type { Command, CommandContext, Outcome } from './command.ts';
import { harnessChecks } from './doctor-harnesses.ts';
import { archiveChecks } from './doctor-archive.ts';
import { packChecks } from './doctor-packs.ts';
import { leaseChecks } from './doctor-leases.ts';
import { snapshotChecks } from './doctor-snapshots.ts';
import { faultCheck, ledgerChecks, placeChecks } from './doctor-ledger.ts';

export interface Check {
  readonly id: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

export const doctorCommand: Command = {
  // What keeps the sources from being read is one of its findings.
  fresh: false,
  async run(context) {
    const unread = await readSources(context);
    return tell(context, [
      ...machineChecks(context),
      ...placeChecks(context.folder, context.environment.platform),
      ...unread,
      ...(await ledgerChecks(context)),
      ...packChecks(context.ledger, flag(context.parsed, 'deep')),
      ...archiveChecks(context.ledger, flag(context.parsed, 'deep')),
      ...harnessChecks(shuttles, context.environment, await harnesses(context)),
      ...sourceChecks(context.ledger),
      ...fidelityChecks(context.ledger),
      ...leaseChecks(context.ledger),
      ...(await snapshotChecks(context.ledger, context.environment.home, process.env['PATH'] ?? '', context.now())),
      ...(await handoverChecks(context)),
    ]);
  },
  withoutLedger: async (context, fault) =>
    tell(context, [
      ...machineChecks(context),
      { ...faultCheck(fault.id, fault.detail), id: 'ledger' },
      ...placeChecks(context.folder, context.environment.platform),
      ...harnessChecks(shuttles, context.environment, await harnesses(context)),
    ]),
};

async function harnesses({ environment }: Pick<CommandContext, 'environment'>): Promise<readonly HarnessStatus[]> {
  const ask = askProgram(environment, process.env);
  const programs = new Programs({ shuttles, environment, path: process.env['PATH'] ?? '', ask });
  await programs.askAll();
  return programs.statuses();
}

function tell({ terminal, parsed }: Pick<CommandContext, 'terminal' | 'parsed'>, all: readonly Check[]): Outcome {
  // The owner tells of what is also seen from here.
  const checks = all.filter((check, i) => i === all.findIndex((other) => other.id === check.id && other.detail === check.detail));
  if (flag(parsed, 'json')) terminal.json({ checks: checks.map((check) => (check.ok ? { ...check, fix: '' } : check)) });
  else
    for (const check of checks) {
      terminal.line(`${check.ok ? terminal.green('ok ') : terminal.red('!! ')} ${check.id}: ${check.detail}`);
      if (!check.ok && check.fix !== '') terminal.line(`       ${check.fix}`);
    }
  return done;
}

async function readSources({ request }: CommandContext): Promise<readonly Check[]> {
  try {
    await request<IngestReport>(requests.ingest.method, {});
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [faultCheck(error.id, error.detail)];
  }
}

function machineChecks({ environment }: Pick<CommandContext, 'environment'>): readonly Check[] {
  return [{ id: 'node', ok: true, detail: `Node ${process.versions.node} on ${environment.platform}`, fix: '' }];
}

/** None is live for longer than a moment, so only those that are stuck, or under way in another process, are seen. */
async function handoverChecks({ ledger, service }: CommandContext): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const session of ledger.liveSessions()) {
    for (const { state } of liveHandovers(await ledger.engine(session)))
      checks.push({
        id: 'handover',
        // An owner has ended what it could, and this is what is left.
        ok: service === undefined,
        detail: `the hand-over of ${state.thread} to ${harnessNames[state.to]} is not over${state.path === undefined ? '' : `: ${state.path}`}`,
        fix: 'Check that the file can be read and removed, then start Loom again: it takes the hand-over back.',
      });
  }
  return checks;
}

function sourceChecks(ledger: Ledger): readonly Check[] {
  const sources = ledger.sources.all();
  const count = (status: string): number => sources.filter((source) => source.status === status).length;
  const warnings = ledger.warnings.count();
  const passed = ledger.sources.countSaying('ignored', passedOver);
  const parts = [
    `${count('current')} read`,
    ...(count('reading') + count('new') === 0 ? [] : [`${count('reading') + count('new')} to be read`]),
    ...(passed === 0 ? [] : [`${passed} passed over, since a better file tells the same session`]),
    `${count('ignored') - passed} that hold no session`,
    `${count('gone')} gone (their threads are kept)`,
    `${count('unreadable')} unreadable`,
  ];
  return [
    {
      id: 'sources',
      ok: count('unreadable') === 0,
      detail: `${sources.length} files: ${parts.join(', ')}`,
      fix: faults.F002.fix,
    },
    ...(warnings === 0
      ? []
      : [
          {
            id: 'damage',
            ok: true,
            detail: `${warnings} damaged or unknown places in sources; the newest: ${ledger.warnings
              .newest(3)
              .map((warning) => `${warning.path}:${warning.offset} ${warning.text}`)
              .join('; ')}`,
            fix: '',
          },
        ]),
  ];
}

/** Threads of which not everything can be read, by what can. */
function fidelityChecks(ledger: Ledger): readonly Check[] {
  const counts = new Map<string, number>();
  for (const row of ledger.threads.newest(1_000_000)) {
    const native = row.current_native === null || row.child === 1 ? undefined : ledger.natives.byNumber(row.current_native);
    const fidelity = fidelityOf(native);
    if (row.current_conversation !== 0 && fidelity !== 'native') counts.set(fidelity, (counts.get(fidelity) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const parts = fidelities.flatMap((fidelity) => {
    const count = counts.get(fidelity);
    return count === undefined ? [] : [`${count} ${fidelityTexts[fidelity]}`];
  });
  return [{ id: 'fidelity', ok: true, detail: `threads that are not told whole: ${parts.join(', ')}`, fix: '' }];
}

const fidelityTexts: Readonly<Record<Fidelity, string>> = {
  native: 'whole',
  transcript: 'from a transcript (no tokens)',
  truncated: 'from a shortened transcript',
  artifacts: 'with plans and notes only',
  listed: 'only listed',
};
