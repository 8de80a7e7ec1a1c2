/**
 * The benchmark: makes a corpus, measures the built program and the plain way side by side, prints a table and JSON.
 * Machines differ and are noisy: medians, and ratios to the plain way of the same run, are what to compare over time.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeCorpus } from './corpus.ts';
import { hugeFile, live, longLine, plainWay, wholeImport } from './measures.ts';
import type { ImportRun, PlainRun } from './measures.ts';

export interface BenchOptions {
  /** 1: about 1,450 files and 485 MB. */
  readonly scale: number;
  readonly repeats: number;
  readonly appends: number;
  /** Also one file of 1 GB. */
  readonly huge: boolean;
  /** Where to write the JSON; null: only the table. */
  readonly json: string | null;
  readonly build: boolean;
}

interface Line {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  /** What is aimed for at any scale; absent: a figure to watch. */
  readonly goal?: { readonly most?: number; readonly least?: number };
}

export async function bench(options: BenchOptions): Promise<void> {
  if (options.build) build();
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bench-home-'));
  try {
    say(`writing a corpus at scale ${options.scale}`);
    const corpus = writeCorpus(home, options.scale, Date.now());
    say(`${corpus.files.length} files, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${corpus.lines} lines`);
    const plain: PlainRun[] = [];
    const imports: ImportRun[] = [];
    for (let round = 1; round <= options.repeats; round++) {
      say(`round ${round} of ${options.repeats}: the plain way, then a whole import`);
      plain.push(await plainWay(home));
      imports.push(await wholeImport(home));
    }
    say('the server, from an empty ledger to live');
    const lived = await live(corpus, options.appends);
    say('one line of 10 MB');
    const long = await longLine(10_000_000);
    const huge = options.huge ? (say('one file of 1 GB'), await hugeFile(1_000_000_000)) : undefined;
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
      ...(huge === undefined
        ? []
        : [
            { name: 'one file of 1 GB', value: huge.mbPerSecond, unit: 'MB/s' },
            { name: 'peak memory with a file of 1 GB', value: huge.peakMb, unit: 'MB', goal: { most: 250 } },
          ]),
    ];
    print(lines);
    if (options.json !== null) {
      const machine = {
        platform: process.platform,
        arch: process.arch,
        node: process.version,
        cpus: os.cpus().length,
        load: os.loadavg(),
      };
      fs.writeFileSync(
        options.json,
        `${JSON.stringify({ at: new Date().toISOString(), machine, corpus: { files: corpus.files.length, bytes: corpus.bytes, lines: corpus.lines }, lines, samples: { plain, imports, lived, long, huge } }, null, 2)}\n`,
      );
      say(`written to ${options.json}`);
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function build(): void {
  const root = path.join(import.meta.dirname, '../..');
  const built = spawnSync(process.execPath, [path.join(root, 'esbuild.mjs'), '--quiet'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}

function print(lines: readonly Line[]): void {
  const width = Math.max(...lines.map((line) => line.name.length));
  for (const line of lines) {
    const value =
      line.value === null ? '-' : line.value >= 100 ? line.value.toFixed(0) : line.value.toFixed(line.value >= 10 ? 1 : 2);
    console.log(`${line.name.padEnd(width)}  ${value.padStart(9)} ${line.unit.padEnd(5)} ${verdict(line)}`.trimEnd());
  }
}
function verdict(line: Line): string {
  const { goal, value } = line;
  if (goal === undefined || value === null) return '';
  if (goal.most !== undefined) return `${value <= goal.most ? 'ok' : 'MISSED'} (at most ${goal.most.toFixed(0)})`;
  if (goal.least !== undefined) return `${value >= goal.least ? 'ok' : 'MISSED'} (at least ${goal.least.toFixed(0)})`;
  return '';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0
    ? Number.NaN
    : sorted.length % 2 === 1
      ? (sorted[middle] ?? 0)
      : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
const say = (text: string): void => console.error(`bench: ${text}`);
