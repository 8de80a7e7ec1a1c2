/**
 * `npm run bench -- [--scale 0.25] [--repeats 3] [--appends 20] [--huge] [--json FILE] [--no-build]
 *   [--engine] [--backend sqlite|jsonl|memory]... [--workload NAME]...`; LOOM_BENCH_DIST: a folder with another build. `--engine`: only the
 * engine, at scale 1 unless another is asked for. */
import { parseArgs } from 'node:util';
import { bench } from './bench.ts';
import { backendNames } from './engine/backends.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string' },
    repeats: { type: 'string', default: '3' },
    appends: { type: 'string', default: '20' },
    huge: { type: 'boolean', default: false },
    json: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
    engine: { type: 'boolean', default: false },
    backend: { type: 'string', multiple: true, default: [...backendNames] },
    workload: { type: 'string', multiple: true, default: [] },
  },
});
await bench({
  scale: Number(values.scale ?? (values.engine ? 1 : 0.25)),
  repeats: Number(values.repeats),
  appends: Number(values.appends),
  huge: values.huge,
  json: values.json ?? null,
  build: !values['no-build'],
  engineOnly: values.engine,
  backends: backendNames.filter((name) => values.backend.includes(name)),
  workloads: values.workload,
});
