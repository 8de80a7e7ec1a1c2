/**
 * The benchmark: the built program, and the engine beneath it, each beside the plain way of the same run; a table and JSON.
 * Machines differ and are noisy: medians, and ratios to the plain way of the same run, are what to compare over time.
 */
import fs from 'node:fs';
import os from 'node:os';
import type { BackendName } from './engine/backends.ts';
import { engineTable, goalLines, ownFigures } from './engine/report.ts';
import { runEngineBench } from './engine/run.ts';
import { printLines } from './lines.ts';
import type { PartName } from './parts.ts';
import { benchProgram } from './program-bench.ts';
import type { ProgramBenchOptions } from './program-bench.ts';

export interface BenchOptions extends Omit<ProgramBenchOptions, 'say'> {
  /** Where to write the JSON; null: only the tables. */
  readonly json: string | null;
  readonly backends: readonly BackendName[];
  /** Workloads of the engine; empty: all. */
  readonly workloads: readonly string[];
}

export async function bench(options: BenchOptions): Promise<void> {
  const { scale, parts } = options;
  const loadBefore = os.loadavg();
  const ofProgram = [...parts].some((part: PartName) => part !== 'engine');
  const program = ofProgram ? await benchProgram({ ...options, say }) : null;
  const figures = parts.has('engine') ? runEngineBench({ ...options, say }) : [];
  const lines = [...(program?.lines ?? []), ...goalLines(figures, scale)];
  const own = ownFigures(figures);
  printLines([...lines, ...own]);
  if (figures.length > 0) console.log(`\n${engineTable(figures)}`);
  const load = [loadBefore, os.loadavg()].map((three) => three.map((one) => one.toFixed(1)).join(' '));
  console.log(`\nload of the machine before: ${load[0]}; after: ${load[1]} (${os.cpus().length} processors)`);
  for (const failure of program?.failures ?? []) {
    say(`not measured: ${failure}`);
    process.exitCode = 1;
  }
  if (options.json === null) return;
  const machine = {
    platform: process.platform,
    arch: process.arch,
    node: process.version,
    cpus: os.cpus().length,
    loadBefore,
    loadAfter: os.loadavg(),
  };
  fs.writeFileSync(
    options.json,
    `${JSON.stringify({ at: new Date().toISOString(), machine, scale, lines: [...lines, ...own], samples: { ...program?.samples, engine: figures } }, null, 2)}\n`,
  );
  say(`written to ${options.json}`);
}

const say = (text: string): void => console.error(`bench: ${text}`);
