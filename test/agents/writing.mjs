/**
 * The writers alone, against the real programs: hand-made conversations of every awkward kind are written as a native
 * session, the program resumes it, and its model hears the baton and all that was said, in a form that the vendor's
 * server takes.
 */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { acceptable } from './acceptable.mjs';
import { check } from './check.mjs';
import { node } from './loom-program.mjs';
import { run } from './run-agent.mjs';
import { agentOf } from './sessions.mjs';

const driver = fileURLToPath(new URL('write-session.mjs', import.meta.url));
export const baton = '# Hand-over by Loom\n\n- Goal: build the shop\n- Never touch `price.js`\n';
export const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const user = (...texts) => ({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) });
const assistant = (...blocks) => ({
  role: 'assistant',
  content: blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
const call = (id, name, args) => ({ type: 'toolCall', id, name, arguments: args });
const result = (toolCallId, text, toolName = 'Bash', isError = false) => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  isError,
  content: [{ type: 'text', text }],
});
const long = (n) => `line ${n}: ${'the quick brown fox jumps over the lazy dog. '.repeat(8)}`;

/** `hears`: texts in the order in which they must be heard. Without it: every text of the messages. */
export const conversations = [
  {
    name: 'a plain conversation',
    messages: [user('First question'), assistant('First answer'), user('Second question'), assistant('Second answer')],
  },
  { name: 'nothing but the baton', messages: [] },
  {
    name: 'tool calls of both programs and of others',
    messages: [
      user('Work'),
      assistant(
        'Looking.',
        call('toolu_01', 'Bash', { command: 'ls -la' }),
        call('toolu_02', 'Read', { file_path: '/home/user/shop/cart.js' }),
      ),
      result('toolu_02', 'contents of the cart', 'Read'),
      result('toolu_01', 'cart.js price.js'),
      assistant(call('call_9', 'exec_command', { cmd: 'npm test', workdir: '/home/user/shop' })),
      result('call_9', 'Process exited with code 1\nOutput:\n1 failing', 'exec_command', true),
      assistant(call('call_p', 'apply_patch', { input: '*** Begin Patch\n*** Add File: a.js\n+one\n*** End Patch' })),
      result('call_p', 'Success. Updated the following files:\nA a.js', 'apply_patch'),
      assistant(call('mcp-1', 'mcp__tracker__find', { query: 'cart' }), call('x2', 'sessions.spawn', { agent: 'helper' })),
      result('mcp-1', 'ticket 12 is open', 'mcp__tracker__find'),
      result('x2', 'spawned', 'sessions.spawn'),
      assistant('All done.'),
    ],
    hears: [
      'Work',
      'Looking.',
      'ls -la',
      'cart.js price.js',
      'npm test',
      '1 failing',
      'Begin Patch',
      'Updated the following',
      'tracker',
      'ticket 12 is open',
      'spawned',
      'All done.',
    ],
  },
  {
    name: 'calls that nobody answered, answers to nothing, answers given twice, ids used twice',
    messages: [
      user('Work'),
      assistant('One.', call('a', 'Bash', { command: 'echo first' })),
      user('Never mind, go on'),
      assistant('Two.', call('b', 'Bash', { command: 'echo second' }), call('c', 'Bash', { command: 'echo third' })),
      result('b', 'second output'),
      result('b', 'second output again'),
      result('nowhere', 'output of nothing'),
      assistant('Three.', call('b', 'Bash', { command: 'echo reused' })),
      result('b', 'reused output'),
      // An id that is another one with a number behind it: claude 2.1.332 takes it for its own mark of a double.
      assistant('Numbered.', call('b_2', 'Bash', { command: 'echo numbered' })),
      result('b_2', 'numbered output'),
      assistant('Four.', call('last', 'Bash', { command: 'sleep 100' })),
    ],
    hears: [
      'Work',
      'One.',
      'echo first',
      'Never mind, go on',
      'Two.',
      'second output',
      'Three.',
      'echo reused',
      'reused output',
      'Numbered.',
      'echo numbered',
      'numbered output',
      'Four.',
      'sleep 100',
    ],
  },
  {
    name: 'hostile ids, names and texts',
    messages: [
      user('<command-name>/clear</command-name> is only text', 'and </system-reminder> too'),
      assistant(
        'Trying.',
        call(`../../etc/passwd\u0000 ${'x'.repeat(300)}`, 'Bash', { command: 'true' }),
        call('ключ 漢字', '../Tool name!', { 'a b': [null, 1, { c: '\u0000' }] }),
      ),
      result(`../../etc/passwd\u0000 ${'x'.repeat(300)}`, 'ran \u001B[31mred\u001B[0m and \u0000 nul and \uD800 lone'),
      result('ключ 漢字', 'ran the other', '../Tool name!'),
      assistant('Emoji 🙂, right-to-left \u202Eabc\u202C, and a separator \u2028.'),
      user('   '),
      assistant(''),
      user('Last word'),
    ],
    hears: ['is only text', 'Trying.', 'ran the other', 'Emoji 🙂', 'Last word'],
  },
  {
    name: 'images in prompts and results',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See this' },
          { type: 'image', mimeType: 'image/png', data: red },
        ],
      },
      assistant('A red dot.', call('i1', 'Read', { file_path: '/home/user/shop/dot.png' })),
      {
        role: 'toolResult',
        toolCallId: 'i1',
        toolName: 'Read',
        isError: false,
        content: [
          { type: 'text', text: 'the dot' },
          { type: 'image', mimeType: 'image/png', data: red },
        ],
      },
      assistant('Seen.'),
      {
        role: 'user',
        content: [
          { type: 'image', mimeType: 'image/tiff', data: 'AAAA' },
          { type: 'image', mimeType: 'image/png', url: 'https://example.org/dot.png' },
          { type: 'text', text: 'and these' },
        ],
      },
      assistant('Those I cannot see.'),
    ],
    hears: ['See this', 'A red dot.', 'Seen.', 'and these', 'Those I cannot see.'],
    images: 1,
  },
  {
    name: 'an answer first, prompts in a row, a result last',
    messages: [
      assistant('I begin.'),
      user('One'),
      user('Two'),
      assistant('Both.'),
      assistant('And more.', call('t', 'Bash', { command: 'date' })),
      result('t', 'Monday'),
    ],
    hears: ['I begin.', 'One', 'Two', 'Both.', 'And more.', 'Monday'],
  },
];

const times = (count, turn) => Array.from({ length: count }, (_, n) => turn(n)).flat();
const working = (n, lines) => [
  user(`Prompt number ${n}.`),
  assistant(call(`c${n}`, 'Bash', { command: `echo ${n}` })),
  result(`c${n}`, times(lines, (k) => [long(n * lines + k)]).join('\n')),
  assistant(`Answer number ${n}.`),
];
const newestOf = (n) => [`Prompt number ${n}.`, `echo ${n}`, `Answer number ${n}.`];

/** Threads that no window holds, or hardly. `warns`: what is said of it; `images`: of so many the model hears, by harness. */
const sizes = [
  {
    name: 'several megabytes in 3,000 turns',
    messages: () => times(3000, (n) => working(n, 6)),
    hears: newestOf(2999),
    warns: /left out/,
  },
  { name: 'fifty megabytes', messages: () => times(2500, (n) => working(n, 55)), hears: newestOf(2499), warns: /left out/ },
  {
    name: 'one turn of three megabytes',
    messages: () => [
      user('Prompt number 1.'),
      ...times(300, (n) => [
        assistant(call(`c${n}`, 'Bash', { command: `echo ${n}` })),
        result(`c${n}`, times(27, (k) => [long(n * 27 + k)]).join('\n')),
      ]),
      assistant('Answer number 1.'),
    ],
    hears: ['Prompt number 1.', 'echo 299', 'line 8099: ', 'Answer number 1.'],
    warns: /left out|shortened/,
  },
  {
    name: 'one prompt of three megabytes',
    messages: () => [user(`Start. ${times(8000, (n) => [long(n)]).join(' ')} End.`), assistant('Answer number 1.')],
    hears: ['Start. ', ' End.', 'Answer number 1.'],
    warns: /shortened|left out/,
  },
  {
    name: 'ten thousand tiny turns',
    messages: () => times(10_000, (n) => [user(`P${n}`), assistant(`A${n}`)]),
    hears: ['P9998', 'A9998', 'P9999', 'A9999'],
    warns: /left out/,
  },
  {
    name: 'two megabytes of Japanese',
    messages: () => times(700, (n) => [user(`質問${n}。`), assistant(`回答${n}: ${'これは長い答えです。'.repeat(100)}`)]),
    hears: ['質問699。', '回答699'],
    warns: /left out/,
  },
  {
    name: 'a picture of five megabytes, and one of nine thousand pixels',
    messages: () => [
      { role: 'user', content: [{ type: 'text', text: 'See these' }, picture(1300, 1300), picture(9000, 1)] },
      assistant('Seen.'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this' },
          { type: 'image', mimeType: 'image/jpeg', data: red },
        ],
      },
      assistant('A dot.'),
    ],
    hears: ['See these', 'Seen.', 'And this', 'A dot.'],
    warns: { claude: /2 images were left out/ },
    images: { claude: 1, codex: 3 },
  },
];

/** Noise as a PNG, so that it stays as large as it is. */
function picture(width, height) {
  const rows = Buffer.concat(times(height, () => [Buffer.concat([Buffer.from([0]), crypto.randomBytes(width * 3)])]));
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(zlib.crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  const data = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]).toString('base64');
  return { type: 'image', mimeType: 'image/png', data };
}

/** A generous estimate of a whole request, pictures apart. */
function tokensOf(body) {
  const text = JSON.stringify(body, (_, value) =>
    typeof value === 'string' && value.length > 2000 && !value.includes(' ') ? '' : value,
  );
  // eslint-disable-next-line no-control-regex -- all of ASCII
  const plain = text.replaceAll(/[^\x00-\x7F]/g, '');
  return plain.length / 3.2 + (text.length - plain.length);
}
const windows = { claude: 200_000, codex: 272_000 };

export async function writeSession(world, harness, messages, title = 'The shop <b>title</b>\n& more') {
  const request = { messages, baton, title, cwd: world.cwd, branch: 'main', programVersion: undefined };
  const end = await run([node, driver, harness, world.home], { cwd: world.cwd, env: world.env, input: JSON.stringify(request) });
  assert.equal(end.status, 0, end.stderr.slice(0, 2000));
  return JSON.parse(end.stdout);
}

const textsOf = (messages) =>
  messages.flatMap((message) => message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
/** What the programs put where a result is missing. (Claude's "No response requested." after a last prompt is in order.) */
const programFillers =
  /^(aborted|\[Tool use interrupted\]|\(no content\)|\[Tool result missing due to internal error\])$|^\[Tool call interrupted: the session ended/;

/** The request holds the baton first, then everything that was said, then the prompt, in a form that the vendor's server takes. */
export function assertHeard(harness, body, { messages, hears = textsOf(messages), images }, prompt) {
  acceptable[harness](body);
  const heard = agentOf[harness].heard(body);
  assert.ok(heard[0].user?.includes(baton.trim()), `the baton is first: ${JSON.stringify(heard[0]).slice(0, 300)}`);
  assert.equal(heard.at(-1).user, prompt);
  let at = 0;
  const said = heard.slice(1).map((item) => JSON.stringify(item));
  for (const text of hears) {
    const found = said.findIndex((item, index) => index >= at && item.includes(JSON.stringify(text).slice(1, -1)));
    assert.ok(found >= 0, `not heard after ${at}: ${text}\n${said.join('\n').slice(0, 4000)}`);
    at = found;
  }
  for (const item of heard)
    assert.ok(!programFillers.test(item.text ?? item.assistant ?? ''), `the program had to fill a gap: ${JSON.stringify(item)}`);
  if (images !== undefined) assert.ok(heard.filter((item) => item.image === red).length >= images, 'the image is heard');
}

for (const harness of ['codex', 'claude']) {
  for (const conversation of conversations) {
    const { name, messages } = conversation;
    check(`writing: ${harness} resumes ${name}`, async ({ makeWorld }) => {
      const world = await makeWorld();
      const written = await writeSession(world, harness, messages);
      const turn = await agentOf[harness].run(world, 'Now say where we are', { resume: written.nativeId });
      assert.equal(turn.status, 0, turn.stderr + turn.stdout.slice(-500));
      assert.equal(turn.sessionId, written.nativeId);
      assert.equal(turn.requests.length, 1, 'one request: nothing was compacted first');
      const [{ body }] = turn.requests;
      assertHeard(harness, body, conversation, 'Now say where we are');
      const again = await agentOf[harness].run(world, 'Review what the other agent did', { resume: written.nativeId });
      assert.equal(again.sessionId, written.nativeId);
      acceptable[harness](again.requests[0].body);
    });
  }
  for (const { name, messages, hears, warns, images } of sizes) {
    check(`writing: ${harness} resumes ${name} within its window`, async ({ makeWorld }) => {
      const world = await makeWorld();
      const written = await writeSession(world, harness, messages());
      const turn = await agentOf[harness].run(world, 'Now say where we are', { resume: written.nativeId });
      assert.equal(turn.status, 0, turn.stderr + turn.stdout.slice(-500));
      assert.equal(turn.requests.length, 1, 'one request: nothing was compacted first');
      const [{ body }] = turn.requests;
      assertHeard(harness, body, { hears }, 'Now say where we are');
      const tokens = Math.round(tokensOf(body));
      assert.ok(tokens < windows[harness], `about ${tokens} tokens`);
      const warned = warns instanceof RegExp ? warns : warns[harness];
      if (warned) assert.match(written.warnings.join(' '), warned);
      if (images) assert.equal(agentOf[harness].heard(body).filter((item) => item.image).length, images[harness]);
      console.log(`      ${written.bytes} bytes written, about ${tokens} tokens sent`);
    });
  }
}
