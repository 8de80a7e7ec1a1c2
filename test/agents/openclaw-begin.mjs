/**
 * What Loom begins in OpenClaw against the real program, alone: a baton's file and a first prompt that names it, as `loom continue` makes
 * them. The model reads the file and hears the baton: headless, with file tools that are kept to the workspace, and in the terminal UI by
 * the very command, through a gateway. The session has a key of its own and is read by Loom's reader as begun by that prompt; it is
 * resumed by its id. An index of sessions as older versions had it keeps the gateway of a home in use from starting: why Loom writes none.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beginPrompt } from '../../server/drive/begin-prompt.ts';
import { tokenOf } from '../../server/ledger/expected-mark.ts';
import { openclawLaunch } from '../../shuttles/openclaw/launch.ts';
import { agent } from './openclaw-agent.mjs';
import { endAll, start, until } from './run-agent.mjs';
import { scenarios } from './scenarios.mjs';
import { startTerminal } from './terminal.mjs';

const cache = fileURLToPath(new URL('../../.cache/agents-openclaw', import.meta.url));
const baton = '# Handoff\n\nThe person said: never touch price.js.\nThe check failed with exit code 3.\nNext: add a discount.\n';

async function makeWorld() {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lo-')));
  const [home, cwd, reads] = ['h', 'h/shop', 'ledger/batons'].map((name) => path.join(root, name));
  for (const folder of [cwd, reads, path.join(root, 't')]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(cwd, 'price.js'), 'export const price = 10;\n');
  const model = await agent.startModel(cwd);
  const added = await agent.configure({ home, cwd, url: model.url });
  const env = {
    HOME: home,
    PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    TMPDIR: path.join(root, 't'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    ...added,
  };
  const file = path.join(reads, 'thread-1.md');
  fs.writeFileSync(file, baton, { mode: 0o600 });
  const prompt = beginPrompt(tokenOf(Buffer.from('0123456789ab')), file);
  const close = async () => {
    await model.close();
    if (process.env.LOOM_KEEP === '1') console.log(`      kept: ${root}`);
    else fs.rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return {
    root,
    home,
    cwd,
    reads,
    file,
    prompt,
    env,
    agents: { openclaw: agent.argv(cache) },
    models: { openclaw: model },
    close,
  };
}

/** The model does as the prompt says: with the file tool, or with a command where the file tool may not. */
function answering(file, { byCommand = false } = {}) {
  const look = byCommand ? [[{ read: file }], [{ run: `cat '${file}'` }]] : [[{ read: file }]];
  scenarios.unshift({ prompt: 'Read this file first', steps: [...look, [{ say: 'The check failed; a discount comes next.' }]] });
  return () => scenarios.shift();
}

function configured(world, change) {
  const file = path.join(world.home, '.openclaw', 'openclaw.json');
  const config = JSON.parse(fs.readFileSync(file, 'utf8'));
  change(config);
  fs.writeFileSync(file, JSON.stringify(config));
}

function assertHeard(world, requests) {
  const heard = agent.heard(requests.at(-1).body);
  assert.equal(heard[0].user, world.prompt.trim(), 'the prompt comes first, as it is');
  const results = heard.filter((item) => item.result !== undefined);
  assert.ok(results.at(-1).text.includes(baton.trim()), `the model hears the baton: ${JSON.stringify(heard).slice(0, 1500)}`);
  return heard;
}

function keysIn(world) {
  const [file] = agent.sessionFiles(world);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('SELECT session_key AS key, current_session_id AS id FROM session_nodes').all();
  } finally {
    database.close();
  }
}

async function withGateway(world, body) {
  const gateway = start([...world.agents.openclaw, 'gateway', 'run'], { cwd: world.cwd, env: world.env });
  try {
    await until(
      () => /\[gateway\] ready/.test(gateway.stdout()),
      () => `the gateway: ${gateway.stdout().slice(-800)}`,
      240_000,
    );
    await body();
  } finally {
    gateway.kill('SIGTERM');
    await gateway.ended;
  }
}

/** A command of Loom's with the program of the cache. */
function opened(world, { argv, cwd, env }) {
  assert.equal(argv[0], 'openclaw');
  return startTerminal([...world.agents.openclaw, ...argv.slice(1)], { cwd, env: { ...world.env, ...env } });
}

async function shows(terminal, words) {
  const unspaced = (text) => text.replace(/\s+/g, '');
  await until(
    () => unspaced(terminal.text()).includes(unspaced(words)),
    () => `the terminal to show "${words}": ${terminal.text().slice(-1500)}`,
    240_000,
  );
}

async function closed(terminal) {
  terminal.kill('SIGTERM');
  await terminal.ended;
}

const checks = [
  {
    name: 'a headless turn reads the baton, and goes on by the session’s id',
    body: async (world) => {
      const done = answering(world.file);
      const turn = await agent.run(world, world.prompt);
      done();
      assert.equal(turn.status, 0, turn.stderr);
      const heard = assertHeard(world, turn.requests);
      const next = await agent.run(world, 'Now say where we are', { resume: turn.sessionId });
      assert.equal(next.status, 0, next.stderr);
      assert.equal(next.sessionId, turn.sessionId);
      const later = agent.heard(next.requests[0].body);
      assert.deepEqual(later.slice(0, heard.length), heard, 'what was heard is heard again');
      assert.equal(later.at(-1).user, 'Now say where we are');
    },
  },
  {
    name: 'file tools that are kept to the workspace refuse the baton, and a command reads it',
    body: async (world) => {
      configured(world, (config) => (config.tools = { fs: { workspaceOnly: true } }));
      const done = answering(world.file, { byCommand: true });
      const turn = await agent.run(world, world.prompt);
      done();
      assert.equal(turn.status, 0, turn.stderr);
      const results = assertHeard(world, turn.requests).filter((item) => item.result !== undefined);
      assert.match(results[0].text, /escapes sandbox root/);
    },
  },
  {
    name: 'the command of the hand-over begins a session of its own in the terminal UI; it is resumed by its id',
    body: async (world) => {
      const done = answering(world.file);
      const command = openclawLaunch.begin({ prompt: world.prompt, cwd: world.cwd, reads: world.reads });
      const asked = () =>
        world.models.openclaw.requests.filter((one) => one.path === '/v1/messages' && one.body.tools?.length > 0);
      await withGateway(world, async () => {
        const terminal = opened(world, command);
        await shows(terminal, 'a discount comes next');
        await closed(terminal);
        assertHeard(world, asked());
        const sessions = keysIn(world);
        assert.deepEqual(
          sessions.map((row) => row.key),
          [`agent:main:${command.argv[3]}`],
          'no main session and no chat',
        );
        const again = opened(world, openclawLaunch.resume(sessions[0].id, world.cwd));
        await shows(again, 'a discount comes next');
        await closed(again);
      });
      done();
    },
  },
  {
    name: 'an index of sessions as older versions had it keeps the gateway of a home that is in use from starting',
    body: async (world) => {
      // A gateway that starts for the first time takes such an index in.
      await withGateway(world, () => Promise.resolve());
      const folder = path.join(world.home, '.openclaw', 'agents', 'main', 'sessions');
      fs.mkdirSync(folder, { recursive: true });
      const id = '01a2ee00-0000-7000-8000-0000000000bb';
      fs.writeFileSync(
        path.join(folder, `${id}.jsonl`),
        `${JSON.stringify({ type: 'session', version: 3, id, cwd: world.cwd })}\n`,
      );
      fs.writeFileSync(
        path.join(folder, 'sessions.json'),
        JSON.stringify({ 'agent:main:loom-1': { sessionId: id, updatedAt: 1 } }),
      );
      const gateway = start([...world.agents.openclaw, 'gateway', 'run'], { cwd: world.cwd, env: world.env });
      const said = () => gateway.stdout() + gateway.stderr();
      await until(
        () => /Legacy session store requires migration|\[gateway\] ready/.test(said()),
        () => `an end of the start: ${said().slice(-800)}`,
        240_000,
      );
      assert.match(said(), /Legacy session store requires migration/);
      assert.notEqual((await gateway.ended).status, 0);
    },
  },
];

export async function main(words = process.argv.slice(2)) {
  const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
  let failed = 0;
  const chosen = checks.filter(({ name }) => only === undefined || name.includes(only));
  for (const { name, body } of chosen) {
    const world = await makeWorld();
    const begun = Date.now();
    try {
      await body(world);
      console.log(`ok    openclaw: ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAIL  openclaw: ${name}\n${String(error.stack).slice(0, 5000)}`);
    } finally {
      await endAll();
      await world.close();
    }
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
