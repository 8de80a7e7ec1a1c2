/**
 * The runner's few words: `check` registers a named check, `runChecks` runs them one after another, each with a time
 * limit, and prints a line for each and the totals last. A check that throws `Skip` counts as skipped, with its reason.
 */
import { endAll } from './run-agent.mjs';
import { converse, plantSecrets } from './sessions.mjs';
import { makeWorld } from './world.mjs';

const registered = [];

export function check(name, body, { timeoutMs = 240_000 } = {}) {
  registered.push({ name, body, timeoutMs });
}

export class Skip extends Error {}

/**
 * Each check is given `{ agents, makeWorld, begun }`; its worlds and processes end with it, however it ends. With LOOM_KEEP=1 in
 * the environment the worlds' folders stay, to be looked at.
 * @param {(name: string) => boolean} chosen
 */
export async function runChecks(agents, chosen) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, body, timeoutMs } of registered.filter((one) => chosen(one.name))) {
    const startedAt = Date.now();
    const took = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
    let timer;
    const worlds = [];
    const fresh = async (options) => {
      const world = await makeWorld(agents, options);
      worlds.push(world);
      return world;
    };
    const context = { agents, makeWorld: fresh, begun: (...wanted) => begun(agents, ...wanted) };
    const limit = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${timeoutMs / 1000} s`)), timeoutMs);
    });
    try {
      await Promise.race([body(context), limit]);
      count.passed++;
      console.log(`ok    ${name} (${took()})`);
    } catch (error) {
      if (error instanceof Skip) {
        count.skipped++;
        console.log(`skip  ${name}: ${error.message}`);
      } else {
        count.failed++;
        console.log(`FAIL  ${name} (${took()})\n${indented(error)}`);
      }
    } finally {
      clearTimeout(timer);
      await endAll();
      for (const world of worlds) await world.close({ keep: process.env.LOOM_KEEP === '1' });
    }
  }
  for (const made of templates.values()) await made.world.close({ keep: process.env.LOOM_KEEP === '1' });
  templates.clear();
  return count;
}

const templates = new Map();

/** A world with a session of these turns in it. Made once for a run and brought back for every check that wants the same. */
async function begun(agents, harness, texts, { extra } = {}) {
  const key = JSON.stringify([harness, texts, extra]);
  const made = templates.get(key);
  if (made) {
    made.world.restore();
    return made;
  }
  const world = await makeWorld(agents);
  try {
    plantSecrets(world);
    const session = await converse(world, harness, texts, { extra });
    world.save();
    templates.set(key, { world, session });
    return { world, session };
  } catch (error) {
    await world.close();
    throw error;
  }
}

export function chosenCount(chosen) {
  return registered.filter((one) => chosen(one.name)).length;
}

function indented(error) {
  const text =
    error instanceof Error
      ? `${error.message}\n${(error.stack ?? '')
          .split('\n')
          .filter((line) => /test\/agents/.test(line))
          .slice(0, 4)
          .join('\n')}`
      : String(error);
  return text
    .slice(0, 6000)
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n');
}

export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}
