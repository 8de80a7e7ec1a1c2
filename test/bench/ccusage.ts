/**
 * Gets a program of the field that answers "which session used how many tokens" from the same files: a pinned version from the npm registry
 * into .cache/ccusage, never a dependency of Loom. With the program present nothing is fetched. Install scripts do not run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fetchPackages } from '../tools/npm-packages.mjs';

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
    const why = fetchPackages(cache, [`ccusage@${pinned}`], { minutes: 5 });
    if (why !== undefined) return { ok: false, reason: `npm could not fetch ccusage: ${why}` };
    fs.writeFileSync(stamp, pinned);
  }
  const name = process.platform === 'win32' ? 'ccusage.exe' : 'ccusage';
  const program = [path.join(platform, 'bin', name), path.join(platform, name)].find((file) => fs.existsSync(file));
  if (program === undefined)
    return { ok: false, reason: `ccusage ${pinned} has no program for ${process.platform}-${process.arch}` };
  fs.chmodSync(program, 0o755);
  return { ok: true, program, version: pinned };
}
