/**
 * The writers alone, against the real programs: hand-made conversations of every awkward kind are written as a native
 * session, the program resumes it, and its model hears the baton and all that was said, in a form that the vendor's
 * server takes.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { acceptable } from './acceptable.mjs';
import { check } from './check.mjs';
import { node } from './loom-program.mjs';
import { run } from './run-agent.mjs';
import { agentOf } from './sessions.mjs';

const driver = fileURLToPath(new URL('write-session.mjs', import.meta.url));
const baton = '# Hand-over by Loom\n\n- Goal: build the shop\n- Never touch `price.js`\n';
const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

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
const conversations = [
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
  {
    name: 'a conversation of 3,000 turns and several megabytes',
    messages: Array.from({ length: 3000 }, (_, n) => [
      user(`Prompt number ${n}.`),
      assistant(call(`c${n}`, 'Bash', { command: `echo ${n}` })),
      result(`c${n}`, Array.from({ length: 6 }, (__, k) => long(n * 6 + k)).join('\n')),
      assistant(`Answer number ${n}.`),
    ]).flat(),
    hears: ['Prompt number 2999.', 'echo 2999', 'Answer number 2999.'],
    largest: 1_000_000,
  },
];

async function writeSession(world, harness, messages, title = 'The shop <b>title</b>\n& more') {
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

for (const harness of ['codex', 'claude']) {
  for (const { name, messages, hears = textsOf(messages), images, largest } of conversations) {
    check(`writing: ${harness} resumes ${name}`, async ({ makeWorld }) => {
      const world = await makeWorld();
      const written = await writeSession(world, harness, messages);
      const turn = await agentOf[harness].run(world, 'Now say where we are', { resume: written.nativeId });
      assert.equal(turn.status, 0, turn.stderr + turn.stdout.slice(-500));
      assert.equal(turn.sessionId, written.nativeId);
      assert.equal(turn.requests.length, 1, 'one request: nothing was compacted first');
      const [{ body }] = turn.requests;
      acceptable[harness](body);
      const heard = agentOf[harness].heard(body);
      assert.ok(heard[0].user?.includes(baton.trim()), `the baton is first: ${JSON.stringify(heard[0]).slice(0, 300)}`);
      assert.equal(heard.at(-1).user, 'Now say where we are');
      let at = 0;
      const said = heard.slice(1).map((item) => JSON.stringify(item));
      for (const text of hears) {
        const found = said.findIndex((item, index) => index >= at && item.includes(JSON.stringify(text).slice(1, -1)));
        assert.ok(found >= 0, `not heard after ${at}: ${text}\n${said.join('\n').slice(0, 4000)}`);
        at = found;
      }
      for (const item of heard)
        assert.ok(
          !programFillers.test(item.text ?? item.assistant ?? ''),
          `the program had to fill a gap: ${JSON.stringify(item)}`,
        );
      if (images !== undefined) assert.ok(heard.filter((item) => item.image === red).length >= images, 'the image is heard');
      if (largest !== undefined) {
        assert.ok(JSON.stringify(body.input ?? body.messages).length < largest, 'it fits the window of a model');
        assert.ok(written.warnings.length > 0, 'what was left out is said');
      }
      const again = await agentOf[harness].run(world, 'Review what the other agent did', { resume: written.nativeId });
      assert.equal(again.sessionId, written.nativeId);
      acceptable[harness](again.requests[0].body);
    });
  }
}
