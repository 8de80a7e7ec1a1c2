/**
 * The first thing that every tool does: packages are there and this process runs on a good Node, with the same on PATH for its
 * children. A tool imports packages only after this. Runs on Node 18.
 */
import process from 'node:process';
import { ensureDeps } from './ensure-deps.mjs';
import { goodNode, isNewEnough, pathWith, runAgain } from './ensure-node.mjs';
import { root } from './places.mjs';

/** `file`: the path of the calling tool, to be run again where needed. Returns the good Node. Ends the process on failure. */
export async function bootstrap(file) {
  try {
    ensureDeps(root);
    const node = goodNode(root);
    Object.assign(process.env, pathWith(root, node));
    if (!isNewEnough(process.versions.node)) await runAgain(node, file);
    return node;
  } catch (error) {
    console.error(error.message);
    return process.exit(1);
  }
}
