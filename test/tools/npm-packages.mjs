/**
 * Fetches pinned packages into a cache folder, beside the project: programs that tests and the bench run, never dependencies of Loom.
 * Their install scripts do not run. The machine's npm settings hold there too (its certificates, its registry): npm looks for the global ones
 * beside the Node that runs it, which may be another than the one it came with, so they are named here.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const shell = process.platform === 'win32';

/**
 * @param {string} folder made if it is not there
 * @param {readonly string[]} packages `name@version`
 * @param {{ minutes?: number, node?: string }} [options] `node`: the Node that npm runs on; npm picks by the engines that packages name
 * @returns {string | undefined} why they could not be had
 */
export function fetchPackages(folder, packages, { minutes = 15, node } = {}) {
  fs.mkdirSync(folder, { recursive: true });
  // Without one npm takes the project around the folder for its own.
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true }));
  const npm = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, ...globalSettings(), ...(node === undefined ? {} : { PATH: before(node) }) },
    timeout: minutes * 60_000,
    shell,
  });
  return npm.status === 0 ? undefined : reasonOf(npm);
}

/** @returns {Record<string, string>} those of npm's own place, which `PATH` leads to whichever Node comes first in it */
function globalSettings() {
  const file = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => fs.existsSync(path.join(folder, shell ? 'npm.cmd' : 'npm')))
    .map((folder) => path.join(shell ? folder : path.dirname(folder), 'etc', 'npmrc'))
    .find((settings) => fs.existsSync(settings));
  return file === undefined ? {} : { NPM_CONFIG_GLOBALCONFIG: file };
}

function before(node) {
  return `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
}

/** npm's last line names only its log: the reason stands before it. */
function reasonOf(npm) {
  const lines = (npm.stderr ?? '').split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim());
  const telling = lines.filter((line) => line !== '' && !line.startsWith('A complete log of this run'));
  return telling.at(-1) ?? npm.error?.message ?? 'no reason given';
}
