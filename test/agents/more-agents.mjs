/**
 * The agents of the matrix beside claude and codex: fetched at their pinned versions into a cache folder each (install scripts do not run),
 * and put into a world with a loopback model of their own.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages } from '../tools/npm-packages.mjs';
import { agent as claude } from './claude-agent.mjs';
import { agent as codex } from './codex-agent.mjs';
import { agent as gemini } from './gemini-agent.mjs';
import { agent as openclaw } from './openclaw-agent.mjs';
import { agent as pi } from './pi-agent.mjs';

/** In the order of pickers. Antigravity's programs cannot be had here: it is a source only. */
export const agents = { claude, codex, pi, gemini, openclaw };

/** The version that a package specification names. */
export const versionOf = (agent) => agent.version ?? agent.packages[0].split('@').at(-1);

/** @returns {{ ok: true, argv: string[] } | { ok: false, reason: string }} how its program is started */
export function ensureAgent(agent, log = () => {}) {
  const cache = fileURLToPath(new URL(`../../.cache/agents-${agent.harness}`, import.meta.url));
  const stamp = path.join(cache, 'installed.json');
  const wanted = JSON.stringify(agent.packages);
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
    log(`installing ${agent.packages.join(' ')} into .cache/agents-${agent.harness}`);
    const why = fetchPackages(cache, agent.packages, { node: process.execPath });
    if (why !== undefined) return { ok: false, reason: `npm could not fetch ${agent.packages.join(' ')}: ${why}` };
    fs.writeFileSync(stamp, wanted);
  }
  return { ok: true, argv: agent.argv?.(cache) ?? [agent.program(cache)] };
}

/** Configures a fetched agent in a world; its model ends with the world. */
export async function settle(world, agent, argv) {
  const model = await agent.startModel(world.cwd);
  const added = await agent.configure({ home: world.home, cwd: world.cwd, url: model.url });
  Object.assign(world.env, added);
  world.agents = { ...world.agents, [agent.harness]: argv };
  world.models = { ...world.models, [agent.harness]: model };
  world.ends.push(() => model.close());
}
