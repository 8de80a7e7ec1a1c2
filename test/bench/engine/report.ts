/** The engine benchmark's figures as a table and as lines with goals. */
import type { BackendName } from './backends.ts';
import type { EngineFigures } from './run.ts';
import { figure } from '../lines.ts';
import type { Line } from '../lines.ts';

export function engineTable(figures: readonly EngineFigures[]): string {
  const head = [
    'workload',
    'backend',
    'unit',
    'us/unit',
    'cpu us/unit',
    'commits',
    'us/commit',
    'x plain (cpu)',
    'reads/commit',
    'rows/commit',
    'statements/commit',
    'rss MB',
    'heap MB',
    'held MB',
    'live MB',
    'disk MB',
    'at rest MB',
  ];
  const rows = figures.map(({ workload, backend, told, counts, plain }) => {
    const commits = Math.max(1, counts.commits + counts.scratchCommits);
    return [
      workload,
      backend,
      `${told.units} ${told.unit}`,
      figure((1000 * told.wallMs) / told.units),
      figure((1000 * told.cpuMs) / told.units),
      String(commits),
      figure((1000 * told.wallMs) / commits),
      `${figure(told.wallMs / plain.wallMs)} (${figure(told.cpuMs / plain.cpuMs)})`,
      figure(counts.reads / commits),
      figure((backend === 'sqlite' ? counts.rows : counts.records) / commits),
      backend === 'sqlite' ? figure(counts.statements / commits) : '-',
      figure(told.peakRssMb),
      figure(told.peakHeapMb),
      figure(told.heldHeapMb),
      figure(told.liveHeapMb),
      figure(told.diskBytes / 1e6),
      figure(told.restBytes / 1e6),
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Figures of a workload's own, beside the table's. */
export function ownFigures(figures: readonly EngineFigures[]): readonly Line[] {
  return figures.flatMap(({ workload, backend, told }) =>
    Object.entries(told.figures ?? {}).map(([name, value]) => {
      const words = name.split(' ');
      return { name: `${workload}, ${backend}: ${words.slice(0, -1).join(' ')}`, value, unit: words.at(-1) ?? '' };
    }),
  );
}

export function goalLines(figures: readonly EngineFigures[], scale: number): readonly Line[] {
  const of = (workload: string, backend: BackendName): EngineFigures | undefined =>
    figures.find((one) => one.workload === workload && one.backend === backend);
  const own = (workload: string, backend: BackendName, name: string): number | null =>
    of(workload, backend)?.told.figures?.[name] ?? null;
  const wall = (workload: string, backend: BackendName): number | null => of(workload, backend)?.told.wallMs ?? null;
  const per = (workload: string): number | null => {
    const one = of(workload, 'sqlite');
    return one === undefined ? null : (1000 * one.told.wallMs) / one.told.units;
  };
  const turns = of('turns', 'sqlite');
  const many = (full: number): string => Math.round(full * scale).toLocaleString('en');
  const lines: readonly Line[] = [
    {
      name: `engine: ${many(2000)} turns with a tool each, SQLite`,
      value: wall('turns', 'sqlite'),
      unit: 'ms',
      goal: { most: 3000 * scale },
      cites: ['10.3-1', '10.3-9'],
    },
    {
      name: 'engine: the same, processor time to the plain way',
      value: turns === undefined ? null : turns.told.cpuMs / turns.plain.cpuMs,
      unit: 'x',
      cites: ['10.3-9'],
    },
    {
      name: 'engine: statements a commit of it',
      value: turns === undefined ? null : turns.counts.statements / (turns.counts.commits + turns.counts.scratchCommits),
      unit: '',
      goal: { most: 12 },
      cites: ['10.3-12'],
    },
    { name: 'engine: disk of it, log and scratch included', value: mb(turns?.told.diskBytes), unit: 'MB', cites: ['10.3-11'] },
    { name: 'engine: backend and engine hold after it', value: turns?.told.heldHeapMb ?? null, unit: 'MB', cites: ['10.3-10'] },
    { name: 'engine: turn with a compaction every ten', value: per('compaction and reopen'), unit: 'us', cites: ['10.3-2'] },
    { name: 'engine: ten tools beside each other, a turn', value: per('parallel tools'), unit: 'us', cites: ['10.3-3'] },
    { name: 'engine: ten tools after each other, a turn', value: per('sequential tools'), unit: 'us', cites: ['10.3-3'] },
    { name: 'engine: a piece of a streamed message', value: per('streaming'), unit: 'us', cites: ['10.3-4'] },
    {
      name: 'engine: peak memory of messages of 1 MB that stream',
      value: of('streaming', 'sqlite')?.told.peakRssMb ?? null,
      unit: 'MB',
      goal: { most: 400 },
      cites: ['10.3-4', '10.3-10'],
    },
    { name: 'engine: a read of the past, 200 forks deep', value: per('deep forks'), unit: 'us', cites: ['10.3-5'] },
    {
      name: `engine: turn with ${many(5000)} finished children to one without`,
      value: own('finished children', 'sqlite', 'turn with to without x'),
      unit: 'x',
      goal: { most: 1.1 },
      cites: ['10.3-6'],
    },
    {
      name: `engine: turn beside ${many(2000)} live tasks to one without`,
      value: own('background tasks', 'sqlite', 'turn beside to without x'),
      unit: 'x',
      goal: { most: 1.1 },
      cites: ['10.3-7'],
    },
    {
      name: 'engine: round of queued input and cancellation',
      value: per('queue and cancellation'),
      unit: 'us',
      cites: ['10.3-8'],
    },
    {
      name: `engine: turn at ${many(100_000)} entries to one at ${many(1000)}`,
      value: own('long session', 'sqlite', 'turn when long to short x'),
      unit: 'x',
      goal: { most: 1.1 },
      cites: ['10.3-14'],
    },
    {
      name: `engine: opening ${many(100_000)} entries, cold`,
      value: own('long session', 'sqlite', 'reopen ms'),
      unit: 'ms',
      goal: { most: 50 },
      cites: ['10.3-2'],
    },
    {
      name: `engine: memory grown from ${many(1000)} to ${many(100_000)} entries`,
      value: own('long session', 'sqlite', 'memory grown MB'),
      unit: 'MB',
      goal: { most: 10 },
      cites: ['10.3-13'],
    },
    {
      name: `engine: opening one of ${many(500)} sessions, with a commit`,
      value: own('many sessions', 'sqlite', 'open and commit, known us'),
      unit: 'us',
    },
  ];
  return lines.filter(({ value }) => value !== null);
}

function mb(bytes: number | undefined): number | null {
  return bytes === undefined ? null : bytes / 1e6;
}
