/**
 * npm packages that only the tools need, each set in a folder of its own below .cache: there complete or not at all. An install is
 * made beside its place and renamed, so that neither an interrupt nor a second tool at work leaves a half. Runs on Node 18.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { npmCommand } from './ensure-deps.mjs';
import { cache } from './places.mjs';
import { run } from './processes.mjs';

/** `npm ARGS` in `folder`, bounded. Throws with npm's own words. */
export async function npmIn(folder, args) {
  const npm = npmCommand([...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  const done = await run(npm.command, npm.args, { cwd: folder, shell: npm.shell, timeoutMs: 600_000 });
  if (done.code !== 0) throw new Error(`npm ${args.join(' ')} failed with exit ${done.code}:\n${done.output.slice(-4000)}`);
}

/** The folder `.cache/NAME`, made by `fill(folder)` when absent. The name should hold the version. */
export async function installed(name, fill) {
  const place = path.join(cache, name);
  if (fs.existsSync(place)) return place;
  const draft = path.join(cache, `${name}.${process.pid}.part`);
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { recursive: true });
  fs.writeFileSync(path.join(draft, 'package.json'), '{"private":true}\n');
  try {
    await fill(draft);
    fs.renameSync(draft, place);
  } catch (error) {
    // Another tool was first: its copy is as good.
    if (!fs.existsSync(place)) throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return place;
}
