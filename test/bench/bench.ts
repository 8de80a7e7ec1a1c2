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
import { benchProgram } from './program-bench.ts';

export interface BenchOptions {
  /** 1: the full size of everything. */
  readonly scale: number;
  readonly repeats: number;
  readonly appends: number;
  /** Also one file of 1 GB. */
  readonly huge: boolean;
  /** Where to write the JSON; null: only the tables. */
  readonly json: string | null;
  readonly build: boolean;
  /** Nothing but the engine. */
  readonly engineOnly: boolean;
  readonly backends: readonly BackendName[];
  /** Workloads of the engine; empty: all. */
  readonly workloads: readonly string[];
}

export async function bench(options: BenchOptions): Promise<void> {
  const program = options.engineOnly ? null : await benchProgram({ ...options, say });
  const figures = runEngineBench({ ...options, say });
  const lines = [...(program?.lines ?? []), ...goalLines(figures, options.scale)];
  const own = ownFigures(figures);
  printLines([...lines, ...own]);
  console.log(`\n${engineTable(figures)}`);
  if (options.json === null) return;
  const machine = {
    platform: process.platform,
    arch: process.arch,
    node: process.version,
    cpus: os.cpus().length,
    load: os.loadavg(),
  };
  const { scale } = options;
  fs.writeFileSync(
    options.json,
    `${JSON.stringify({ at: new Date().toISOString(), machine, scale, lines: [...lines, ...own], samples: { ...program?.samples, engine: figures } }, null, 2)}\n`,
  );
  say(`written to ${options.json}`);
}

const say = (text: string): void => console.error(`bench: ${text}`);
