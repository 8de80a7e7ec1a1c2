/** `npm run bench -- [--scale 0.25] [--repeats 3] [--appends 20] [--huge] [--json FILE] [--no-build]`; LOOM_BENCH_DIST: a folder with another build */
import { parseArgs } from 'node:util';
import { bench } from './bench.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.25' },
    repeats: { type: 'string', default: '3' },
    appends: { type: 'string', default: '20' },
    huge: { type: 'boolean', default: false },
    json: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
  },
});
await bench({
  scale: Number(values.scale),
  repeats: Number(values.repeats),
  appends: Number(values.appends),
  huge: values.huge,
  json: values.json ?? null,
  build: !values['no-build'],
});
