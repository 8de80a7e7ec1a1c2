/**
 * Sessions with a history: compacted, forked, interrupted, with a helper. Each is made by the real program, read into the
 * ledger, compared with what the model hears next, and then handed over to the other program.
 */
import assert from 'node:assert/strict';
import { check } from './check.mjs';
import { heardFromLoom } from './heard.mjs';
import { acceptable } from './acceptable.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { shownEntries, spoken } from './reading.mjs';
import { claudeArgv, codexArgv, run, runClaude, runCodex, start, until } from './run-agent.mjs';
import { agentOf, converse, prompts } from './sessions.mjs';

const other = { claude: 'codex', codex: 'claude' };
const harnesses = ['claude', 'codex'];
const summaryText = 'The shop has a price; its check fails.';

async function contextOf(world, thread) {
  return spoken(heardFromLoom(await loomJson(world, 'context', thread)));
}

/** Hands the thread over, lets the target take one turn, and returns what its model heard after the baton. */
async function heardInTarget(world, harness, thread) {
  const to = other[harness];
  const { nativeId } = await loomJson(world, 'continue', thread, '--in', to);
  const turn = await converse(world, to, ['Now say where we are'], { resume: nativeId });
  for (const request of turn.requests) acceptable[to](request.body);
  const after = await ingestAndFind(world, nativeId);
  assert.equal(after.id, thread);
  return agentOf[to].heard(turn.requests[0].body).slice(1);
}

async function compact(world, harness, sessionId) {
  const turn =
    harness === 'claude'
      ? await runClaude(world, '/compact', { resume: sessionId })
      : await runCodex(world, 'Now say where we are', { resume: sessionId, extra: ['-c', 'model_auto_compact_token_limit=100'] });
  assert.equal(turn.status, 0, turn.stderr);
}

for (const harness of harnesses) {
  check(
    `history: a compacted ${harness} session goes on from its summary, here and in ${other[harness]}`,
    async ({ makeWorld }) => {
      const world = await makeWorld();
      const { sessionId } = await converse(world, harness, prompts.slice(0, 3));
      await compact(world, harness, sessionId);
      const next = await converse(world, harness, ['Add a discount'], { resume: sessionId });
      const thread = await ingestAndFind(world, sessionId);
      assert.deepEqual(await contextOf(world, thread.id), spoken(next.heard));
      const { entries } = await shownEntries(world, thread.id);
      assert.equal(entries.filter((entry) => entry.kind === 'summary').length, 1);
      const typed = entries.flatMap((entry) => (entry.kind === 'user' && entry.origin === 'typed' ? [entry.text] : []));
      for (const prompt of [...prompts.slice(0, 3), 'Add a discount'])
        assert.equal(typed.filter((text) => text === prompt).length, 1, `shown once: ${prompt}`);

      const heard = JSON.stringify(await heardInTarget(world, harness, thread.id));
      assert.ok(heard.includes(summaryText), `the summary goes along: ${heard.slice(0, 2000)}`);
      assert.ok(heard.includes('Noted a discount of 5%.'));
      assert.ok(!heard.includes('It is a small shop'), 'what was compacted away does not come back as history');
    },
  );

  check(`history: a fork of a ${harness} session is a thread of its own that shares its beginning`, async ({ makeWorld }) => {
    const world = await makeWorld();
    const first = await converse(world, harness, prompts.slice(0, 2));
    const main = await ingestAndFind(world, first.sessionId);
    const forked = await fork(world, harness, first.sessionId, 'Run the check script');
    const own = await converse(world, harness, ['Add a discount'], { resume: first.sessionId });
    const branch = await ingestAndFind(world, forked.sessionId);
    assert.notEqual(branch.id, main.id);
    assert.equal(branch.parent?.thread, main.id);
    assert.deepEqual(await contextOf(world, main.id), spoken(own.heard));
    assert.deepEqual(await contextOf(world, branch.id), spoken(forked.heard));
    const counted = (await loomJson(world, 'threads', '--all')).reduce((sum, thread) => sum + thread.usage.output, 0);
    assert.equal(counted, 11 * (first.requests.length + own.requests.length + forked.requests.length), 'tokens are counted once');

    const heard = await heardInTarget(world, harness, branch.id);
    const texts = heard.flatMap((item) => item.user ?? []);
    assert.deepEqual(
      texts.filter((text) => [...prompts, 'Add a discount'].includes(text)),
      prompts.slice(0, 3),
    );
  });

  check(`history: a ${harness} session whose command was interrupted is read, resumed and handed over`, async ({ makeWorld }) => {
    const world = await makeWorld();
    const { sessionId } = await converse(world, harness, prompts.slice(0, 1));
    const api = harness === 'claude' ? world.claudeApi : world.codexApi;
    const child = start(
      (harness === 'claude' ? claudeArgv : codexArgv)(world, 'Run the slow build', { resume: sessionId }),
      world,
    );
    child.process.stdin.end();
    await until(
      () => api.requests.some((request) => JSON.stringify(request.body ?? '').includes('Run the slow build')),
      'the build to be asked for',
    );
    await until(() => isSleeping(world), 'the build to run');
    process.kill(child.pid, 'SIGINT');
    await child.ended;
    const thread = await ingestAndFind(world, sessionId);
    assert.equal(thread.live, false);
    const { entries } = await shownEntries(world, thread.id);
    const interrupted = entries.some(
      (entry) =>
        (entry.kind === 'turn' && entry.phase === 'interrupted') || (entry.kind === 'notice' && entry.code === 'interrupted'),
    );
    assert.ok(interrupted, `the interruption is shown: ${JSON.stringify(entries.slice(-4))}`);

    const next = await converse(world, harness, ['Run the check script'], { resume: sessionId });
    await ingestAndFind(world, sessionId);
    assert.deepEqual(await contextOf(world, thread.id), spoken(next.heard));
    const heard = JSON.stringify(await heardInTarget(world, harness, thread.id));
    assert.ok(heard.includes('echo building; sleep 117; echo built'));
    assert.ok(heard.includes('The check failed with exit code 3'));
  });

  check(`history: a helper of a ${harness} session is a conversation of the same thread`, async ({ makeWorld }) => {
    const world = await makeWorld();
    const session = await converse(world, harness, ['Ask a helper about the price'], {
      extra: harness === 'codex' ? ['-m', 'gpt-6.2-sol'] : undefined,
    });
    const thread = await ingestAndFind(world, session.sessionId);
    assert.equal((await loomJson(world, 'threads')).length, 1, 'the helper is no row of the list');
    assert.equal(thread.turns, 1);
    const { entries, conversations } = await shownEntries(world, thread.id);
    const helpers = conversations.filter((conversation) => conversation.owner !== null);
    assert.equal(helpers.length, 1, JSON.stringify(conversations));
    const helper = await loomJson(world, 'show', thread.id, '--conversation', String(helpers[0].id), '--limit', '500');
    assert.ok(
      JSON.stringify(helper.entries).includes('Report: the price is 10.'),
      `what the helper said: ${JSON.stringify(helper.entries)}`,
    );
    assert.ok(
      !entries.some((entry) => entry.kind === 'assistant' && entry.text === 'Report: the price is 10.'),
      'the helper does not speak in the main line',
    );
    const heard = JSON.stringify(await heardInTarget(world, harness, thread.id));
    assert.ok(heard.includes('The helper says that the price is 10.'));
  });
}

async function fork(world, harness, sessionId, prompt) {
  const agent = agentOf[harness];
  const turn =
    harness === 'claude'
      ? await runClaude(world, prompt, { resume: sessionId, extra: ['--fork-session'] })
      : await forkCodex(world, sessionId, prompt);
  assert.equal(turn.status, 0, turn.stderr);
  assert.notEqual(turn.sessionId, sessionId);
  return { ...turn, heard: [...agent.heard(turn.requests.at(-1).body), { assistant: turn.answer }] };
}

async function forkCodex(world, sessionId, prompt) {
  const before = world.codexApi.requests.length;
  const end = await run([world.agents.codex, 'exec', 'fork', '--json', '--skip-git-repo-check', sessionId, prompt], world);
  const events = end.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    ...end,
    sessionId: events.find((event) => event.type === 'thread.started')?.thread_id,
    answer: events.findLast((event) => event.type === 'item.completed' && event.item.type === 'agent_message')?.item.text,
    requests: world.codexApi.requests.slice(before).filter((request) => request.path === '/v1/responses'),
  };
}

/** Whether the slow build's sleep runs in this world, by the folder that it runs in. */
async function isSleeping(world) {
  const list = await run(['ps', '-A', '-o', 'pid=,args='], world);
  return list.stdout.split('\n').some((line) => /sleep 117/.test(line) && !/ps -A/.test(line));
}
