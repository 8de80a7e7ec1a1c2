/**
 * Gets the real agent programs for the agent runs: pinned versions from the npm registry into .cache/agents, never a
 * dependency of Loom. Idempotent: with both programs present nothing is fetched, so later runs work offline.
 * Install scripts do not run; the programs are the native binaries of the platform packages, linked as bin/claude and
 * bin/codex so that a PATH with that one folder has both and nothing else.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages } from '../tools/npm-packages.mjs';

export const pinned = { claude: '2.1.332', codex: '0.171.0' };
const cache = fileURLToPath(new URL('../../.cache/agents', import.meta.url));

/** Platform package and the program's path in it; undefined where the vendors ship none or the rig cannot run it. */
function programs() {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  if (process.arch !== 'x64' && process.arch !== 'arm64') return undefined;
  const target = `${process.platform}-${process.arch}`;
  const glibc = process.platform !== 'linux' || Boolean(process.report?.getReport()?.header?.glibcVersionRuntime);
  const cpu = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  const triple = process.platform === 'linux' ? `${cpu}-unknown-linux-musl` : `${cpu}-apple-darwin`;
  return {
    claude: `node_modules/@anthropic-ai/claude-code-${target}${glibc ? '' : '-musl'}/claude`,
    codex: `node_modules/@openai/codex-${target}/vendor/${triple}/bin/codex`,
  };
}

/** The version that a program says it has, or undefined when it does not run. */
function versionOf(file) {
  const home = fs.mkdtempSync(path.join(cache, 'probe-'));
  try {
    const run = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 60_000, env: { HOME: home, PATH: '/usr/bin:/bin' } });
    return run.status === 0 ? /\d+\.\d+\.\d+/.exec(run.stdout)?.[0] : undefined;
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function linked(file, name) {
  const link = path.join(cache, 'bin', name);
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync(file, link);
  return link;
}

/** @returns {{ ok: true, bin: string, claude: string, codex: string } | { ok: false, reason: string }} */
export function ensureAgents(log = () => {}) {
  const wanted = programs();
  if (!wanted) return { ok: false, reason: `the agents' programs are not run on ${process.platform}-${process.arch}` };
  fs.mkdirSync(cache, { recursive: true });
  const files = { claude: path.join(cache, wanted.claude), codex: path.join(cache, wanted.codex) };
  const stamp = path.join(cache, 'installed.json');
  const wantedStamp = JSON.stringify({ ...pinned, ...wanted });
  const present =
    fs.existsSync(stamp) &&
    fs.readFileSync(stamp, 'utf8') === wantedStamp &&
    Object.values(files).every((file) => fs.existsSync(file));
  if (!present) {
    log(`installing claude ${pinned.claude} and codex ${pinned.codex} into .cache/agents (about 800 MB)`);
    const why = fetchPackages(cache, [`@anthropic-ai/claude-code@${pinned.claude}`, `@openai/codex@${pinned.codex}`]);
    if (why !== undefined) return { ok: false, reason: `npm could not fetch the agents: ${why}` };
    for (const [name, file] of Object.entries(files)) {
      if (!fs.existsSync(file)) return { ok: false, reason: `${name}: no program for this platform in the package` };
      fs.chmodSync(file, 0o755);
      const version = versionOf(file);
      if (version !== pinned[name])
        return { ok: false, reason: `${name} says version ${version ?? 'nothing'}, wanted ${pinned[name]}` };
    }
    fs.writeFileSync(stamp, wantedStamp);
  }
  return { ok: true, bin: path.join(cache, 'bin'), claude: linked(files.claude, 'claude'), codex: linked(files.codex, 'codex') };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const agents = ensureAgents((line) => console.error(line));
  console.log(JSON.stringify(agents, null, 2));
  if (!agents.ok) process.exitCode = 1;
}
