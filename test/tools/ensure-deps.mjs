/**
 * What package-lock.json names is in node_modules, or is installed with `npm ci --ignore-scripts`. No script of a package runs:
 * everything that Loom uses ships its binaries. Looks at every package's version, so that a half-done install is noticed. Runs on Node 18.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Packages of the lock file that are absent or of another version; what is for other platforms does not count. */
export function missingDeps(root) {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(([place, entry]) => place !== '' && entry.optional !== true && installed(path.join(root, place)) !== entry.version)
    .map(([place]) => place);
}

function installed(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
  } catch {
    return undefined; // absent or torn: to be installed
  }
}

/** Arguments to run npm itself: the one that runs this script, else the one on PATH. */
export function npmCommand(args) {
  const cli = process.env.npm_execpath;
  if (cli !== undefined && /npm-cli\.[cm]?js$/.test(cli))
    return { command: process.execPath, args: [cli, ...args], shell: false };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args, shell: process.platform === 'win32' };
}

/** Installs what is missing; its output goes to stderr. Throws when npm fails. */
export function ensureDeps(root) {
  const missing = missingDeps(root);
  if (missing.length === 0) return;
  console.error(`Installing ${missing.length} packages (npm ci) …`);
  const npm = npmCommand(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  const done = spawnSync(npm.command, npm.args, { cwd: root, shell: npm.shell, stdio: ['ignore', 2, 2], timeout: 900_000 });
  if (done.status !== 0)
    throw new Error(`npm ci failed (${done.error?.message ?? `exit ${done.status ?? done.signal}`}); see above.`);
}
