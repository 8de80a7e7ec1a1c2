/** `npm run -s loom -- ARGS`: the program `loom` of this checkout, built when sources are newer, in the caller's folder. */
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { buildIfStale } from './build-if-stale.mjs';
import { runAgain } from './ensure-node.mjs';
import { root } from './places.mjs';

const node = await bootstrap(fileURLToPath(import.meta.url));
try {
  buildIfStale(root, node);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// npm runs scripts in the checkout; paths among the arguments are meant from where the person stands.
process.chdir(process.env.INIT_CWD ?? process.cwd());
await runAgain(node, path.join(root, 'dist', 'loom.cjs'));
