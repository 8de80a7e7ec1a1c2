/**
 * VS Code's workbench in a headless browser, with nothing reachable but loopback. Carries what the workbench of a smoke test calls:
 * `codeAutomationLog` for each console line of the extension host, `codeAutomationExit` when a test run in it has ended.
 */
import { format } from 'node:util';

/** Settings that make pictures and clicks steady; a terminal drawn as a canvas has no text to read. */
export const steadySettings = {
  'workbench.reduceMotion': 'on',
  'security.workspace.trust.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'remote.autoForwardPorts': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'window.confirmBeforeClose': 'never',
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.shellIntegration.enabled': false,
  'terminal.integrated.enablePersistentSessions': false,
  'editor.accessibilitySupport': 'off',
  'files.simpleDialog.enable': true,
};

/** Answered by VS Code's own service worker, not by a network. */
const isWebviewResource = (url) => url.hostname.endsWith('.vscode-resource.vscode-cdn.net');
const isLoopback = (url) => /^(127\.0\.0\.1|localhost)$/.test(url.hostname);

/** A path of this machine as the workbench names it. */
export const remoteUri = (server, file) => `vscode-remote://${server.host}${file}`;

/**
 * Opens `folder` in a new page. `payload`: `[['extensionDevelopmentPath', uri], ['extensionTestsPath', uri]]` (heeded only by a server
 * with the option enable-smoke-test-driver). Returns `{page, context, lines, refused, exited}`: console lines, requests that
 * would have left this machine, and a promise of the test run's exit code.
 */
export async function openWorkbench(
  browser,
  server,
  { folder, payload = [], viewport = { width: 1400, height: 900 }, onHostLog = () => undefined },
) {
  const context = await browser.newContext({ viewport });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const page = await context.newPage();
  const lines = [];
  const refused = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`pageerror: ${error.message}`));
  await context.route(
    (url) => url.protocol.startsWith('http') && !isLoopback(url) && !isWebviewResource(url),
    (route) => {
      refused.push(route.request().url());
      return route.abort();
    },
  );
  let exit;
  const exited = new Promise((resolve) => (exit = resolve));
  await context.exposeFunction('codeAutomationExit', (code) => exit(code));
  await context.exposeFunction('codeAutomationLog', (type, args) => {
    const text = format(...args);
    lines.push(`[host ${type}] ${text}`);
    onHostLog(type, text);
  });
  const url = new URL(`${server.url}/`);
  url.searchParams.set('folder', folder);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  await page.goto(url.href, { waitUntil: 'domcontentloaded' });
  return { page, context, lines, refused, exited };
}
