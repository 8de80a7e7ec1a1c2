/** Builds dist/ when a source is newer than it. The build's words go to stderr, so that a program's own stdout stays clean. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const sources = [
  'client',
  'server',
  'shuttles',
  'media',
  'esbuild.mjs',
  'package.json',
  'package-lock.json',
  '.vscodeignore',
  'README.md',
  'CHANGELOG.md',
];
/** Written last by every build; its time stands for the whole of dist/. */
const built = path.join('dist', 'loom.cjs');

/** Newest modification below a file or folder, in ms; 0 when absent. Tests are no sources. */
function newest(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return place.endsWith('.test.ts') ? 0 : stat.mtimeMs;
  // A folder's own time tells of files that were removed.
  return fs.readdirSync(place).reduce((time, name) => Math.max(time, newest(path.join(place, name))), stat.mtimeMs);
}

/** Whether a source is newer than `product`, or there is no product. */
export function isStale(root, product = path.join(root, built)) {
  const stat = fs.statSync(product, { throwIfNoEntry: false });
  return stat === undefined || sources.some((s) => newest(path.join(root, s)) > stat.mtimeMs);
}

/** Throws when the build fails; the build itself has said why on stderr. */
export function buildIfStale(root, node) {
  if (!isStale(root)) return;
  const done = spawnSync(node, ['esbuild.mjs'], { cwd: root, stdio: ['ignore', 2, 2], timeout: 300_000 });
  if (done.status !== 0) throw new Error('The build failed; see above.');
}
