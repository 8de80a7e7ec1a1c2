/**
 * Every ordered pair of harnesses whose target takes native sessions: a session that the source's real program made (Antigravity's is
 * written as its programs do) is continued by `loom continue`, the target's real program resumes it, and its model hears the baton and
 * everything that was said and done, in order, each thing once, without secrets. What was seen is compared with `shuttles/verified.json`,
 * which the extension shows; with LOOM_WRITE_VERIFIED=1 the file is written anew.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conversation, writeAntigravity } from './antigravity-source.mjs';
import { assertCarried, assertNoSecrets, assertPairs, squeezed } from './carried.mjs';
import { check, Skip } from './check.mjs';
import { heardFromLoom } from './heard.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { agents, ensureAgent, settle, versionOf } from './more-agents.mjs';
import { plantSecrets, secretPrompt } from './sessions.mjs';

const file = fileURLToPath(new URL('../../shuttles/verified.json', import.meta.url));
const sources = ['claude', 'codex', 'pi', 'antigravity', 'gemini', 'openclaw'];
const natives = ['claude', 'codex', 'pi', 'gemini'];
const turns = [
  'What does this project do?',
  'Run the check script',
  'Write the cart module. Never touch price.js.',
  secretPrompt,
];
const question = 'Now say where we are';
/** By target, the sources that were seen to arrive. */
const seen = new Map();

async function prepared(makeWorld, harnesses) {
  const world = await makeWorld();
  for (const harness of new Set(harnesses)) {
    const agent = agents[harness];
    if (agent === undefined || agent.packages.length === 0) continue;
    const ready = ensureAgent(agent, (line) => console.log(line));
    if (!ready.ok) throw new Skip(ready.reason);
    await settle(world, agent, ready.argv);
  }
  return world;
}

/** The native id of a session of the source. */
async function sessionOf(world, source) {
  if (source === 'antigravity') {
    writeAntigravity(world);
    return conversation;
  }
  const agent = agents[source];
  let sessionId;
  // OpenClaw keeps no secret that it knows: there is nothing of it to mask.
  for (const prompt of source === 'openclaw' ? turns.filter((one) => one !== secretPrompt) : turns) {
    const turn = await agent.run(world, prompt, { resume: sessionId });
    assert.equal(turn.status, 0, `${source} failed at "${prompt}": ${turn.stderr.slice(-1500)}${turn.stdout.slice(-500)}`);
    sessionId = turn.sessionId;
  }
  return sessionId;
}

for (const source of sources)
  check(
    `matrix: from ${source}`,
    async ({ makeWorld }) => {
      const world = await prepared(makeWorld, [source, ...natives]);
      plantSecrets(world);
      const nativeId = await sessionOf(world, source);
      const thread = await ingestAndFind(world, nativeId);
      assert.equal(thread.harness, source);
      const carried = heardFromLoom(await loomJson(world, 'context', thread.id)).filter((item) => item.thinking === undefined);
      assert.ok(
        carried.some((item) => item.assistant?.includes('exit code 3')),
        `the session has what was said: ${JSON.stringify(carried).slice(0, 1500)}`,
      );
      world.save();
      const failures = [];
      for (const target of natives.filter((one) => one !== source)) {
        world.restore();
        try {
          await carry(world, thread.id, target, carried);
          seen.set(target, [...(seen.get(target) ?? []), source]);
          console.log(`      ${source} to ${target} ${versionOf(agents[target])}: everything was heard`);
        } catch (error) {
          failures.push(`to ${target}: ${error.stack ?? error}`);
        }
      }
      assert.deepEqual(failures, [], failures.join('\n\n').slice(0, 5000));
    },
    { timeoutMs: 1_500_000 },
  );

async function carry(world, thread, target, carried) {
  const agent = agents[target];
  const result = await loomJson(world, 'continue', thread, '--in', target, '--native');
  assert.equal(result.mode, 'native');
  assertNoSecrets(fs.readFileSync(result.path, 'utf8'), 'the new session');
  const turn = await agent.run(world, question, { resume: result.nativeId, path: result.path });
  assert.equal(turn.status, 0, `${target} did not go on: ${turn.stderr.slice(-1500)}${turn.stdout.slice(-500)}`);
  assert.ok(turn.requests.length > 0, `${target} asked its model nothing: ${turn.stderr.slice(-1500)}${turn.stdout.slice(-500)}`);
  const { body } = turn.requests[0];
  assertNoSecrets(body, 'the request');
  const heard = agent.heard(body);
  const baton = squeezed(result.baton).slice(0, 400);
  const batonAt = heard.findIndex((item) => item.user && squeezed(item.user).includes(baton));
  assert.equal(batonAt, 0, `the baton comes first: ${JSON.stringify(heard.slice(0, 2)).slice(0, 1500)}`);
  assert.equal(heard.filter((item) => item.user && squeezed(item.user).includes(baton)).length, 1, 'the baton comes once');
  assertCarried(heard, [...carried, { user: question }], batonAt);
  assertPairs(heard);
  const after = await ingestAndFind(world, result.nativeId);
  assert.equal(after.id, thread, 'it is still the same thread');
  assert.equal(after.harness, target);
}

check('matrix: what was seen is what the extension says', async () => {
  const runs = [...seen]
    .map(([to, from]) => ({ to, version: versionOf(agents[to]), from: sources.filter((one) => from.includes(one)) }))
    .toSorted((a, b) => natives.indexOf(a.to) - natives.indexOf(b.to));
  if (seen.size === 0) throw new Skip('no pair was run');
  const text = `${JSON.stringify({ runs }, null, 2)}\n`;
  if (process.env.LOOM_WRITE_VERIFIED === '1') fs.writeFileSync(file, text);
  const said = JSON.parse(fs.readFileSync(file, 'utf8'));
  assert.deepEqual(
    said.runs,
    runs,
    'shuttles/verified.json says something else: run with LOOM_WRITE_VERIFIED=1 and look at the change',
  );
});
