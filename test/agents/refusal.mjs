/**
 * When a hand-over must not happen: the source is being driven by a real process, or the target is not there. Nothing is
 * written then, and what is said names the process. Traces that a dead process left do not count.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { ingestAndFind, loom, loomJson } from './loom-program.mjs';
import { claudeArgv, claudeSessionFiles, codexArgv, codexSessionFiles, filesBelow, start, until } from './run-agent.mjs';
import { converse, fullTurns } from './sessions.mjs';
import { startTerminal } from './terminal.mjs';

const slow = 'Think for a long time';
const targets = { claude: 'codex', codex: 'claude' };
const written = { claude: codexSessionFiles, codex: claudeSessionFiles };

/** A real process in the middle of a turn of `sessionId`. */
async function hold(world, harness, sessionId) {
  const api = harness === 'claude' ? world.claudeApi : world.codexApi;
  const argv = (harness === 'claude' ? claudeArgv : codexArgv)(world, slow, { resume: sessionId });
  const child = start(argv, world);
  child.process.stdin.end();
  await until(
    () => api.requests.some((request) => JSON.stringify(request.body ?? '').includes(slow)),
    'the held turn to begin',
    30_000,
  );
  return child;
}

/** Asserts that `continue` is refused with this fault, writes nothing, and leaves the thread where it was. */
async function assertRefused(world, { thread, to, fault, names, env }) {
  const sessions = [...claudeSessionFiles(world), ...codexSessionFiles(world)];
  const end = await loom(world, ['continue', thread, '--in', to, '--json'], { env });
  assert.equal(end.status, 1, `refused: ${end.stdout}${end.stderr}`);
  const said = end.stdout + end.stderr;
  assert.ok(said.includes(fault), `says ${fault}: ${said}`);
  for (const name of names) assert.ok(said.includes(String(name)), `names ${name}: ${said}`);
  assert.deepEqual([...claudeSessionFiles(world), ...codexSessionFiles(world)], sessions, 'no session file was written');
  const shown = await loomJson(world, 'show', thread, '--limit', '500');
  assert.ok(!shown.entries.some((entry) => entry.kind === 'handoff'));
}

for (const [harness, to] of Object.entries(targets)) {
  check(`refusal: ${harness} is in the middle of a turn`, async ({ begun }) => {
    const { world, session } = await begun(harness, fullTurns);
    const { sessionId } = session;
    const { id } = await ingestAndFind(world, sessionId);
    const child = await hold(world, harness, sessionId);
    const live = await ingestAndFind(world, sessionId);
    assert.equal(live.live, true);
    assert.equal(live.driver?.harness, harness);
    assert.equal(live.driver?.pid, child.pid);
    await assertRefused(world, { thread: id, to, fault: 'C002', names: [child.pid] });
    child.kill('SIGTERM');
    await child.ended;
    const after = await loomJson(world, 'continue', id, '--in', to);
    assert.equal(after.harness, to, 'when it has ended, the hand-over goes through');
  });

  check(`refusal: what a killed ${harness} leaves behind holds nobody up`, async ({ begun }) => {
    const { world, session } = await begun(harness, fullTurns);
    const { sessionId } = session;
    const { id } = await ingestAndFind(world, sessionId);
    const child = await hold(world, harness, sessionId);
    child.kill('SIGKILL');
    await child.ended;
    const traces =
      harness === 'claude'
        ? path.join(world.home, '.claude', 'sessions')
        : path.join(world.home, '.codex', 'thread-writer-locks');
    assert.ok(filesBelow(traces).length > 0, 'the trace is there');
    const thread = await ingestAndFind(world, sessionId);
    assert.equal(thread.live, false);
    const result = await loomJson(world, 'continue', id, '--in', to);
    const turn = await converse(world, to, ['Now say where we are'], { resume: result.nativeId });
    assert.equal(turn.sessionId, result.nativeId);
  });

  check(`refusal: ${to} is not installed`, async ({ begun }) => {
    const { world, session } = await begun(harness, fullTurns);
    const { sessionId } = session;
    const { id } = await ingestAndFind(world, sessionId);
    const bin = path.join(world.root, 'bin');
    fs.mkdirSync(bin);
    fs.symlinkSync(world.agents[harness], path.join(bin, harness));
    const env = { ...world.env, PATH: [bin, ...world.env.PATH.split(':').slice(1)].join(':') };
    const homeOfTarget = path.join(world.home, `.${to}`);
    fs.rmSync(homeOfTarget, { recursive: true, force: true });
    await assertRefused(world, { thread: id, to, fault: 'C001', names: [], env });
    assert.ok(!fs.existsSync(homeOfTarget), 'no folder was made for it');

    // Its own folder is there: a desktop app or an editor may open the session, though Loom cannot start it.
    fs.mkdirSync(homeOfTarget);
    fs.mkdirSync(path.join(homeOfTarget, to === 'codex' ? 'sessions' : 'projects'));
    const end = await loom(world, ['continue', id, '--in', to, '--json'], { env });
    assert.equal(end.status, 0, end.stderr);
    assert.ok(
      end.json.warnings.some((warning) => warning.includes('not on PATH')),
      JSON.stringify(end.json.warnings),
    );
    assert.equal(written[harness](world).length, 1);
  });
}

check('refusal: an idle claude terminal that has the session open is not pulled away unseen', async ({ begun }) => {
  const { world, session } = await begun('claude', fullTurns);
  const { sessionId } = session;
  const { id } = await ingestAndFind(world, sessionId);
  const terminal = startTerminal([world.agents.claude, '--resume', sessionId], world);
  const registry = path.join(world.home, '.claude', 'sessions');
  const entry = await until(
    () =>
      filesBelow(registry)
        .filter((file) => file.endsWith('.json'))
        .map(json)
        .find((one) => one?.sessionId === sessionId && one.status === 'idle'),
    'the terminal to be idle',
  );
  const thread = await ingestAndFind(world, sessionId);
  assert.equal(thread.live, true);
  assert.equal(thread.state, 'idle');
  assert.equal(thread.driver?.pid, entry.pid);
  const end = await loom(world, ['continue', id, '--in', 'codex', '--json']);
  if (end.status === 0)
    assert.ok(
      end.json.warnings.some((warning) => warning.includes(String(entry.pid))),
      `a warning names the open terminal: ${JSON.stringify(end.json.warnings)}`,
    );
  else assert.ok((end.stdout + end.stderr).includes(String(entry.pid)), end.stdout + end.stderr);
  process.kill(entry.pid, 'SIGTERM');
  terminal.kill('SIGTERM');
  await terminal.ended;
});

check('refusal: an unknown thread, a wrong harness and no harness at all', async ({ begun }) => {
  const { world } = await begun('claude', fullTurns);
  await loomJson(world, 'ingest');
  const none = await loom(world, ['continue', 'no-such-thread', '--in', 'codex', '--json']);
  assert.equal(none.status, 1);
  assert.ok((none.stdout + none.stderr).includes('T001'));
  const [thread] = await loomJson(world, 'threads');
  assert.equal((await loom(world, ['continue', thread.id, '--in', 'emacs', '--json'])).status, 2);
  assert.equal((await loom(world, ['continue', thread.id, '--json'])).status, 2);
  assert.deepEqual(codexSessionFiles(world), []);
});

function json(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
