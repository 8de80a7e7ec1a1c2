/**
 * Loom's writer for Gemini CLI against the real program, alone: hand-made conversations of every awkward kind are written as sessions,
 * gemini resumes each and its model hears the baton and all that was said, in order, once; then gemini's own sessions are gone on with.
 * Both times they are resumed once more, and Loom's ledger finds one line of one thread. `main` takes cache folders; without any, all that
 * are kept.
 */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { geminiWrite } from '../../shuttles/gemini/write.ts';
import { projectHash } from '../../shuttles/gemini/write/project.ts';
import { HomeLedger } from '../home-ledger.ts';
import { agent } from './gemini-agent.mjs';
import { endAll } from './run-agent.mjs';
import { baton, conversations, red } from './writing.mjs';

const caches = fileURLToPath(new URL('../../.cache', import.meta.url));

const text = (words) => ({ type: 'text', text: words });
const user = (words) => ({ role: 'user', content: [text(words)] });
const picture = { type: 'image', mimeType: 'image/png', data: red };
const call = (id, name, args) => ({ type: 'toolCall', id, name, arguments: args });
const result = (toolCallId, toolName, content, isError = false) => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  isError,
  content: typeof content === 'string' ? [text(content)] : content,
});

/** What only this writer does: calls that become Gemini's own, prompts that the program would leave out, pictures. */
const own = [
  {
    name: 'calls of other harnesses that it has a tool for',
    messages: [
      user('Work'),
      {
        role: 'assistant',
        content: [
          call('1', 'Read', { file_path: '/home/user/shop/a.js', offset: 2, limit: 3 }),
          call('2', 'Edit', { file_path: 'a.js', old_string: 'one', new_string: 'two' }),
          call('3', 'write', { path: 'b.js', content: 'b' }),
          call('4', 'exec_command', { cmd: 'npm test', workdir: '/home/user/shop/web' }),
          text('And then.'),
          call('run_shell_command__5', 'run_shell_command', { command: 'ls' }),
          call('6', 'Grep', { pattern: 'total', output_mode: 'count' }),
        ],
      },
      ...['text of a', 'edited', 'written', 'tested', 'a.js b.js', '3 hits'].map((words, at) =>
        result(at === 4 ? 'run_shell_command__5' : String(at + 1), '', words),
      ),
      { role: 'assistant', content: [text('Done.')] },
    ],
    hears: ['Work', 'text of a', 'edited', 'written', 'tested', 'And then.', 'a.js b.js', 'total', '3 hits', 'Done.'],
    calls: ['read_file', 'replace', 'write_file', 'run_shell_command', 'run_shell_command'],
  },
  {
    name: 'prompts that it would leave out',
    messages: [
      user('/home/user/shop is the folder'),
      user('? What is this'),
      user('<session_context>mine</session_context>'),
      { role: 'assistant', content: [text('I see.')] },
      user('See <hook_context>what hooks say</hook_context>'),
      { role: 'assistant', content: [text('/usr/bin it is.')] },
    ],
    hears: [
      '/home/user/shop is the folder',
      '? What is this',
      'session_context>mine',
      'I see.',
      'what hooks say',
      '/usr/bin it is.',
    ],
  },
  {
    name: 'pictures of answers, of failed calls and of tools that it does not have',
    messages: [
      user('Draw'),
      { role: 'assistant', content: [picture, call('f', 'browser_shot', { url: 'x' }), call('e', 'Bash', { command: 'shot' })] },
      result('f', 'browser_shot', [text('a page'), picture]),
      result('e', 'Bash', [text('half done'), picture], true),
      { role: 'assistant', content: [text('Drawn.')] },
    ],
    hears: ['Draw', 'a page', 'half done', 'Drawn.'],
    images: 3,
  },
  {
    name: 'several megabytes in 3,000 turns',
    messages: Array.from({ length: 3000 }, (_, n) => [
      user(`Prompt number ${n}.`),
      { role: 'assistant', content: [call(`c${n}`, 'Bash', { command: `echo ${n}` })] },
      result(`c${n}`, 'Bash', `line of ${n}: the quick brown fox jumps over the lazy dog\n`.repeat(30)),
      { role: 'assistant', content: [text(`Answer number ${n}.`)] },
    ]).flat(),
    hears: ['Prompt number 2999.', 'echo 2999', 'Answer number 2999.'],
    largest: 600_000,
  },
];

async function makeWorld(cache) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'la-gemini-')));
  const [home, temp] = ['h', 't'].map((name) => path.join(root, name));
  const cwd = path.join(home, 'My Shop');
  for (const folder of [cwd, temp]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(cwd, 'price.js'), 'export const price = 10;\n');
  const model = await agent.startModel(cwd);
  const env = {
    HOME: home,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TMPDIR: temp,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    // Before 0.45 the program asks the proxy for what is on this machine, too.
    ...(minorOf(cache) < 45 ? {} : { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' }),
    NO_PROXY: '127.0.0.1,localhost',
    ...agent.configure({ home, cwd, url: model.url }),
  };
  const close = async () => {
    await model.close();
    if (process.env.LOOM_KEEP === '1') console.log(`      kept: ${root}`);
    else fs.rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { home, cwd, env, agents: { gemini: agent.argv(cache) }, models: { gemini: model }, close };
}

function minorOf(cache) {
  const file = path.join(cache, 'node_modules/@google/gemini-cli/package.json');
  return Number(JSON.parse(fs.readFileSync(file, 'utf8')).version.split('.')[1]);
}

const environment = (world) => ({ platform: process.platform, home: world.home, variables: {} });
const title = 'The shop <b>title</b>\n& more';

function write(world, messages) {
  const now = Date.now();
  const nativeId = geminiWrite.newNativeId(now, crypto.randomBytes(16));
  const request = { messages, baton, title, cwd: world.cwd, nativeId, now };
  const written = geminiWrite.write(request, environment(world), new DiskSidecars());
  fs.mkdirSync(path.dirname(written.path), { recursive: true });
  fs.writeFileSync(written.path, written.bytes, { mode: written.mode, flag: 'wx' });
  return written;
}

/** What the server asks for: every turn's calls have one response each in the very next turn of the other role, under their names. */
function accepted({ contents }) {
  const turns = [];
  for (const { role, parts } of contents) {
    assert.ok(role === 'user' || role === 'model', `a role that is none: ${role}`);
    assert.ok(parts.length > 0 && parts.every((part) => part.text !== ''), `an empty turn or part: ${JSON.stringify(parts)}`);
    if (turns.at(-1)?.role === role) turns.at(-1).parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  const named = ({ id, name }) => `${name} ${id}`;
  turns.forEach(({ role, parts }, index) => {
    if (role === 'user') return;
    const calls = parts.flatMap((part) => (part.functionCall ? [named(part.functionCall)] : []));
    const next = turns[index + 1]?.parts ?? [];
    const responses = next.flatMap((part) => (part.functionResponse ? [named(part.functionResponse)] : []));
    assert.equal(responses.length, calls.length, `as many responses as calls: ${responses.join()} for ${calls.join()}`);
    assert.deepEqual(new Set(responses), new Set(calls));
    assert.equal(new Set(calls).size, calls.length);
    for (const part of parts) if (part.functionCall) assert.match(part.functionCall.name, /^[A-Za-z_][\w.:-]{0,63}$/);
  });
  assert.equal(turns[0].role, 'user');
  assert.equal(turns.at(-1).role, 'user');
  const made = turns.flatMap(({ parts }) => parts.flatMap((part) => (part.functionCall ? [part.functionCall.id] : [])));
  assert.equal(new Set(made).size, made.length, 'a call id is used twice');
}

/** Each of `wanted` behind the one before it. */
function assertHeard(heard, wanted) {
  const said = heard.map((item) => JSON.stringify(item));
  let at = 0;
  for (const words of wanted) {
    const found = said.findIndex((item, index) => index >= at && item.includes(JSON.stringify(words).slice(1, -1)));
    assert.ok(found >= 0, `not heard after ${at}: ${words}\n${said.join('\n').slice(0, 4000)}`);
    at = found;
  }
}

/** What the program itself puts behind a prompt or a result that has no answer. */
const interrupted = '[The previous response was interrupted before it completed.]';
const countOf = (value, words) => JSON.stringify(value).split(words).length - 1;
const textsOf = (messages) =>
  messages.flatMap((message) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));

async function turn(world, prompt, resume) {
  const made = await agent.run(world, prompt, { resume });
  assert.equal(made.status, 0, made.stderr.slice(-1500) + made.stdout.slice(-500));
  assert.ok(made.requests.length > 0, made.stderr.slice(-1500));
  if (resume !== undefined) assert.equal(made.sessionId, resume);
  for (const request of made.requests) accepted(request.body);
  const heard = agent.heard(made.requests[0].body).filter((item) => item.assistant !== interrupted);
  return { ...made, body: made.requests[0].body, heard };
}

/** The ledger has one thread of this session, in one line, with these prompts last. */
async function assertOneLine(world, nativeId, prompts, file) {
  await using home = new HomeLedger(world.home);
  const pass = async () => {
    await home.catchUp();
    const threads = home.ledger.threads
      .newest(100)
      .filter((row) => row.origin_native_id === nativeId || row.native_id === nativeId);
    return threads.length > 0 ? threads : home.ledger.threads.newest(100);
  };
  const threads = await pass();
  assert.equal(threads.length, 1, JSON.stringify(threads.map(({ id, title: name }) => [id, name])));
  const [thread] = threads;
  const native = home.ledger.natives.byHarness?.('gemini', nativeId) ?? home.ledger.natives.byThread(thread.number)[0];
  const branches = home.ledger.branches.byNative(native.number);
  assert.equal(branches.length, 1, `one line: ${JSON.stringify(branches)}`);
  const { contextOf } = await import('../../server/ledger/transcript.ts');
  const context = await contextOf(home.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
  const typed = context.flatMap(({ message, harnessMade, baton: isBaton }) =>
    message.role === 'user' && !harnessMade && isBaton === undefined ? textsOf([message]) : [],
  );
  assert.deepEqual(typed.slice(-prompts.length), prompts, file);
  const calls = context.flatMap(({ message }) =>
    message.role === 'assistant' ? message.content.filter(({ type }) => type === 'toolCall') : [],
  );
  const results = context.filter(({ message }) => message.role === 'toolResult');
  assert.deepEqual(new Set(results.map(({ message }) => message.toolCallId)), new Set(calls.map(({ id }) => id)));
  assert.equal(results.length, calls.length);
  assert.deepEqual(home.faults, []);
}

async function resumes(world, { messages, hears = textsOf(messages), images, largest, calls }) {
  const written = write(world, messages);
  const before = fs.readFileSync(written.path);
  const first = await turn(world, 'Now say where we are', written.nativeId);
  const { body, heard } = first;
  assert.equal(first.requests.length, 1, 'one request: nothing was compressed first');
  assert.ok(heard[0].user?.includes(baton.trim()), `the baton is first: ${JSON.stringify(heard[0]).slice(0, 300)}`);
  assert.equal(heard.at(-1).user, 'Now say where we are');
  assertHeard(heard.slice(1), hears);
  assert.equal(countOf(body, 'build the shop'), 1, 'the baton is heard once');
  if (images !== undefined) assert.ok(heard.filter((item) => item.image === red).length >= images, 'the images are heard');
  if (calls !== undefined)
    assert.deepEqual(
      heard.flatMap((item) => item.name ?? []),
      calls,
    );
  if (largest !== undefined) {
    assert.ok(JSON.stringify(body.contents).length < largest, 'it fits the window of a model');
    assert.ok(written.warnings.length > 0, 'what was left out is said');
  }
  assert.deepEqual(fs.readFileSync(written.path).subarray(0, before.length), before, 'what Loom wrote stays as it is');
  const again = await turn(world, 'What is in this picture', written.nativeId);
  assert.equal(countOf(again.body, 'build the shop'), 1);
  assert.deepEqual(again.heard.slice(0, heard.length), heard, 'the second resume hears what the first one heard');
  assert.ok(fs.statSync(written.path).size > before.length, 'it goes on in the same file');
  // Another session's start removes files of sessions that were resumed: not this one.
  await turn(world, 'What does this project do?');
  const third = await turn(world, 'Review what the other agent did', written.nativeId);
  assert.deepEqual(third.heard.slice(0, heard.length), heard);
  await fs.promises.rm(path.join(world.home, '.gemini/tmp/my-shop/logs.json'), { force: true });
  for (const file of agent.sessionFiles(world)) if (file !== written.path) fs.rmSync(file);
  if (largest === undefined)
    await assertOneLine(
      world,
      written.nativeId,
      ['Now say where we are', 'What is in this picture', 'Review what the other agent did'],
      written.path,
    );
}

/** A session that gemini began, left, told what happened elsewhere, and gone on with. */
async function goesOn(world, resumed) {
  const begun = await turn(world, 'List the files and show the price');
  const nativeId = begun.sessionId;
  const isDoubled = () => fs.readFileSync(file, 'utf8').includes('"result":[');
  if (resumed) await agent.run(world, 'What does this project do?', { resume: nativeId });
  const [file] = agent.sessionFiles(world).filter((one) => fs.readFileSync(one, 'utf8').includes('Two files; the price is 10.'));
  assert.ok(isDoubled());
  const before = fs.readFileSync(file);
  const delta = '# Since you last drove\n\n- Done elsewhere: the cart\n';
  const messages = [
    user('Write the cart'),
    {
      role: 'assistant',
      content: [text('I write.'), call('call-0', 'Bash', { command: 'echo cart' }), call('p', 'apply_patch', { input: 'P' })],
    },
    result('call-0', 'Bash', 'cart written'),
    result('p', 'apply_patch', 'patched'),
    { role: 'assistant', content: [text('The cart is there.')] },
  ];
  const existing = { nativeId, path: file, size: before.length, head: before, tail: before };
  const request = { messages, baton: delta, title, cwd: world.cwd, now: Date.now(), existing };
  const appended = geminiWrite.append.append(request, environment(world));
  assert.ok(appended.ok, appended.refusal);
  fs.appendFileSync(file, appended.bytes);
  const first = await turn(world, 'Now say where we are', nativeId);
  const order = ['List the files', 'price = 10', 'Two files; the price is 10.', 'Since you last drove', 'Write the cart'];
  assertHeard(first.heard, [...order, 'I write.', 'echo cart', 'cart written', 'patched', 'The cart is there.']);
  for (const words of ['Two files; the price is 10.', 'Done elsewhere: the cart', 'cart written'])
    assert.equal(countOf(first.body.contents, words), 1, words);
  assert.equal(first.heard.at(-1).user, 'Now say where we are');
  const second = await turn(world, 'What is in this picture', nativeId);
  assert.deepEqual(second.heard.slice(0, first.heard.length), first.heard);
  assert.deepEqual(
    fs.readFileSync(file).subarray(0, before.length + appended.bytes.length),
    Buffer.concat([before, appended.bytes]),
  );
  for (const other of agent.sessionFiles(world)) if (other !== file) fs.rmSync(other);
  await assertOneLine(world, nativeId, ['Write the cart', 'Now say where we are', 'What is in this picture'], file);
}

/** Sessions below the hash of the path are still taken over by the program, and what Loom wrote comes along. */
async function movesOn(world) {
  const older = path.join(world.home, '.gemini', 'tmp', projectHash(world.cwd));
  const oldId = '11111111-2222-4333-8444-555555555555';
  fs.mkdirSync(path.join(older, 'chats'), { recursive: true });
  fs.writeFileSync(
    path.join(older, 'chats', 'session-2026-01-01T10-00-11111111.json'),
    JSON.stringify({
      sessionId: oldId,
      projectHash: projectHash(world.cwd),
      startTime: '2026-01-01T10:00:00.000Z',
      lastUpdated: '2026-11-29T10:00:00.000Z',
      messages: [
        { id: 'a', timestamp: '2026-01-01T10:00:00.000Z', type: 'user', content: 'An old prompt' },
        { id: 'b', timestamp: '2026-01-01T10:00:01.000Z', type: 'gemini', content: 'An old answer' },
      ],
    }),
  );
  const written = write(world, [user('Carried'), { role: 'assistant', content: [text('Along.')] }]);
  assert.ok(written.path.startsWith(older));
  const first = await turn(world, 'Now say where we are', written.nativeId);
  assertHeard(first.heard, ['Carried', 'Along.']);
  const old = await turn(world, 'Now say where we are', oldId);
  assertHeard(old.heard, ['An old prompt', 'An old answer']);
}

/** @param {string[]} given cache folders, each with one gemini in it; `--only=TEXT` runs the checks whose name holds that */
export async function main(given) {
  const [only] = given.filter((word) => word.startsWith('--only=')).map((word) => word.slice('--only='.length));
  const named = given.filter((word) => !word.startsWith('--')).map((folder) => path.resolve(folder));
  const kept = fs
    .readdirSync(caches)
    .filter((name) => name.startsWith('agents-gemini'))
    .map((name) => path.join(caches, name));
  const checks = [
    ...[...conversations, ...own].map((one) => [`resumes ${one.name}`, (world) => resumes(world, one)]),
    ['goes on in a session of its own behind what came meanwhile', (world) => goesOn(world, false)],
    ['goes on in a session of its own that was resumed', (world) => goesOn(world, true)],
    ['takes over older sessions together with a carried one', movesOn],
  ].filter(([name]) => only === undefined || name.includes(only));
  let failed = 0;
  const chosen = named.length > 0 ? named : kept;
  for (const cache of chosen)
    for (const [name, body] of checks) {
      const world = await makeWorld(cache);
      const begun = Date.now();
      try {
        await body(world);
        console.log(`ok    ${path.basename(cache)}: gemini ${String(name)} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed++;
        console.log(`FAIL  ${path.basename(cache)}: gemini ${String(name)}\n${String(error.stack).slice(0, 5000)}`);
      } finally {
        await endAll();
        await world.close();
      }
    }
  console.log(`${chosen.length * checks.length - failed} passed, ${failed} failed`);
  if (failed > 0 || chosen.length === 0) process.exitCode = 1;
}
