/**
 * `npm run bench -- [--scale 0.25] [--only import,search,…] [--repeats 3] [--appends 120] [--corpus DIR] [--ledger DIR] [--json FILE]
 *   [--no-build] [--engine] [--backend sqlite|jsonl|memory]... [--workload NAME]...`; what is measured is built as it is packaged;
 * LOOM_BENCH_DIST: a folder with another build.
 * Parts: parts.ts. `--corpus` and `--ledger` keep what is made there and use it the next time. `--engine` is `--only engine`, at scale 1
 * unless another is asked for. */
import { parseArgs } from 'node:util';
import { bench } from './bench.ts';
import { backendNames } from './engine/backends.ts';
import { partsOf } from './parts.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string' },
    only: { type: 'string' },
    repeats: { type: 'string', default: '3' },
    appends: { type: 'string', default: '120' },
    corpus: { type: 'string' },
    ledger: { type: 'string' },
    json: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
    engine: { type: 'boolean', default: false },
    backend: { type: 'string', multiple: true, default: [...backendNames] },
    workload: { type: 'string', multiple: true, default: [] },
  },
});
await bench({
  scale: Number(values.scale ?? (values.engine ? 1 : 0.25)),
  parts: partsOf(values.engine ? 'engine' : values.only),
  repeats: Number(values.repeats),
  appends: Number(values.appends),
  corpus: values.corpus ?? null,
  ledger: values.ledger ?? null,
  json: values.json ?? null,
  build: !values['no-build'],
  backends: backendNames.filter((name) => values.backend.includes(name)),
  workloads: values.workload,
});
