/** `node prepared.mjs FILE ARGS…`: runs a JavaScript program of the checkout once packages and a good Node are there. Runs on Node 18. */
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { runAgain } from './ensure-node.mjs';
import { root } from './places.mjs';

const node = await bootstrap(fileURLToPath(import.meta.url));
const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node test/tools/prepared.mjs FILE [ARGS…]');
  process.exit(2);
}
process.chdir(root);
await runAgain(node, path.resolve(root, file), args);
