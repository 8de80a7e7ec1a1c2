/** The built program from outside: an import of a corpus beside the plain way, the server from an empty ledger to live, single large files. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeCorpus } from './corpus.ts';
import { median } from './lines.ts';
import type { Line } from './lines.ts';
import { hugeFile, live, longLine, plainWay, wholeImport } from './measures.ts';
import { manySessions } from './many-sessions.ts';
import type { ImportRun, PlainRun } from './measures.ts';

export interface ProgramBenchOptions {
  /** 1: about 1,450 files and 485 MB. */
  readonly scale: number;
  readonly repeats: number;
  readonly appends: number;
  /** Also one file of 1 GB. */
  readonly huge: boolean;
  readonly build: boolean;
  readonly say: (text: string) => void;
}
export interface ProgramBench {
  readonly lines: readonly Line[];
  readonly samples: object;
}

export async function benchProgram(options: ProgramBenchOptions): Promise<ProgramBench> {
  if (options.build) build();
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bench-home-'));
  try {
    options.say(`writing a corpus at scale ${options.scale}`);
    const corpus = writeCorpus(home, options.scale, Date.now());
    options.say(`${corpus.files.length} files, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${corpus.lines} lines`);
    const plain: PlainRun[] = [];
    const imports: ImportRun[] = [];
    for (let round = 1; round <= options.repeats; round++) {
      options.say(`round ${round} of ${options.repeats}: the plain way, then a whole import`);
      plain.push(await plainWay(home));
      imports.push(await wholeImport(home));
    }
    options.say('the server, from an empty ledger to live');
    const lived = await live(corpus, options.appends);
    options.say('one line of 10 MB');
    const long = await longLine(10_000_000);
    const huge = options.huge ? (options.say('one file of 1 GB'), await hugeFile(1_000_000_000)) : undefined;
    const folders = Math.max(50, Math.round(1000 * options.scale));
    options.say(`${folders * 100} old sessions in ${folders} folders, watched over`);
    const many = await manySessions(folders, 100);
    const speed = median(imports.map((one) => one.mbPerSecond));
    const plainSpeed = median(plain.map((one) => one.mbPerSecond));
    const cpu = medianOrNull(imports.map((one) => one.cpuMs));
    const plainCpu = median(plain.map((one) => one.cpuMs));
    const lines: readonly Line[] = [
      { name: 'first 20 threads listed (server start to list)', value: lived.firstThreadsMs, unit: 'ms', goal: { most: 2000 } },
      { name: 'everything imported (server start to end)', value: lived.importedMs, unit: 'ms' },
      { name: 'whole import', value: speed, unit: 'MB/s' },
      { name: 'the plain way', value: plainSpeed, unit: 'MB/s' },
      { name: 'import to the plain way', value: speed / plainSpeed, unit: 'x' },
      { name: 'import to the plain way, by processor time', value: cpu === null ? null : plainCpu / cpu, unit: 'x' },
      { name: 'entries imported', value: median(imports.map((one) => one.entries)), unit: '' },
      {
        name: 'peak memory of an import',
        value: medianOrNull(imports.map((one) => one.peakMb)),
        unit: 'MB',
        goal: { most: 250 },
      },
      { name: 'ledger to corpus', value: median(imports.map((one) => one.ledgerMb)) / (corpus.bytes / 1e6), unit: 'x' },
      {
        name: 'rescan with nothing new',
        value: median(imports.map((one) => one.rescanMs)),
        unit: 'ms',
        goal: { most: Math.max(50, (50 * corpus.files.length) / 1500) },
      },
      {
        name: 'rescan with nothing new, program start to end',
        value: median(imports.map((one) => one.rescanWallMs)),
        unit: 'ms',
      },
      { name: 'append to timeline event, median', value: median(lived.appendMs), unit: 'ms', goal: { most: 200 } },
      { name: 'append to timeline event, worst', value: Math.max(...lived.appendMs), unit: 'ms' },
      { name: 'timeline of a thread opened', value: median(lived.openTimelineMs), unit: 'ms' },
      { name: 'search of a rare word', value: median(lived.searchMs), unit: 'ms', goal: { most: 5 } },
      { name: 'search of two common words', value: median(lived.commonSearchMs), unit: 'ms', goal: { most: 30 } },
      { name: 'baton of a thread', value: median(lived.batonMs), unit: 'ms', goal: { most: 100 } },
      { name: 'baton of the largest thread', value: lived.largestBatonMs, unit: 'ms' },
      { name: 'peak memory of the server', value: lived.peakMb, unit: 'MB' },
      { name: 'session with a line of 10 MB', value: long.mbPerSecond, unit: 'MB/s' },
      { name: 'peak memory with a line of 10 MB', value: long.peakMb, unit: 'MB', goal: { most: 250 } },
      {
        name: `memory for ${many.files} old sessions, at rest`,
        value: many.restMb === null || many.emptyMb === null ? null : many.restMb - many.emptyMb,
        unit: 'MB',
        goal: { most: 100 },
      },
      { name: 'their server, at rest', value: many.restMb, unit: 'MB' },
      { name: 'their watches', value: many.watches, unit: '', goal: { most: 300 } },
      { name: 'their sweeps, processor time in 10 s', value: many.idleCpuMs, unit: 'ms', goal: { most: 500 } },
      { name: 'a full pass over them', value: many.fullPassMs, unit: 'ms' },
      { name: 'a new session beside the newest, until listed', value: many.newInHotMs, unit: 'ms' },
      { name: 'a new session beside the oldest, until listed', value: many.newInOldMs, unit: 'ms', goal: { most: 5000 } },
      ...(huge === undefined
        ? []
        : [
            { name: 'one file of 1 GB', value: huge.mbPerSecond, unit: 'MB/s' },
            { name: 'peak memory with a file of 1 GB', value: huge.peakMb, unit: 'MB', goal: { most: 250 } },
          ]),
    ];
    return {
      lines,
      samples: {
        corpus: { files: corpus.files.length, bytes: corpus.bytes, lines: corpus.lines },
        plain,
        imports,
        lived,
        long,
        many,
        huge,
      },
    };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function build(): void {
  const root = path.join(import.meta.dirname, '../..');
  const built = spawnSync(process.execPath, [path.join(root, 'esbuild.mjs'), '--quiet'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
