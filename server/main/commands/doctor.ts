/** `loom doctor`: what is installed, found and broken, and the fix for each. */
import type { Ledger } from '../../ledger/ledger.ts';
import { faults } from '../../protocol/faults.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { walk } from '../../../shuttles/kit/walk.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { harnessStatus } from '../harnesses.ts';
import { readOwner } from '../owner-record.ts';
import { done, flag } from './command.ts';
import type { Command, CommandContext } from './command.ts';

export interface Check {
  readonly id: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

export const doctorCommand: Command = {
  fresh: true,
  async run(context) {
    const checks = [
      ...machineChecks(context),
      ...ledgerChecks(context),
      ...harnessChecks(context),
      ...sourceChecks(context.ledger),
    ];
    const { terminal, parsed } = context;
    if (flag(parsed, 'json')) terminal.json({ checks });
    else
      for (const check of checks) {
        terminal.line(`${check.ok ? terminal.green('ok ') : terminal.red('!! ')} ${check.id}: ${check.detail}`);
        if (!check.ok && check.fix !== '') terminal.line(`       ${check.fix}`);
      }
    await Promise.resolve();
    return done;
  },
};

function machineChecks({ environment }: CommandContext): readonly Check[] {
  return [{ id: 'node', ok: true, detail: `Node ${process.versions.node} on ${environment.platform}`, fix: '' }];
}

function ledgerChecks({ ledger, folder, service }: CommandContext): readonly Check[] {
  const integrity = ledger.integrity();
  const owner = readOwner(folder);
  const owned = service !== undefined ? 'this command' : owner === undefined ? 'nobody' : `process ${owner.pid}`;
  return [
    {
      id: 'ledger',
      ok: integrity === 'ok',
      detail: `${folder}, ${ledger.threads.count()} threads, owned by ${owned}${integrity === 'ok' ? '' : `: ${integrity}`}`,
      fix: faults.L002.fix,
    },
    ...(ledger.readonly && service !== undefined
      ? [{ id: 'ledger-version', ok: false, detail: faults.L003.message, fix: faults.L003.fix }]
      : []),
    ...(ledger.setAside === null
      ? []
      : [{ id: 'ledger-damaged', ok: false, detail: `${faults.L002.message} ${ledger.setAside}`, fix: faults.L002.fix }]),
  ];
}

function harnessChecks({ environment }: CommandContext): readonly Check[] {
  return shuttles.flatMap((shuttle): readonly Check[] => {
    const status = harnessStatus(shuttle, environment, process.env['PATH'] ?? '');
    const found = status.roots.filter((root) => root.exists).map((root) => root.path);
    const unreadable = shuttle.find.roots(environment).flatMap((root) => walk(root).unreadable);
    return [
      {
        id: shuttle.harness,
        ok: found.length > 0 || status.installed !== null,
        detail:
          found.length > 0
            ? `${harnessNames[shuttle.harness]}: sessions in ${found.join(', ')}; program ${status.installed ?? 'not on PATH'}`
            : `${harnessNames[shuttle.harness]}: no sessions in ${status.roots.map((root) => root.path).join(', ')}`,
        fix: status.reason ?? '',
      },
      ...unreadable.map(({ path, code }): Check => ({
        id: `${shuttle.harness}-unreadable`,
        ok: false,
        detail: `${path} (${code})`,
        fix: faults.F001.fix,
      })),
    ];
  });
}

function sourceChecks(ledger: Ledger): readonly Check[] {
  const sources = ledger.sources.all();
  const count = (status: string): number => sources.filter((source) => source.status === status).length;
  const warnings = ledger.warnings.count();
  return [
    {
      id: 'sources',
      ok: count('unreadable') === 0,
      detail: `${sources.length} files: ${count('current')} read, ${count('ignored')} that are no sessions, ${count('gone')} gone (their threads are kept), ${count('unreadable')} unreadable`,
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
