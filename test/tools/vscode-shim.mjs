/**
 * Stands in for the desktop program `code`: takes the arguments with which @vscode/test-electron starts it and runs the tests in the
 * extension host of code-server, its workbench in a headless Chromium. Ends with the tests' exit code; 124 after a bounded time.
 * Understands --extensionDevelopmentPath=, --extensionTestsPath= and a folder; what else a desktop would heed means nothing here.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { findChromium, launchChromium } from './chromium.mjs';
import { installCodeServer, instanceIn, prepareInstance, startCodeServer } from './code-server.mjs';
import { results } from './places.mjs';
import { endAllOnInterrupt } from './processes.mjs';
import { openWorkbench, remoteUri, steadySettings } from './workbench.mjs';

const limitMs = 300_000;
/** Lines of VS Code's own services that have nothing to do with a test. */
const chatter =
  /AgentHost|AccountPolicyGate|reconnection-grace|Creating a socket|connection token|Service Worker|builtin extensions cache|spdlog|native-watchdog|additional builtin extensions/;

const node = await bootstrap(fileURLToPath(import.meta.url));
const argv = process.argv.slice(2);
const option = (name) => argv.filter((a) => a.startsWith(`--${name}=`)).map((a) => path.resolve(a.slice(name.length + 3)));
const [tests] = option('extensionTestsPath');
if (tests === undefined) {
  console.error('vscode-shim: --extensionTestsPath= is missing');
  process.exit(2);
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-'));
const folder = path.resolve(argv.findLast((a) => !a.startsWith('-')) ?? dir);
let browser;
let server;
const close = async () => {
  await browser?.close();
  await server?.stop();
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
};
endAllOnInterrupt(close);

let code = 1;
try {
  const entry = await installCodeServer();
  const chromium = await findChromium(node);
  if (chromium === null) throw new Error('No browser: set CHROMIUM to one.');
  const instance = instanceIn(dir);
  prepareInstance(instance, steadySettings);
  const env = {
    TMPDIR: instance.temp,
    XDG_RUNTIME_DIR: instance.temp,
    XDG_DATA_HOME: instance.temp,
    XDG_CONFIG_HOME: instance.temp,
  };
  if (process.env.HOME === undefined) env.HOME = dir;
  server = await startCodeServer({ node, entry, instance, env, vscodeOptions: ['enable-smoke-test-driver'] });
  browser = await launchChromium(chromium);
  const payload = [
    ...option('extensionDevelopmentPath').map((p) => ['extensionDevelopmentPath', remoteUri(server, p)]),
    ['extensionTestsPath', remoteUri(server, tests)],
  ];
  const onHostLog = (type, text) => {
    if (!chatter.test(text)) (type === 'error' ? process.stderr : process.stdout).write(`${text}\n`);
  };
  const workbench = await openWorkbench(browser, server, { folder, payload, onHostLog });
  const late = new Promise((resolve) => setTimeout(resolve, limitMs, 124).unref());
  code = await Promise.race([workbench.exited, late]);
  if (code === 124) {
    fs.mkdirSync(results, { recursive: true });
    await workbench.page.screenshot({ path: path.join(results, 'suite-timeout.png') });
    console.error(
      `The tests did not end within ${limitMs / 1000} s; see test-results/suite-timeout.png\n${workbench.lines.slice(-40).join('\n')}`,
    );
  }
} catch (error) {
  console.error(error.stack ?? String(error));
} finally {
  await close();
}
process.exit(code);
