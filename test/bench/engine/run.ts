/**
 * The engine's benchmark (engine specification 10.3): every workload on every backend, each run in a process of its own, so that its
 * memory is its own. A run that is timed counts nothing, a run that counts is not timed, and the plain way of the same batches is timed
 * right beside it.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median } from '../lines.ts';
import type { BackendName } from './backends.ts';
import type { Counts } from './counting.ts';
import type { PlainTold } from './plain.ts';
import type { Mode, Told } from './process.ts';
import { workloads } from './workloads.ts';

export interface EngineBenchOptions {
  readonly backends: readonly BackendName[];
  /** Of these names only; empty: all. */
  readonly workloads: readonly string[];
  readonly scale: number;
  readonly repeats: number;
  readonly say: (text: string) => void;
}
/** Medians over the repeats. */
export interface EngineFigures {
  readonly workload: string;
  readonly backend: BackendName;
  readonly told: Told;
  readonly counts: Counts;
  readonly plain: PlainTold;
  readonly samples: readonly Told[];
}

export function runEngineBench({
  backends,
  workloads: names,
  scale,
  repeats,
  say,
}: EngineBenchOptions): readonly EngineFigures[] {
  const wanted = workloads.filter(({ name }) => names.length === 0 || names.includes(name));
  return wanted.flatMap(({ name }) =>
    backends.map((backend) => {
      say(`${name} on ${backend}`);
      return runOne(name, backend, scale, repeats);
    }),
  );
}

function runOne(workload: string, backend: BackendName, scale: number, repeats: number): EngineFigures {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'engine-bench-'));
  const trace = path.join(folder, 'trace.json');
  let runs = 0;
  const run = (mode: Mode): unknown => {
    const place = path.join(folder, `run${runs++}`);
    fs.mkdirSync(place);
    const args = ['--expose-gc', program, workload, backend, place, String(scale), mode, trace];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    fs.rmSync(place, { recursive: true, force: true });
    if (status !== 0) throw new Error(`${workload} on ${backend} ended with ${status}: ${stderr.slice(-2000)}`);
    return JSON.parse(stdout);
  };
  try {
    const { counts } = run('counted') as Told;
    if (counts === null) throw new Error(`${workload} on ${backend} counted nothing`);
    const samples: Told[] = [];
    const plain: PlainTold[] = [];
    for (let i = 0; i < repeats; i++) {
      samples.push(run('timed') as Told);
      plain.push(run('plain') as PlainTold);
    }
    return { workload, backend, told: medians(samples), counts, plain: medians(plain), samples };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const program = path.join(import.meta.dirname, 'process.ts');

/** Every number of the records is the median of theirs. */
function medians<T extends object>(records: readonly T[]): T {
  const [first] = records;
  if (first === undefined) throw new Error('the benchmark repeats at least once');
  const entries = Object.entries(first).map(([name, value]: [string, unknown]) => {
    const values = records.map((record) => (record as Record<string, unknown>)[name]);
    if (typeof value === 'number') return [name, median(values as number[])];
    return [name, typeof value === 'object' && value !== null ? medians(values as object[]) : value];
  });
  return Object.fromEntries(entries) as T;
}
