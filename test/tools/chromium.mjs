/**
 * A browser for the editor tests: $CHROMIUM, else on Linux x64 the Chromium that an npm package holds (no root, no apt), else an
 * installed Chrome, Chromium or Edge. What the packaged one lacks on a bare machine (libnss3, fonts) comes with it too.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { installed, npmIn } from './installed.mjs';

const version = '153.0.0';
const installedElsewhere = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/microsoft-edge',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/** The package unpacks into TMPDIR and takes what lies there for its own: it runs in a process whose TMPDIR is the draft. */
const unpack = `
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  await chromium.executablePath();
  await inflate('node_modules/@sparticuz/chromium/bin/al2023.tar.br');
`;

async function packaged(node) {
  const folder = await installed(`chromium-${version}`, async (draft) => {
    await npmIn(draft, ['install', `@sparticuz/chromium@${version}`]);
    execFileSync(node, ['--input-type=module', '-e', unpack], {
      cwd: draft,
      env: { ...process.env, TMPDIR: draft },
      timeout: 120_000,
    });
  });
  const executablePath = path.join(folder, 'chromium');
  const env = {};
  if (lacksLibraries(executablePath)) env.LD_LIBRARY_PATH = path.join(folder, 'al2023', 'lib');
  if (!fs.existsSync('/etc/fonts/fonts.conf')) env.FONTCONFIG_PATH = path.join(folder, 'fonts');
  return { executablePath, env };
}

function lacksLibraries(file) {
  try {
    return execFileSync('ldd', [file], { encoding: 'utf8', timeout: 10_000 }).includes('not found');
  } catch {
    return true; // no ldd to ask: the libraries that came along do no harm
  }
}

/** `{executablePath, env}`, or null where no browser can be had. */
export async function findChromium(node) {
  if (process.env.CHROMIUM !== undefined) return { executablePath: process.env.CHROMIUM, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return packaged(node);
  const executablePath = (installedElsewhere[process.platform] ?? []).find((file) => fs.existsSync(file));
  return executablePath === undefined ? null : { executablePath, env: {} };
}

/** Starts it headless. It opens only loopback pages that we serve ourselves; as root it cannot have its own sandbox. */
export async function launchChromium({ executablePath, env }) {
  const { chromium } = await import('playwright-core');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath, headless: true, args, env: { ...process.env, ...env } });
}
