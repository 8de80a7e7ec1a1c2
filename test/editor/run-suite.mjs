/**
 * Runs ./suite in the extension host of a real VS Code through @vscode/test-electron, on this checkout as the extension under development
 * and a throw-away home with sample sessions. Elsewhere than on Linux, test-electron fetches the desktop VS Code; on Linux
 * (or with VSCODE_SHIM=1) a stand-in for it runs the same tests in code-server. Ends with a summary line.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../tools/bootstrap.mjs';
import { findChromium } from '../tools/chromium.mjs';
import { makeDemoHome } from '../tools/demo-home.mjs';
import { cache, root } from '../tools/places.mjs';
import { writeSummary } from '../tools/summary.mjs';

const node = await bootstrap(fileURLToPath(import.meta.url));
const { build } = await import('esbuild');
const { runTests } = await import('@vscode/test-electron');

const suite = path.join(cache, 'editor-suite', 'index.cjs');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-suite-'));
const report = path.join(dir, 'report.json');
const standIn = process.platform === 'linux' || process.env.VSCODE_SHIM === '1';
let code = 1;
try {
  if (standIn && (await findChromium(node)) === null) {
    console.log(
      `skipped: no browser for ${process.platform} ${process.arch}; set CHROMIUM to one\n${writeSummary({ passed: 0, failed: 0, skipped: 1 })}`,
    );
    code = 0;
  } else {
    await build({
      entryPoints: [path.join(root, 'test/editor/suite/index.ts')],
      outfile: suite,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node22',
      external: ['vscode', 'mocha'],
      logLevel: 'warning',
    });
    code = await runHost();
  }
} finally {
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(code);

async function runHost() {
  const home = path.join(dir, 'home');
  fs.mkdirSync(home);
  const demo = makeDemoHome(home);
  let failure = null;
  try {
    await runTests({
      ...(standIn ? { vscodeExecutablePath: wrapper() } : {}),
      extensionDevelopmentPath: root,
      extensionTestsPath: suite,
      launchArgs: [demo.folder, '--disable-extensions'],
      extensionTestsEnv: { ...demo.env, LOOM_TEST_RESULT: report },
    });
  } catch (error) {
    failure = error;
  }
  if (!fs.existsSync(report)) {
    console.log(
      `The suite did not come to its end: ${failure?.message ?? 'no report'}\n${writeSummary({ passed: 0, failed: 1, skipped: 0 })}`,
    );
    return 1;
  }
  const counted = JSON.parse(fs.readFileSync(report, 'utf8'));
  console.log(writeSummary(counted));
  return failure === null && counted.failed === 0 ? 0 : 1;
}

/** test-electron starts a program, not a script. */
function wrapper() {
  const file = path.join(dir, 'code');
  const shim = path.join(root, 'test/tools/vscode-shim.mjs');
  fs.writeFileSync(file, `#!/bin/sh\nexec "${node}" "${shim}" "$@"\n`, { mode: 0o755 });
  return file;
}
