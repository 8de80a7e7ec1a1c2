/**
 * Loom's writer for pi against the real program, alone: hand-made conversations of every awkward kind are written as sessions, pi resumes
 * each and its model hears the baton and all that was said, in order, once; then pi's own sessions are gone on with. Both times the
 * file is read by Loom's reader in the end: one line of entries. `main` takes cache folders; without any, both that are kept.
 */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { piReader } from '../../shuttles/pi/read/reader.ts';
import { piWrite } from '../../shuttles/pi/write.ts';
import { acceptable } from './acceptable.mjs';
import { agent } from './pi-agent.mjs';
import { endAll, start, until } from './run-agent.mjs';
import { baton, conversations, red } from './writing.mjs';

const kept = ['agents-pi', 'agents-pi-0.73'].map((name) => fileURLToPath(new URL(`../../.cache/${name}`, import.meta.url)));

const text = (words) => ({ type: 'text', text: words });
const picture = { type: 'image', mimeType: 'image/png', data: red };
const call = (id, name, args) => ({ type: 'toolCall', id, name, arguments: args });
const result = (toolCallId, toolName, content, isError = false) => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  isError,
  content: typeof content === 'string' ? [text(content)] : content,
});

/** What only pi's writer does: calls that become pi's own, and pictures that cannot stay where they were. */
const own = [
  {
    name: 'calls of other harnesses that pi has a tool for',
    messages: [
      { role: 'user', content: [text('Work')] },
      {
        role: 'assistant',
        content: [
          call('1', 'Read', { file_path: '/home/user/shop/a.js', offset: 2 }),
          call('2', 'Edit', { file_path: 'a.js', old_string: 'one', new_string: 'two' }),
          call('3', 'write_file', { file_path: 'b.js', content: 'b' }),
          call('4', 'Glob', { pattern: '**/*.js' }),
          call('5', 'list_directory', { dir_path: 'src' }),
          call('6', 'Grep', { pattern: 'total', output_mode: 'count' }),
        ],
      },
      ...['text of a', 'edited', 'written', '', 'nothing here', '3 hits'].map((words, at) => result(String(at + 1), '', words)),
      { role: 'assistant', content: [text('Done.')] },
    ],
    hears: ['Work', '"name":"read"', '"name":"edit"', 'total', '3 hits', 'text of a', 'edited', '(no output)', 'Done.'],
    calls: ['read', 'edit', 'write', 'find', 'ls'],
  },
  {
    name: 'pictures of answers, of failed calls and of tools that pi does not have',
    messages: [
      { role: 'user', content: [text('Draw')] },
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
      { role: 'user', content: [text(`Prompt number ${n}.`)] },
      { role: 'assistant', content: [call(`c${n}`, 'Bash', { command: `echo ${n}` })] },
      result(`c${n}`, 'Bash', `${n}: the quick brown fox jumps over the lazy dog.\n`.repeat(40)),
      { role: 'assistant', content: [text(`Answer number ${n}.`)] },
    ]).flat(),
    hears: ['Prompt number 2999.', 'echo 2999', 'Answer number 2999.'],
    largest: 600_000,
  },
  {
    name: 'one turn of three megabytes, dense in signs, in a script beyond Latin',
    messages: [
      { role: 'user', content: [text('Read it all')] },
      ...Array.from({ length: 60 }, (_, n) => [
        { role: 'assistant', content: [call(`c${n}`, 'Bash', { command: `cat part${n}` })] },
        result(`c${n}`, 'Bash', `{"${n}":[1,2,3]} 漢字仮名 `.repeat(2500)),
      ]).flat(),
      { role: 'assistant', content: [text('Read.')] },
    ],
    hears: ['Read it all', 'cat part59', 'Read.'],
    largest: 600_000,
  },
];

/** What the program puts where something is missing. */
const programFillers = /^(No result provided|\(see attached image\))$/;

async function makeWorld(cache) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'la-pi-')));
  const [home, temp] = ['h', 't'].map((name) => path.join(root, name));
  const cwd = path.join(home, 'shop');
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
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    ...agent.configure({ home, cwd, url: model.url }),
  };
  const close = async () => {
    await model.close();
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { home, cwd, env, agents: { pi: agent.argv(cache) }, models: { pi: model }, close };
}

const environment = (world) => ({ platform: process.platform, home: world.home, variables: {} });
const title = 'The shop <b>title</b>\n& more';

function write(world, messages) {
  const now = Date.now();
  const nativeId = piWrite.newNativeId(now, crypto.randomBytes(16));
  const written = piWrite.write({ messages, baton, title, cwd: world.cwd, nativeId, now }, environment(world));
  fs.mkdirSync(path.dirname(written.path), { recursive: true });
  fs.writeFileSync(written.path, written.bytes, { mode: written.mode, flag: 'wx' });
  return written;
}

/** The file's entries, which must be one line without damage. */
function entriesIn(file) {
  const records = new RecordCutter(0).feed(fs.readFileSync(file));
  const identity = piReader.identify(file, records.slice(0, 64), { text: () => undefined, list: () => [] });
  const { outputs } = piReader.read(piReader.start(identity, file), records);
  const entries = outputs.filter((output) => output.type === 'entry');
  const names = new Map(
    outputs.flatMap((output) => (output.type === 'mark' ? output.keys.map((key) => [key, output.after]) : [])),
  );
  let before = null;
  for (const entry of entries) {
    assert.notEqual(entry.kind, 'opaque');
    const { key } = entry.place;
    assert.equal(names.get(key) ?? key, before, 'entries stand in one line');
    before = entry.keys[0];
  }
  assert.deepEqual(
    outputs.filter((output) => output.type === 'warning'),
    [],
  );
  return { nativeId: identity.nativeId, entries };
}

/** Each of `wanted` behind the one before it. */
function assertHeard(heard, wanted) {
  const said = heard.map((item) => JSON.stringify(item));
  let at = 0;
  for (const words of wanted) {
    const plain = words.startsWith('"name"') ? words : JSON.stringify(words).slice(1, -1);
    const found = said.findIndex((item, index) => index >= at && item.includes(plain));
    assert.ok(found >= 0, `not heard after ${at}: ${words}\n${said.join('\n').slice(0, 4000)}`);
    at = found;
  }
  for (const item of heard)
    assert.ok(!programFillers.test(item.text ?? item.assistant ?? ''), `the program had to fill a gap: ${JSON.stringify(item)}`);
}

/** Messages in a row of one role are one turn for the server. */
function accepted(body) {
  const blocks = ({ content }) => (typeof content === 'string' ? [text(content)] : content);
  const messages = [];
  for (const message of body.messages) {
    const last = messages.at(-1);
    if (last?.role === message.role) last.content = [...last.content, ...blocks(message)];
    else messages.push({ role: message.role, content: blocks(message) });
  }
  acceptable.claude({ ...body, messages });
}

const textsOf = (messages) =>
  messages.flatMap((message) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));

async function resumes(world, { messages, hears = textsOf(messages), images, largest, calls }) {
  const written = write(world, messages);
  const before = fs.readFileSync(written.path);
  const turn = await agent.run(world, 'Now say where we are', { resume: written.path });
  assert.equal(turn.status, 0, turn.stderr + turn.stdout.slice(-500));
  assert.equal(turn.sessionId, written.nativeId);
  assert.equal(turn.requests.length, 1, 'one request: nothing was compacted first');
  const [{ body }] = turn.requests;
  accepted(body);
  const heard = agent.heard(body);
  assert.ok(heard[0].user?.includes(baton.trim()), `the baton is first: ${JSON.stringify(heard[0]).slice(0, 300)}`);
  assert.equal(heard.at(-1).user, 'Now say where we are');
  assertHeard(heard.slice(1), hears);
  assert.equal(JSON.stringify(body).split('build the shop').length, 2, 'the baton is heard once');
  if (images !== undefined) assert.ok(heard.filter((item) => item.image === red).length >= images, 'the images are heard');
  if (calls !== undefined)
    assert.deepEqual(
      heard.flatMap((item) => item.name ?? []),
      calls,
    );
  if (largest !== undefined) {
    assert.ok(JSON.stringify(body.messages).length < largest, 'it fits the window of a model');
    assert.ok(written.warnings.length > 0, 'what was left out is said');
  }
  assert.deepEqual(agent.sessionFiles(world), [written.path]);
  assert.deepEqual(fs.readFileSync(written.path).subarray(0, before.length), before, 'what Loom wrote stays as it is');
  const again = await agent.run(world, 'Add a discount', { resume: written.nativeId });
  assert.equal(again.sessionId, written.nativeId);
  for (const request of again.requests) accepted(request.body);
  const { nativeId, entries } = entriesIn(written.path);
  assert.equal(nativeId, written.nativeId);
  assert.equal(entries.find((entry) => entry.kind === 'user')?.content.origin, 'loom');
  const prompts = entries.flatMap((entry) =>
    entry.kind === 'user' && entry.content.origin === 'typed' ? textsOf([entry.content]) : [],
  );
  assert.deepEqual(prompts.slice(-2), ['Now say where we are', 'Add a discount']);
}

/** A session that pi began, left, told what happened elsewhere, and gone on with. */
async function goesOn(world) {
  const first = await agent.run(world, 'List the files and show the price');
  const [file] = agent.sessionFiles(world);
  const before = fs.readFileSync(file);
  const delta = '# Since you last drove\n\n- Done elsewhere: the cart\n';
  const id = JSON.parse(before.toString().split('"toolCall","id":')[1].split(',')[0]);
  const messages = [
    { role: 'user', content: [text('Write the cart')] },
    // An id that the session has already.
    {
      role: 'assistant',
      content: [text('I write.'), call(id, 'Bash', { command: 'echo cart' }), call('p', 'apply_patch', { input: 'P' })],
    },
    result(id, 'Bash', 'cart written'),
    result('p', 'apply_patch', 'patched'),
    { role: 'assistant', content: [text('The cart is there.')] },
  ];
  const existing = { nativeId: first.sessionId, path: file, size: before.length, head: before, tail: before };
  const appended = piWrite.append.append(
    { messages, baton: delta, title, cwd: world.cwd, now: Date.now(), existing },
    environment(world),
  );
  assert.ok(appended.ok, appended.refusal);
  fs.appendFileSync(file, appended.bytes);
  const turn = await agent.run(world, 'Now say where we are', { resume: first.sessionId });
  assert.equal(turn.status, 0, turn.stderr);
  assert.equal(turn.sessionId, first.sessionId);
  assert.ok(!turn.stderr.includes('Could not restore'), turn.stderr);
  const [{ body }] = turn.requests;
  accepted(body);
  const heard = agent.heard(body);
  assertHeard(heard, ['List the files', 'price = 10', 'Two files; the price is 10.', 'Since you last drove', 'Write the cart']);
  assertHeard(heard, ['Since you last drove', 'I write.', 'echo cart', 'patched', 'cart written', 'The cart is there.']);
  assert.equal(heard.at(-1).user, 'Now say where we are');
  assert.deepEqual(agent.sessionFiles(world), [file]);
  assert.deepEqual(
    fs.readFileSync(file).subarray(0, before.length + appended.bytes.length),
    Buffer.concat([before, appended.bytes]),
  );
  const { entries } = entriesIn(file);
  assert.equal(entries.filter((entry) => entry.kind === 'user' && entry.content.origin === 'loom').length, 1);
  assert.equal(entries.findLast((entry) => entry.kind === 'assistant').content.model, 'loopback-1');
}

/** A session whose pi was ended in the middle of a command: its call has no result, and pi makes one up for its model alone. */
async function goesOnAfterKill(world) {
  const working = start([...world.agents.pi, '--mode', 'json', 'Run the short build'], world);
  working.process.stdin.end();
  await until(() => fs.existsSync(path.join(world.cwd, 'building')), 'the build to run');
  working.kill('SIGKILL');
  await working.ended;
  // The command outlives pi, in a group of its own.
  fs.writeFileSync(path.join(world.cwd, 'go-on'), '');
  const [file] = agent.sessionFiles(world);
  const before = fs.readFileSync(file);
  const { id: nativeId } = JSON.parse(before.toString().split('\n')[0]);
  const existing = { nativeId, path: file, size: before.length, head: before, tail: before };
  const messages = [
    { role: 'user', content: [text('Build it')] },
    { role: 'assistant', content: [text('Built elsewhere.')] },
  ];
  const appended = piWrite.append.append(
    { messages, baton, title, cwd: world.cwd, now: Date.now(), existing },
    environment(world),
  );
  assert.ok(appended.ok, appended.refusal);
  fs.appendFileSync(file, appended.bytes);
  const turn = await agent.run(world, 'Now say where we are', { resume: file });
  assert.equal(turn.sessionId, nativeId, turn.stderr);
  const [{ body }] = turn.requests;
  accepted(body);
  const words = JSON.stringify(agent.heard(body));
  const places = ['Run the short build', 'Building.', 'seq 600', 'Hand-over by Loom', 'Build it', 'Built elsewhere.'].map((one) =>
    words.indexOf(one),
  );
  assert.ok(!places.includes(-1), words);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  entriesIn(file);
}

/** @param {string[]} given cache folders, each with one pi in it; `--only=TEXT` runs the checks whose name holds that */
export async function main(given) {
  const [only] = given.filter((word) => word.startsWith('--only=')).map((word) => word.slice('--only='.length));
  given = given.filter((word) => !word.startsWith('--'));
  const caches = given.length > 0 ? given.map((folder) => path.resolve(folder)) : kept.filter((folder) => fs.existsSync(folder));
  const checks = [
    ...[...conversations, ...own].map((one) => ({ name: `resumes ${one.name}`, body: (world) => resumes(world, one) })),
    { name: 'goes on in a session of its own behind what came meanwhile', body: goesOn },
    { name: 'goes on in a session that was broken off in a command', body: goesOnAfterKill },
  ].filter(({ name }) => only === undefined || name.includes(only));
  let failed = 0;
  for (const cache of caches)
    for (const { name, body } of checks) {
      const world = await makeWorld(cache);
      const begun = Date.now();
      try {
        await body(world);
        console.log(`ok    ${path.basename(cache)}: pi ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed++;
        console.log(`FAIL  ${path.basename(cache)}: pi ${name}\n${String(error.stack).slice(0, 5000)}`);
      } finally {
        await endAll();
        await world.close();
      }
    }
  console.log(`${caches.length * checks.length - failed} passed, ${failed} failed`);
  if (failed > 0 || caches.length === 0) process.exitCode = 1;
}
