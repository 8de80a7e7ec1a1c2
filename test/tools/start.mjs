/**
 * `npm start [-- --demo] [-- --no-open] [-- --port N] [FOLDER]`: VS Code with Loom on the person's own sessions (or on sample ones). Uses the desktop's
 * `code` where there is one, else a VS Code from npm in the browser, until Ctrl-C. Whatever it needs, it installs. Runs on Node 18.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { cache, root } from './places.mjs';

const options = readOptions(process.argv.slice(2));
const node = await bootstrap(fileURLToPath(import.meta.url));
const { findDesktopCode, openDesktopCode } = await import('./desktop-code.mjs');
const { buildIfStale } = await import('./build-if-stale.mjs');
try {
  const demo = options.demo
    ? (await import('./demo-home.mjs')).makeDemoHome(fs.mkdtempSync(path.join(os.tmpdir(), 'lm-demo-')))
    : null;
  const folder = demo?.folder ?? options.folder ?? process.env.INIT_CWD ?? process.cwd();
  const code = options.browser ? { reason: 'a browser was asked for' } : findDesktopCode();
  if (code.file === undefined) {
    console.error(`Starting a VS Code in the browser: ${code.reason}.`);
    await serve({ folder, demo });
  } else {
    buildIfStale(root, node);
    // A demo gets a VS Code of its own, so that neither the person's windows nor their sessions have to do with it.
    const args =
      demo === null ? [] : ['--user-data-dir', path.join(demo.home, 'vscode'), '--extensions-dir', path.join(demo.home, 'ext')];
    openDesktopCode(code.file, { root, folder, args, env: demo === null ? process.env : { ...process.env, ...demo.env } });
    console.log(`Opened ${folder} in VS Code: Loom is in the activity bar.`);
    if (demo !== null) console.log(`The sample sessions are in ${demo.home}.`);
  }
} catch (error) {
  const taken = error.code === 'EADDRINUSE' ? `Port ${options.port} is taken: give another one with --port, or none. ` : '';
  console.error(`${taken}${error.message}`);
  process.exit(1);
}

function readOptions(argv) {
  const read = { demo: false, open: true, browser: false, port: 0, folder: undefined };
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    const [name, inline] = arg.split('=', 2);
    if (name === '--demo') read.demo = true;
    else if (name === '--no-open') read.open = false;
    else if (name === '--browser') read.browser = true;
    else if (name === '--port') read.port = Number(inline ?? argv[++i]);
    else if (!arg.startsWith('-') && read.folder === undefined) read.folder = path.resolve(process.env.INIT_CWD ?? '.', arg);
    else usage(`unknown option ${arg}`);
  }
  if (!Number.isInteger(read.port) || read.port < 0 || read.port > 65535) usage('--port wants a number');
  // Who says where to listen, or that nothing shall open, wants the address and no window.
  if (!read.open || read.port !== 0) read.browser = true;
  return read;
}

function usage(problem) {
  console.error(`${problem}\nusage: npm start -- [--demo] [--browser] [--no-open] [--port N] [FOLDER]`);
  process.exit(2);
}

/** VS Code in the browser, until this process is interrupted. */
async function serve({ folder, demo }) {
  const { installCodeServer, instanceIn, installVsix, prepareInstance, startCodeServer } = await import('./code-server.mjs');
  const { openDoor } = await import('./door.mjs');
  const { endAllOnInterrupt } = await import('./processes.mjs');
  const { packVsixIfStale } = await import('./package.mjs');
  // The socket's path must stay short, and nobody else may look into its folder.
  const run = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-run-'));
  process.once('exit', () => {
    for (const place of [run, demo?.home ?? run]) fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  });
  endAllOnInterrupt();
  console.error('Setting up VS Code (the first time takes a minute) …');
  const entry = await installCodeServer();
  const vsix = packVsixIfStale(node);
  const instance = { ...instanceIn(demo === null ? path.join(cache, 'start') : path.join(demo.home, 'vscode')), temp: run };
  const own = ownPlaces(instance);
  prepareInstance(instance, {
    'terminal.integrated.env.linux': own.inTerminals,
    'terminal.integrated.env.osx': own.inTerminals,
  });
  const env = { ...own.env, ...demo?.env };
  await installVsix({ node, entry, instance, vsix, env });
  const inside = path.join(run, 's');
  const server = await startCodeServer({ node, entry, instance, listen: inside, env });
  const door = await openDoor({ inside, port: options.port });
  const address = door.address(`folder=${encodeURIComponent(folder)}`);
  console.log(`Loom is at ${address}`);
  console.error('Ctrl-C ends it.');
  if (options.open) openInBrowser(address);
  const code = await server.exited;
  console.error(`VS Code ended by itself (${code}):\n${server.log().slice(-2000)}`);
  process.exit(1);
}

/**
 * code-server keeps its own things in the data and cache folders of the person; here they go to the instance. Loom must not follow: its ledger
 * stays where it always is, and terminals see the person's own variables again.
 */
function ownPlaces(instance) {
  const { XDG_DATA_HOME: data, XDG_CACHE_HOME: caches, LOOM_HOME: ledger } = process.env;
  const env = { XDG_DATA_HOME: path.join(instance.dir, 'own'), XDG_CACHE_HOME: path.join(instance.dir, 'own-cache') };
  if (ledger === undefined && process.platform === 'linux')
    env.LOOM_HOME = path.join(data ?? path.join(os.homedir(), '.local/share'), 'loom');
  return { env, inTerminals: { XDG_DATA_HOME: data ?? null, XDG_CACHE_HOME: caches ?? null } };
}

/** Best effort: the address is printed in any case. On Linux only where there is a display. */
function openInBrowser(address) {
  const graphical = process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;
  const opener =
    { darwin: ['open', [address]], win32: ['explorer.exe', [address]] }[process.platform] ??
    (graphical ? ['xdg-open', [address]] : undefined);
  if (opener === undefined) return;
  const child = spawn(opener[0], opener[1], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
