/**
 * `npm run package [-- --target=linux-x64|…|universal]`: builds for production and packs `loom-threads-TARGET.vsix`. Everything is
 * bundled: the package holds no node_modules. Without a target: for this machine.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { isStale } from './build-if-stale.mjs';
import { root } from './places.mjs';

/** vsce's name for this machine; a musl system is told from a glibc one by what Node reports about its own process. */
export function hostTarget() {
  const musl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${musl ? 'alpine' : process.platform}-${process.arch}`;
}

/** The file that `package` makes for a target. */
export const vsixFor = (target = hostTarget()) => path.join(root, `loom-threads-${target}.vsix`);

/** Runs a step in the checkout and returns its words. Throws with them when it fails. */
function step(node, args) {
  const env = { ...process.env, VSCE_STORE: 'file' };
  const done = spawnSync(node, args, { cwd: root, encoding: 'utf8', timeout: 300_000, env });
  const words = `${done.stdout ?? ''}${done.stderr ?? ''}`;
  if (done.status !== 0) throw new Error(`${words}${args.join(' ')} failed (${done.error?.message ?? done.status})`);
  return words;
}

/** Returns the path of the packed file; `tell` hears what the packer says. */
export function packVsix(node, target = hostTarget(), tell = () => undefined) {
  const out = vsixFor(target);
  fs.rmSync(out, { force: true });
  tell(step(node, ['esbuild.mjs', '--production', `--target=${target}`]));
  const forTarget = target === 'universal' ? [] : ['--target', target];
  const vsce = [
    'node_modules/@vscode/vsce/vsce',
    'package',
    '--no-dependencies',
    '--no-update-package-json',
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
    '--skip-license',
  ];
  tell(step(node, [...vsce, ...forTarget, '--out', out]));
  return out;
}

/** The package for this machine, packed anew when a source is newer than it. */
export function packVsixIfStale(node) {
  const vsix = vsixFor();
  return isStale(root, vsix) ? packVsix(node) : vsix;
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const node = await bootstrap(fileURLToPath(import.meta.url));
  const target = process.argv.find((a) => a.startsWith('--target='))?.slice('--target='.length);
  try {
    const vsix = packVsix(node, target, console.error);
    console.log(`${vsix} (${(fs.statSync(vsix).size / 1e6).toFixed(2)} MB)`);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
