/**
 * A real VS Code from npm alone: code-server carries VS Code's server and its workbench for browsers, and its packages ship what is
 * native in them, so nothing is compiled or downloaded from elsewhere. Seen with code-server 4.139.1 (VS Code 1.139.1) on Node 24.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { installed, npmIn } from './installed.mjs';
import { root } from './places.mjs';
import { end, run, start } from './processes.mjs';

const version = '4.139.1';
/** Raised when what is laid into it changes. */
const revision = 1;

/** Installs it where it is absent (20 to 60 s, 600 MB) and returns the path of its entry. */
export async function installCodeServer() {
  const folder = await installed(`code-server-${version}-${revision}`, async (draft) => {
    await npmIn(draft, ['install', `code-server@${version}`]);
    // VS Code's own packages: their versions are pinned by a shrinkwrap, but `npm ci` refuses it (it lacks tslib).
    const vscode = path.join(draft, 'node_modules/code-server/lib/vscode');
    await npmIn(vscode, ['install', '--omit=dev']);
    await npmIn(path.join(vscode, 'extensions'), ['install', '--omit=dev']);
    for (const name of ['spdlog', 'native-watchdog']) {
      fs.copyFileSync(
        path.join(root, 'test/tools/stand-ins', `${name}.cjs`),
        path.join(vscode, 'node_modules/@vscode', name, 'index.js'),
      );
    }
  });
  return path.join(folder, 'node_modules/code-server/out/node/entry.js');
}

/** Nothing that greets, asks, updates or looks anything up. */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
};

/** The folders of one instance below `dir`. Keep `dir` short: names of Unix sockets below it must stay under 108 bytes. */
export function instanceIn(dir) {
  const at = (name) => path.join(dir, name);
  return {
    dir,
    userData: at('data'),
    extensions: at('ext'),
    config: at('config.yaml'),
    settings: at('data/User/settings.json'),
    temp: at('t'),
  };
}

/** Lays out an instance: quiet settings (a person's own changes in it stay), its folders and an empty configuration. */
export function prepareInstance(instance, settings = {}) {
  fs.mkdirSync(path.dirname(instance.settings), { recursive: true });
  for (const folder of [instance.extensions, instance.temp]) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!fs.existsSync(instance.settings))
    fs.writeFileSync(instance.settings, JSON.stringify({ ...quietSettings, ...settings }, null, 2));
  // Without a file named, one is written into the person's own configuration folder.
  fs.writeFileSync(instance.config, 'auth: none\n');
}

const folderArgs = (instance) => [
  '--config',
  instance.config,
  '--user-data-dir',
  instance.userData,
  '--extensions-dir',
  instance.extensions,
];

/** Variables of a VS Code that we may be running in would change the one that we start; those of its test runner are meant for it. */
function environment(extra) {
  const env = { ...process.env, EXTENSIONS_GALLERY: '{}', ...extra };
  for (const name of Object.keys(env))
    if (/^(VSCODE_(?!TEST_)|ELECTRON_)/.test(name) || env[name] === undefined) delete env[name];
  return env;
}

/** Installs a packaged extension into the instance, over an older one. Throws with the reason. */
export async function installVsix({ node, entry, instance, vsix, env = {} }) {
  const args = [entry, ...folderArgs(instance), '--install-extension', vsix, '--force'];
  const done = await run(node, args, { env: environment(env), timeoutMs: 120_000 });
  if (done.code !== 0) throw new Error(`The extension could not be installed:\n${done.output}`);
}

/**
 * Starts the instance. `listen`: a loopback port (0 takes a free one), or a socket's path that only this user may open.
 * Resolves when it answers, with `{url, host, log(), exited, stop()}`; `url` is null on a socket.
 */
export async function startCodeServer({ node, entry, instance, listen = 0, env = {}, vscodeOptions = [] }) {
  const where =
    typeof listen === 'number' ? ['--bind-addr', `127.0.0.1:${listen}`] : ['--socket', listen, '--socket-mode', '600'];
  const args = [
    entry,
    '--auth',
    'none',
    ...where,
    ...folderArgs(instance),
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
    '--ignore-last-opened',
    '--disable-workspace-trust',
    ...vscodeOptions.flatMap((option) => ['--vscode-option', option]),
  ];
  const child = start(node, args, { env: environment(env) });
  let log = '';
  const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const listening = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        log += text;
        const match = /HTTP server listening on (\S+)/.exec(log);
        if (match !== null) resolve(match[1]);
      });
    }
    child.once('error', reject);
    void exited.then((code) => reject(new Error(`VS Code (code-server) ended with ${code} before it listened:\n${log}`)));
    setTimeout(() => reject(new Error(`VS Code (code-server) did not listen within a minute:\n${log}`)), 60_000).unref();
  });
  const stop = () => end(child);
  try {
    const address = await listening;
    const url = typeof listen === 'number' ? address.replace(/\/$/, '') : null;
    return { url, host: url === null ? null : new URL(url).host, log: () => log, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
