/**
 * Hand-overs: a session that one real program made is continued by `loom continue` in the other, which then really
 * resumes it. What the target's model hears is the baton and the whole conversation, in order, each thing once, without
 * secrets; afterwards it is still one thread.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { assertMessagesAcceptable, assertResponsesAcceptable } from './acceptable.mjs';
import { heardFromLoom } from './heard.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { shownEntries, unframed } from './reading.mjs';
import { claudeArgv, codexArgv, filesBelow, run, start as startProcess, until } from './run-agent.mjs';
import { startTerminal } from './terminal.mjs';
import { secrets } from './secrets.mjs';
import { agentOf, converse, fullTurns } from './sessions.mjs';

const acceptable = { claude: assertMessagesAcceptable, codex: assertResponsesAcceptable };
const squeezed = (text) => text.replace(/\s+/g, ' ').trim();

/** All text of an item, whatever it is, for searches. */
function wordsOf(item) {
  return squeezed(item.user ?? item.assistant ?? item.text ?? (item.call ? JSON.stringify(item.input) : ''));
}

/** What must be found of a call in the target: the strings that say what it did, as JSON would write them or plain. */
function essence(item) {
  const { input } = item;
  if (typeof input.command === 'string') return [input.command];
  if (typeof input.cmd === 'string') return [input.cmd];
  if (typeof input.file_path === 'string') return [path.basename(input.file_path)];
  const inScript = /exec_command\((\{.*\})\)/.exec(input.input ?? '');
  if (inScript) return [JSON.parse(inScript[1]).cmd];
  if (typeof input.input === 'string') return ['cart.js'];
  return ['Write cart.js'];
}
const has = (words, part) => words.includes(squeezed(part)) || words.includes(squeezed(JSON.stringify(part).slice(1, -1)));

/** The lines of a result without the frame that its program put around it, and without those that were masked. */
function resultEssence(text) {
  const isPublic = (line) => !Object.values(secrets).some((secret) => line.includes(secret));
  return unframed(text)
    .split('\n')
    .filter((line) => line.trim() && isPublic(line));
}

/**
 * Asserts that `heard` has everything of `carried` after `batonAt`, and every text once. Texts stand in order; the calls and
 * results between two texts stand between them, in any order, since each program pairs and sorts parallel ones its own way.
 */
export function assertCarried(heard, carried, batonAt) {
  let at = batonAt + 1;
  let between = [];
  const assertBetween = (end) => {
    for (const item of between) {
      const found = heard.slice(at, end).some((other) => holds(other, item));
      assert.ok(
        found,
        `not heard in its place: ${JSON.stringify(item)}\nthere: ${JSON.stringify(heard.slice(at, end)).slice(0, 3000)}`,
      );
    }
    between = [];
  };
  for (const item of carried) {
    if (!item.user && !item.assistant) {
      between.push(item);
      continue;
    }
    const found = heard.findIndex((other, index) => index >= at && holds(other, item));
    assert.ok(
      found >= 0,
      `not heard, or out of order: ${JSON.stringify(item)}\nheard: ${JSON.stringify(heard.slice(at)).slice(0, 3000)}`,
    );
    assertBetween(found);
    at = found + 1;
  }
  assertBetween(heard.length);
  for (const role of ['user', 'assistant']) {
    for (const text of new Set(carried.flatMap((item) => item[role] ?? []))) {
      const count = (items) => items.filter((item) => item[role] === text).length;
      const masked = Object.values(secrets).some((secret) => text.includes(secret));
      if (!masked) assert.equal(count(heard.slice(batonAt + 1)), count(carried), `times that the ${role} text is heard: ${text}`);
    }
  }
}

function holds(other, item) {
  const words = wordsOf(other);
  for (const role of ['user', 'assistant']) {
    if (!item[role]) continue;
    const secret = Object.values(secrets).find((one) => item[role].includes(one));
    if (!secret) return other[role] === item[role];
    const [before, after] = item[role].split(secret);
    return other[role]?.startsWith(before) === true && other[role].endsWith(after);
  }
  if (item.call) return essence(item).every((part) => has(words, part));
  if (item.result) return resultEssence(item.text).every((line) => has(words, line));
  return false;
}

/** Calls and results that the target heard natively must be whole pairs, the result after its call. */
export function assertPairs(heard) {
  const calls = heard.flatMap((item, index) => (item.call ? [[item.call, index]] : []));
  const results = heard.flatMap((item, index) => (item.result !== undefined ? [[item.result, index]] : []));
  assert.equal(new Set(calls.map(([id]) => id)).size, calls.length, 'a call id is used twice');
  assert.deepEqual(calls.map(([id]) => id).toSorted(), results.map(([id]) => id).toSorted(), 'every call has one result');
  for (const [id, index] of results)
    assert.ok(calls.find(([call]) => call === id)[1] < index, `the result of ${id} stands before it`);
}

export function assertNoSecrets(value, where) {
  const text = JSON.stringify(value);
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `the ${name} is in ${where}`);
}

const bytesBelow = (folder) => new Map(filesBelow(folder).map((file) => [file, fs.readFileSync(file).toString('base64')]));
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
  const result = await loomJson(world, 'continue', thread, '--in', to);

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
  check(`hand-over: the command for a session from ${harness} opens it in the terminal of ${to}`, async ({ begun }) => {
    const { world, thread } = await start(begun, harness);
    const { command } = await loomJson(world, 'continue', thread, '--in', to);
    useNewestModel(world);
    const terminal = startTerminal(command.argv, { cwd: command.cwd, env: { ...world.env, ...command.env } });
    for (const text of ['total now multiplies by the quantity', 'which I do not repeat']) {
      const unspaced = (words) => words.replace(/\s+/g, '');
      await until(
        () => unspaced(terminal.text()).includes(unspaced(text)),
        () => `the terminal to show "${text}"; it shows ${squeezed(terminal.text()).slice(-1500)}`,
        40_000,
      );
    }
    terminal.kill('SIGTERM');
    await terminal.ended;
  });

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

/** For an older model Codex's terminal asks first whether to change it. */
function useNewestModel(world) {
  const file = path.join(world.home, '.codex', 'config.toml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"gpt-5.5"', '"gpt-6.2-sol"'));
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
