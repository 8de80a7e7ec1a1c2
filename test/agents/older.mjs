/**
 * Older programs as targets: `node test/agents/older.mjs [words]` fetches pinned versions of claude and codex into .cache/agents-old, one
 * after another, lets each resume what Loom writes, and go on in a session of its own that Loom put something behind, and prints a table.
 * `oldest` of each launch stands on it. Not a part of the usual run: it needs a network once, and two gigabytes.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages } from '../tools/npm-packages.mjs';
import { acceptable } from './acceptable.mjs';
import { ensureAgents } from './install.mjs';
import { assertOrder, elsewhere, goOn, heardThere } from './returning.mjs';
import { claudeSessionFiles, codexSessionFiles, endAll, filesBelow, run } from './run-agent.mjs';
import { makeWorld } from './world.mjs';
import { assertHeard, conversations, writeSession } from './writing.mjs';

const cache = fileURLToPath(new URL('../../.cache/agents-old', import.meta.url));
const versions = {
  claude: ['2.0.77', '2.1.100', '2.1.332'],
  codex: ['0.39.0', '0.63.0', '0.98.0', '0.125.0', '0.150.0', '0.171.0'],
};
const packages = { claude: '@anthropic-ai/claude-code', codex: '@openai/codex' };
const below = { claude: claudeSessionFiles, codex: codexSessionFiles };
/** Of conversations: 2.0 has its helpers' files beside them, and an empty one for the id that it gave up. */
const sessionsIn = (world, harness) =>
  below[harness](world).filter((file) => !path.basename(file).startsWith('agent-') && fs.statSync(file).size > 0);

/** The program's own file: a script with a shebang, or a native program for this platform. */
function programOf(harness, version, current) {
  if (version === current.pinned) return current[harness];
  const prefix = path.join(cache, `${packages[harness].split('/')[1]}-${version}`);
  if (!fs.existsSync(path.join(prefix, 'node_modules'))) {
    const why = fetchPackages(prefix, [`${packages[harness]}@${version}`]);
    if (why !== undefined) throw new Error(`npm could not fetch ${harness} ${version}: ${why}`);
  }
  const folder = path.join(prefix, 'node_modules', packages[harness].split('/')[0]);
  if (harness === 'claude') return path.join(folder, 'claude-code', 'cli.js');
  const cpu = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  const triple = process.platform === 'linux' ? `${cpu}-unknown-linux-musl` : `${cpu}-apple-darwin`;
  const found = filesBelow(folder).find((file) => file.includes(triple) && /\/codex(?:-x86_64[^/]*|-aarch64[^/]*)?$/.test(file));
  if (!found) throw new Error(`no program in ${folder}`);
  fs.chmodSync(found, 0o755);
  return found;
}

/** One headless turn with the options that every version has. */
async function turnOf(world, harness, prompt, resume) {
  const api = harness === 'claude' ? world.claudeApi : world.codexApi;
  const before = api.requests.length;
  const program = world.agents[harness];
  const argv =
    harness === 'claude'
      ? [
          program,
          '-p',
          prompt,
          '--model',
          'claude-sonnet-4-5-20250929',
          ...(resume ? ['--resume', resume] : []),
          '--allowedTools',
          'Bash',
        ]
      : [program, 'exec', '--skip-git-repo-check', ...(resume ? ['resume', resume] : []), prompt];
  const end = await run(argv, { cwd: world.cwd, env: world.env });
  const wanted = harness === 'claude' ? '/v1/messages' : '/v1/responses';
  // Old versions of claude also warm up their helpers.
  const requests = api.requests
    .slice(before)
    .filter(({ path: at, body }) => at === wanted && JSON.stringify(body.input ?? body.messages).includes(prompt));
  assert.equal(end.status, 0, `${end.stderr.slice(-800)}${end.stdout.slice(-300)}`);
  assert.ok(requests.length > 0, `it asked its model nothing: ${end.stderr.slice(-500)}`);
  return requests;
}

async function resumes(world, harness, conversation) {
  const written = await writeSession(world, harness, conversation.messages);
  const size = fs.statSync(written.path).size;
  const [{ body }] = await turnOf(world, harness, 'Now say where we are', written.nativeId);
  assertHeard(harness, body, conversation, 'Now say where we are');
  assert.equal(sessionsIn(world, harness).length, 1, 'no session beside it');
  assert.ok(fs.statSync(written.path).size > size, 'it went on in the same file');
  const [again] = await turnOf(world, harness, 'Review what the other agent did', written.nativeId);
  assertOrder(again.body, ['Now say where we are', 'Review what the other agent did']);
}

async function returns(world, harness, version) {
  await turnOf(world, harness, 'What does this project do?');
  const [file] = sessionsIn(world, harness);
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(path.basename(file))[0];
  await turnOf(world, harness, 'List the files and show the price', id);
  const made = await goOn(world, harness, id, elsewhere(1), { programVersion: version });
  if (made.refusal !== undefined) return made.refusal;
  const [{ body }] = await turnOf(world, harness, 'Now say where we are', id);
  acceptable[harness](body);
  assertOrder(body, ['It is a small shop', 'the price is 10', 'Since you last drove', ...heardThere(1), 'Now say where we are']);
  const [again] = await turnOf(world, harness, 'Review what the other agent did', id);
  assertOrder(again.body, ['The tax 1 is in.', 'Now say where we are', 'Review what the other agent did']);
  return 'ok';
}

const words = process.argv.slice(2);
const current = ensureAgents(console.log);
if (!current.ok) throw new Error(current.reason);
let failed = 0;
for (const harness of ['claude', 'codex'])
  for (const version of versions[harness].filter((one) => words.length === 0 || words.includes(harness) || words.includes(one))) {
    const program = programOf(harness, version, { ...current, pinned: versions[harness].at(-1) });
    const agents = { ...current, [harness]: program };
    const seen = [];
    const tell = async (name, act) => {
      const world = await makeWorld(agents);
      try {
        seen.push(`${name}: ${(await act(world)) ?? 'ok'}`);
      } catch (error) {
        failed++;
        seen.push(`${name}: FAILED ${error.message.slice(0, 1500)}`);
      } finally {
        await endAll();
        await world.close({ keep: process.env.LOOM_KEEP === '1' });
      }
    };
    for (const conversation of conversations) await tell(conversation.name, (world) => resumes(world, harness, conversation));
    await tell('goes on in its own', (world) => returns(world, harness, version));
    console.log(`${harness} ${version}\n  ${seen.join('\n  ')}`);
  }
process.exitCode = failed > 0 ? 1 : 0;
