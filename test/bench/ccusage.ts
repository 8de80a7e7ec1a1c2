/**
 * Gets a program of the field that answers "which session used how many tokens" from the same files: a pinned version from the npm registry
 * into .cache/ccusage, never a dependency of Loom. With the program present nothing is fetched. Install scripts do not run.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const pinned = '20.0.24';
const cache = path.join(import.meta.dirname, '../../.cache/ccusage');

export type Installed =
  { readonly ok: true; readonly program: string; readonly version: string } | { readonly ok: false; readonly reason: string };

export function ensureCcusage(say: (text: string) => void): Installed {
  // The package is a launcher for a program of the platform, which alone is measured.
  const platform = path.join(cache, 'node_modules/@ccusage', `ccusage-${process.platform}-${process.arch}`);
  const stamp = path.join(cache, 'installed');
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== pinned) {
    say(`installing ccusage ${pinned} into .cache/ccusage`);
    fs.mkdirSync(cache, { recursive: true });
    fs.writeFileSync(path.join(cache, 'package.json'), JSON.stringify({ private: true }));
    const args = ['install', '--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund', `ccusage@${pinned}`];
    const npm = spawnSync('npm', args, {
      encoding: 'utf8',
      cwd: cache,
      timeout: 5 * 60_000,
      shell: process.platform === 'win32',
    });
    if (npm.status !== 0) {
      const why = npm.stderr?.trim().split('\n').at(-1) ?? npm.error?.message;
      return { ok: false, reason: `npm could not fetch ccusage: ${why ?? 'no reason given'}` };
    }
    fs.writeFileSync(stamp, pinned);
  }
  const name = process.platform === 'win32' ? 'ccusage.exe' : 'ccusage';
  const program = [path.join(platform, 'bin', name), path.join(platform, name)].find((file) => fs.existsSync(file));
  if (program === undefined)
    return { ok: false, reason: `ccusage ${pinned} has no program for ${process.platform}-${process.arch}` };
  fs.chmodSync(program, 0o755);
  return { ok: true, program, version: pinned };
}
