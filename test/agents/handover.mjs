/**
 * Hand-overs: a session that one real program made is continued by `loom continue` in the other, which then really
 * resumes it. What the target's model hears is the baton and the whole conversation, in order, each thing once, without
 * secrets; afterwards it is still one thread.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { acceptable } from './acceptable.mjs';
import { assertCarried, assertNoSecrets, assertPairs, squeezed } from './carried.mjs';
import { heardFromLoom } from './heard.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { shownEntries } from './reading.mjs';
import { claudeArgv, codexArgv, filesBelow, run, start as startProcess, until } from './run-agent.mjs';
import { agentOf, converse, fullTurns } from './sessions.mjs';

/** Codex leaves scratch files behind when it is asked whether somebody is logged in. */
const isScratch = (file) => /[\\/]\.codex[\\/]tmp[\\/]/.test(file);
const bytesBelow = (folder) =>
  new Map(
    filesBelow(folder)
      .filter((file) => !isScratch(file))
      .map((file) => [file, fs.readFileSync(file).toString('base64')]),
  );
const countOf = (entries, kind) => entries.filter((entry) => entry.kind === kind).length;

/**
 * One hand-over, from `loom continue` to the ingested next turn.
 * @param carried the whole conversation so far, as items
 * @returns {Promise<{ nativeId: string, carried: object[] }>} the target's session, and the conversation with the new turn in it:
 *   what the ledger has, so that on the way back the source's own calls are calls again
 */
async function handOver(world, { thread, to, carried, prompt, extra }) {
  const before = bytesBelow(world.home);
  const shownBefore = await shownEntries(world, thread);
  const result = await loomJson(world, 'continue', thread, '--in', to, '--native');

  assert.equal(result.thread, thread);
  assert.equal(result.harness, to);
  assert.equal(result.mode, 'native');
  assert.equal(result.command.cwd, world.cwd);
  assert.ok(
    result.command.argv.includes(result.nativeId),
    `the command resumes the session: ${JSON.stringify(result.command.argv)}`,
  );
  assert.ok(
    Object.values(result.command.env).every((value) => !value.includes('sk-')),
    'no credential in the command',
  );
  const after = bytesBelow(world.home);
  assert.deepEqual(
    [...after].flatMap(([file, bytes]) => (before.get(file) === bytes ? [] : [file])),
    [result.path],
    'the new session is all that was written',
  );
  assert.ok(
    [...before.keys()].every((file) => after.has(file)),
    'nothing was removed',
  );
  if (process.platform !== 'win32') assert.equal(fs.statSync(result.path).mode & 0o077, 0, 'only the owner reads it');
  assertNoSecrets(fs.readFileSync(result.path, 'utf8'), 'the new session');

  const turn = await converse(world, to, [prompt], { resume: result.nativeId, extra });
  const heard = agentOf[to].heard(turn.requests[0].body);
  assertNoSecrets(turn.requests[0].body, 'the request');
  for (const request of turn.requests) acceptable[to](request.body);
  const baton = squeezed(result.baton);
  const batonAt = heard.findIndex((item) => item.user && squeezed(item.user).includes(baton.slice(0, 400)));
  assert.equal(
    batonAt,
    0,
    `the baton comes first: ${JSON.stringify(heard.slice(0, 2)).slice(0, 1500)}\nbaton: ${baton.slice(0, 400)}`,
  );
  assert.equal(heard.at(-1).user, prompt);
  assertCarried(heard, [...carried.filter((item) => item.thinking === undefined && !item.baton), { user: prompt }], batonAt);
  assertPairs(heard);

  const thread2 = await ingestAndFind(world, result.nativeId);
  assert.equal(thread2.id, thread, 'it is still the same thread');
  assert.equal(thread2.harness, to);
  const all = await loomJson(world, 'threads', '--all');
  assert.equal(all.length, 1, `one thread in the list: ${JSON.stringify(all.map((one) => [one.id, one.title]))}`);
  const shown = await shownEntries(world, thread);
  assert.equal(countOf(shown.entries, 'handoff'), countOf(shownBefore.entries, 'handoff') + 1, 'the hand-over is shown');
  const divider = shown.entries.findLast((entry) => entry.kind === 'handoff');
  assert.equal(divider.to, to);
  const later = shown.entries.filter((entry) => entry.id > divider.id);
  assert.deepEqual(
    later.flatMap((entry) => (entry.kind === 'user' && entry.origin === 'typed' ? [entry.text] : [])),
    [prompt],
    'only the new prompt stands after the hand-over',
  );
  assert.deepEqual(
    later.flatMap((entry) => (entry.kind === 'assistant' && entry.text ? [entry.text] : [])).at(-1),
    turn.answers[0],
  );
  assert.equal(new Set(shown.entries.map((entry) => entry.id)).size, shown.entries.length);
  const typed = shown.entries.flatMap((entry) => (entry.kind === 'user' && entry.origin === 'typed' ? [entry.text] : []));
  assert.equal(new Set(typed).size, typed.length, `no prompt was taken in twice: ${JSON.stringify(typed)}`);
  const current = shown.conversations.filter((conversation) => conversation.current);
  assert.deepEqual(
    current.map((conversation) => conversation.harness),
    [to],
  );

  const context = heardFromLoom(await loomJson(world, 'context', thread));
  assertCarried(context, [{ user: prompt }, { assistant: turn.answers[0] }], -1);
  const asked = turn.heard.findLastIndex((item) => item.user === prompt);
  return { nativeId: result.nativeId, carried: [...carried, ...turn.heard.slice(asked)] };
}

async function start(begun, harness, extra) {
  const { world, session } = await begun(harness, fullTurns, { extra });
  const { id } = await ingestAndFind(world, session.sessionId);
  return { world, session, thread: id };
}

check('hand-over: claude to codex, and codex goes on', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'claude');
  await handOver(world, { thread, to: 'codex', carried: session.heard, prompt: 'Now say where we are' });
});

check('hand-over: claude to codex in code mode', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'claude');
  await handOver(world, { thread, to: 'codex', carried: session.heard, prompt: 'Add a discount', extra: ['-m', 'gpt-6.2-sol'] });
});

check('hand-over: codex to claude, and claude goes on', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'codex');
  await handOver(world, { thread, to: 'claude', carried: session.heard, prompt: 'Now say where we are' });
});

check('hand-over: codex in code mode to claude', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'codex', ['-m', 'gpt-6.2-sol']);
  await handOver(world, { thread, to: 'claude', carried: session.heard, prompt: 'Add a discount' });
});

check('hand-over: claude to codex and back, with work on both sides', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'claude');
  const there = await handOver(world, { thread, to: 'codex', carried: session.heard, prompt: 'Add a discount' });
  const back = await handOver(world, { thread, to: 'claude', carried: there.carried, prompt: 'Review what the other agent did' });
  assert.notEqual(back.nativeId, session.sessionId, 'the first session is left as it was');
  await converse(world, 'claude', ['Now say where we are'], { resume: back.nativeId });
  const end = await ingestAndFind(world, back.nativeId);
  assert.equal(end.id, thread);
  assert.deepEqual(end.native.map((native) => native.harness).toSorted(), ['claude', 'claude', 'codex']);
});

check('hand-over: codex to claude and back', async ({ begun }) => {
  const { world, session, thread } = await start(begun, 'codex');
  const there = await handOver(world, { thread, to: 'claude', carried: session.heard, prompt: 'Add a discount' });
  await handOver(world, { thread, to: 'codex', carried: there.carried, prompt: 'Review what the other agent did' });
});

check('hand-over: a dry run writes nothing and says what would go', async ({ begun }) => {
  const { world, thread } = await start(begun, 'claude');
  const before = bytesBelow(world.home);
  const result = await loomJson(world, 'continue', thread, '--in', 'codex', '--dry-run');
  assert.deepEqual([...bytesBelow(world.home)], [...before]);
  assert.equal(result.lease, null);
  assert.ok(result.disclosure.bytes > 0 && result.disclosure.masked >= 3, JSON.stringify(result.disclosure));
  assertNoSecrets(result, 'what is printed');
});

check('hand-over: the baton alone, as a prompt, without a native session', async ({ begun }) => {
  const { world, thread } = await start(begun, 'claude');
  const baton = await loomJson(world, 'baton', thread, '--to', 'codex');
  const markdown = JSON.stringify(baton);
  assertNoSecrets(baton, 'the baton');
  for (const fact of ['price.js', 'cart.js', 'exit code 3', 'Use the quantity']) {
    assert.ok(markdown.toLowerCase().includes(fact.toLowerCase()) || markdown.includes('exit 3'), `the baton says ${fact}`);
  }
});

for (const [harness, to] of [
  ['claude', 'codex'],
  ['codex', 'claude'],
]) {
  check(`hand-over: forced while ${harness} works, what it still does stays on its own branch`, async ({ begun }) => {
    const { world, session, thread } = await start(begun, harness);
    const argv = (harness === 'claude' ? claudeArgv : codexArgv)(world, 'Run the short build', { resume: session.sessionId });
    const working = startProcess(argv, world);
    working.process.stdin.end();
    await until(() => fs.existsSync(path.join(world.cwd, 'building')), 'the build to run');
    const result = await loomJson(world, 'continue', thread, '--in', to, '--force');
    assert.ok(
      result.warnings.some((warning) => warning.includes(String(working.pid))),
      `a warning names the process: ${JSON.stringify(result.warnings)}`,
    );
    fs.writeFileSync(path.join(world.cwd, 'go-on'), '');
    assert.equal((await working.ended).status, 0);
    const turn = await converse(world, to, ['Now say where we are'], { resume: result.nativeId });

    await loomJson(world, 'ingest');
    const threads = await loomJson(world, 'threads', '--all');
    assert.deepEqual(
      threads.map((one) => one.id),
      [thread],
    );
    assert.equal(threads[0].harness, to, 'the thread is where it was carried to');
    const shown = await shownEntries(world, thread);
    const texts = shown.entries.flatMap((entry) => (entry.kind === 'assistant' ? [entry.text] : []));
    assert.ok(texts.includes(turn.answers[0]));
    assert.ok(!texts.includes('The short build is done.'), 'the late answer is not in the current conversation');
    const others = await Promise.all(
      shown.conversations
        .filter((one) => !one.current)
        .map((one) => loomJson(world, 'show', thread, '--conversation', String(one.id), '--limit', '500')),
    );
    assert.ok(
      others.some((one) => JSON.stringify(one.entries).includes('The short build is done.')),
      'and not lost either',
    );
  });
}

check('hand-over: pictures that people and tools showed', async ({ makeWorld }) => {
  const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
  const world = await makeWorld();
  fs.writeFileSync(path.join(world.cwd, 'dot.png'), Buffer.from(red, 'base64'));
  const fromTool = await converse(world, 'claude', ['What is in the picture dot.png']);
  const fromPerson = await converse(world, 'codex', ['Now say where we are']);
  const shown = await run(
    [
      world.agents.codex,
      'exec',
      'resume',
      '--json',
      '--skip-git-repo-check',
      '-i',
      'dot.png',
      fromPerson.sessionId,
      'What is in this picture',
    ],
    world,
  );
  assert.equal(shown.status, 0, shown.stderr);
  for (const [sessionId, to] of [
    [fromTool.sessionId, 'codex'],
    [fromPerson.sessionId, 'claude'],
  ]) {
    const thread = await ingestAndFind(world, sessionId);
    assert.ok(
      heardFromLoom(await loomJson(world, 'context', thread.id)).some((item) => item.image),
      'the picture is in the ledger',
    );
    const { nativeId } = await loomJson(world, 'continue', thread.id, '--in', to);
    const turn = await converse(world, to, ['Now say where we are'], { resume: nativeId });
    acceptable[to](turn.requests[0].body);
    const heard = agentOf[to].heard(turn.requests[0].body);
    assert.equal(
      heard.filter((item) => item.image).length,
      1,
      `the picture is heard once: ${JSON.stringify(heard).slice(0, 2000)}`,
    );
  }
});
