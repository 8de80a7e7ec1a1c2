/**
 * Builds dist/: the extension, the server, the `loom` program, the webview, and SQLite's binary for each wanted platform.
 * Options: --production (minified, no source maps), --target=linux-x64|linux-arm64|alpine-x64|alpine-arm64|darwin-x64|
 * darwin-arm64|win32-x64|win32-arm64|universal (default: this machine's), --only=NAME,NAME (of the bundles below),
 * --out=FOLDER (default: dist), --quiet. Files are replaced one by one and what is left over goes at the end, so that a
 * running Loom survives a build. The binaries are Node-API: one file a platform loads in Node >= 22.14 and in
 * Electron >= 35 alike (better-sqlite3 13.2).
 */
import * as esbuild from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const production = process.argv.includes('--production');
const quiet = process.argv.includes('--quiet');
const target = option('target');
const only = option('only').split(',').filter(Boolean);
const dist = path.resolve(root, option('out') || 'dist');
const at = (name) => path.join(dist, name);

/** vsce's name of a target, and better-sqlite3's name of its binary. */
const binaries = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'alpine-x64': 'linuxmusl-x64',
  'alpine-arm64': 'linuxmusl-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64',
  'win32-arm64': 'win32-arm64',
};

const common = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: quiet ? 'error' : 'warning',
};
/**
 * CommonJS has no import.meta: modules that ask for their own URL get the bundle's. better-sqlite3 looks for its binary at
 * `../prebuilds` from its own folder: in a bundle that is dist/native/prebuilds.
 */
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  mainFields: ['module', 'main'],
  define: { 'import.meta.url': '__bundleUrl', __dirname: '__bundleFolder' },
};
const bundleUrl =
  "const __bundleUrl = require('node:url').pathToFileURL(__filename).href, __bundleFolder = require('node:path').join(__dirname, 'native', 'lib');";

const bundles = {
  extension: {
    ...node,
    entryPoints: ['client/extension.ts'],
    outfile: at('extension.cjs'),
    external: ['vscode'],
    banner: { js: bundleUrl },
  },
  server: { ...node, entryPoints: ['server/main/server.ts'], outfile: at('server.cjs'), banner: { js: bundleUrl } },
  loom: {
    ...node,
    entryPoints: ['server/main/loom.ts'],
    outfile: at('loom.cjs'),
    banner: { js: `#!/usr/bin/env node\n${bundleUrl}` },
  },
  readingWorker: {
    ...node,
    entryPoints: ['server/main/reading-worker.ts'],
    outfile: at('reading-worker.cjs'),
    banner: { js: bundleUrl },
  },
  mcp: { ...node, entryPoints: ['server/mcp/serve.ts'], outfile: at('mcp.cjs'), banner: { js: bundleUrl } },
  webview: {
    ...common,
    platform: 'browser',
    format: 'iife',
    target: 'chrome128',
    entryPoints: [
      { in: 'client/webview/main.ts', out: 'timeline' },
      { in: 'client/webview/timeline.css', out: 'timeline' },
    ],
    outdir: at('webview'),
    tsconfig: 'client/webview/tsconfig.json',
  },
};

const started = Date.now();
const made = new Set();
if (only.length === 0) copyBinaries();
const chosen = Object.entries(bundles).filter(([name, bundle]) => (only.length === 0 || only.includes(name)) && isThere(bundle));
const results = await Promise.all(chosen.map(([, bundle]) => esbuild.build(bundle)));
for (const { metafile } of results) for (const file of Object.keys(metafile.outputs)) made.add(path.resolve(root, file));
if (only.length === 0) removeLeftovers();
if (made.has(at('loom.cjs'))) fs.chmodSync(at('loom.cjs'), 0o755);
if (!quiet) console.error(`esbuild.mjs: built ${path.relative(process.cwd(), dist)} in ${Date.now() - started} ms`);

function option(name) {
  const start = `--${name}=`;
  return process.argv.find((argument) => argument.startsWith(start))?.slice(start.length) ?? '';
}

function isThere(bundle) {
  const [first] = bundle.entryPoints;
  const entry = typeof first === 'string' ? first : first.in;
  if (fs.existsSync(path.join(root, entry))) return true;
  console.error(`esbuild.mjs: skipped ${entry}: there is no such file`);
  return false;
}

function copyBinaries() {
  fs.mkdirSync(at('native/prebuilds'), { recursive: true });
  for (const name of wantedBinaries()) {
    copyBinary(path.join(root, 'node_modules/better-sqlite3/prebuilds', `${name}.node`), at(`native/prebuilds/${name}.node`));
    made.add(at(`native/prebuilds/${name}.node`));
  }
}

function wantedBinaries() {
  if (target === 'universal') return Object.values(binaries);
  const wanted = target === '' ? hostTarget() : target;
  const name = binaries[wanted];
  if (name === undefined) throw new Error(`esbuild.mjs: there is no binary for the target "${wanted}"`);
  return [name];
}

/** A binary that a running program has loaded must not be written into: the new one takes its name. */
function copyBinary(from, to) {
  if (fs.existsSync(to) && fs.readFileSync(to).equals(fs.readFileSync(from))) return;
  fs.copyFileSync(from, `${to}.${process.pid}`);
  fs.renameSync(`${to}.${process.pid}`, to);
}

function removeLeftovers() {
  for (const file of fs.readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const whole = path.join(file.parentPath, file.name);
    if (file.isFile() && !made.has(whole)) fs.rmSync(whole, { force: true });
  }
}

/** A musl system is told from a glibc one by what Node reports about its own process. */
function hostTarget() {
  const musl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${musl ? 'alpine' : process.platform}-${process.arch}`;
}
