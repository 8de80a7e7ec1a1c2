/**
 * Going on in a session that the real program made: Loom puts what happened elsewhere behind it, the program resumes it, and its model
 * hears its own old turns, then the hand-over, then what happened elsewhere, each once and in order. Nothing of the file's earlier bytes
 * changes, the program goes on behind Loom's records, and the ledger reads it all as one session.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { acceptable } from './acceptable.mjs';
import { check } from './check.mjs';
import { sessionOf, trees } from './claude-trees.mjs';
import { heardFromLoom } from './heard.mjs';
import { ingestAndFind, loomJson, node } from './loom-program.mjs';
import { shownEntries, spoken } from './reading.mjs';
import { claudeSessionFiles, codexSessionFiles, run } from './run-agent.mjs';
import { agentOf, converse, prompts } from './sessions.mjs';
import { writeSession } from './writing.mjs';

const driver = fileURLToPath(new URL('write-session.mjs', import.meta.url));
const baton =
  '# Hand-over from pi to this agent\n\nPacket compiled by Loom, not typed by the person.\n\n- Since you last drove: a tax was added.\n';

const call = (id, name, args) => ({ type: 'toolCall', id, name, arguments: args });
const result = (toolCallId, toolName, text) => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  isError: false,
  content: [{ type: 'text', text }],
});
const said = (role, ...content) => ({
  role,
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
/** What happened elsewhere, the `n`th time. */
export const elsewhere = (n) => [
  said('user', `Add the tax ${n}`),
  said('assistant', `Looking at the tax ${n}.`, call('call-1', 'Bash', { command: `grep -n tax${n} price.js` })),
  result('call-1', 'Bash', `1:tax${n}`),
  said('assistant', call('call-2', 'mcp__ledger__book', { account: `tax${n}` })),
  result('call-2', 'mcp__ledger__book', `booked ${n}`),
  said('assistant', `The tax ${n} is in.`),
];
export const heardThere = (n) => [
  `Add the tax ${n}`,
  `Looking at the tax ${n}.`,
  `grep -n tax${n} price.js`,
  `1:tax${n}`,
  `booked ${n}`,
  `The tax ${n} is in.`,
];

const sessionFiles = { claude: claudeSessionFiles, codex: codexSessionFiles };

export async function goOn(world, harness, nativeId, messages, { programVersion } = {}) {
  const [file] = sessionFiles[harness](world).filter((path) => path.includes(nativeId));
  const before = fs.readFileSync(file);
  const request = { messages, baton, title: 'The shop', cwd: world.cwd, branch: 'main', nativeId, programVersion };
  const end = await run([node, driver, harness, world.home, file], {
    cwd: world.cwd,
    env: world.env,
    input: JSON.stringify(request),
  });
  assert.equal(end.status, 0, end.stderr.slice(0, 2000));
  const made = JSON.parse(end.stdout);
  if (made.refusal === undefined)
    assert.ok(fs.readFileSync(file).subarray(0, before.length).equals(before), 'the earlier bytes are as they were');
  return { ...made, file };
}

/** Every text once, in this order, in the request. */
export function assertOrder(body, texts) {
  const heard = JSON.stringify(body.input ?? body.messages.filter((message) => message.role !== 'system'));
  let at = 0;
  for (const text of texts) {
    const quoted = JSON.stringify(text).slice(1, -1);
    const found = heard.indexOf(quoted, at);
    assert.ok(found >= 0, `not heard after ${at}: ${text}\n${heard.slice(-6000)}`);
    at = found + quoted.length;
  }
}
function assertOnce(body, texts) {
  const heard = JSON.stringify(body.input ?? body.messages);
  for (const text of texts) assert.equal(heard.split(JSON.stringify(text).slice(1, -1)).length - 1, 1, `heard once: ${text}`);
}

const oldTurns = ['It is a small shop', 'Looking at both at once.', 'the price is 10', 'The check failed with exit code 3'];

for (const harness of ['claude', 'codex']) {
  check(`returning: ${harness} goes on in its own session behind what happened elsewhere, twice`, async ({ makeWorld }) => {
    const world = await makeWorld();
    const begun = await converse(world, harness, prompts.slice(0, 3));
    const first = await goOn(world, harness, begun.sessionId, elsewhere(1));
    assert.equal(first.refusal, undefined);
    const next = await converse(world, harness, ['Add a discount'], { resume: begun.sessionId });
    const { body } = next.requests[0];
    acceptable[harness](body);
    assertOrder(body, [...oldTurns, baton.trim(), ...heardThere(1), 'Add a discount']);
    assertOnce(body, [...prompts.slice(0, 3), 'Since you last drove', 'The tax 1 is in.', 'booked 1', '1:tax1']);

    await goOn(world, harness, begun.sessionId, elsewhere(2));
    const last = await converse(world, harness, ['Now say where we are'], { resume: begun.sessionId });
    acceptable[harness](last.requests[0].body);
    assertOrder(last.requests[0].body, [
      ...oldTurns,
      ...heardThere(1),
      'Add a discount',
      'Noted a discount of 5%.',
      ...heardThere(2),
      'Now say where we are',
    ]);
    assert.equal(sessionFiles[harness](world).length, 1, 'one file');

    const thread = await ingestAndFind(world, begun.sessionId);
    const shown = await shownEntries(world, thread.id);
    assert.deepEqual(
      shown.conversations.map((one) => one.current),
      [true],
      'one conversation, no branch',
    );
    assert.deepEqual(
      shown.entries.filter((entry) => entry.kind === 'opaque'),
      [],
    );
    const asked = (origin) =>
      shown.entries.flatMap((entry) => (entry.kind === 'user' && entry.origin === origin ? [entry.text] : []));
    assert.equal(asked('loom').length, 2, 'both packets are Loom’s');
    assert.deepEqual(asked('typed'), [
      ...prompts.slice(0, 3),
      'Add the tax 1',
      'Add a discount',
      'Add the tax 2',
      'Now say where we are',
    ]);
    assert.deepEqual(spoken(heardFromLoom(await loomJson(world, 'context', thread.id))), spoken(last.heard));
  });
}

for (const [name, rows] of Object.entries(trees)) {
  check(`returning: claude goes on where it would itself: ${name}`, async ({ makeWorld }) => {
    const heardAfter = async (prepare) => {
      const world = await makeWorld();
      const nativeId = sessionOf(world, rows);
      await prepare(world, nativeId);
      const turn = await converse(world, 'claude', ['Now say where we are'], { resume: nativeId });
      acceptable.claude(turn.requests[0].body);
      return agentOf.claude.heard(turn.requests[0].body).filter((item) => item.assistant !== 'No response requested.');
    };
    const own = (await heardAfter(() => {})).slice(0, -1);
    const behind = await heardAfter(async (world, nativeId) => {
      const made = await goOn(world, 'claude', nativeId, elsewhere(1));
      assert.equal(made.refusal, undefined);
    });
    const at = behind.findIndex((item) => item.user?.includes('Since you last drove'));
    const plain = (items) => items.map((item) => (item.result === undefined ? item : { ...item, text: item.text.slice(0, 12) }));
    assert.deepEqual(
      plain(behind.slice(0, at)).map((item) => ({ ...item, text: item.text?.startsWith('[') ? '[' : item.text })),
      plain(own).map((item) => ({ ...item, text: item.text?.startsWith('[') ? '[' : item.text })),
    );
    assert.ok(at >= 0 && JSON.stringify(behind.slice(at)).includes('The tax 1 is in.'));
  });
}

check('returning: codex goes on in a session that Loom wrote and whose last command was cut off', async ({ makeWorld }) => {
  const world = await makeWorld();
  const written = await writeSession(world, 'codex', elsewhere(1));
  const timestamp = new Date().toISOString();
  const payload = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"sleep 100"}', call_id: 'cut_off' };
  fs.appendFileSync(written.path, `${JSON.stringify({ timestamp, type: 'response_item', payload })}\n`);
  assert.equal((await goOn(world, 'codex', written.nativeId, elsewhere(2))).refusal, undefined);
  const turn = await converse(world, 'codex', ['Now say where we are'], { resume: written.nativeId });
  acceptable.codex(turn.requests[0].body);
  assertOrder(turn.requests[0].body, [...heardThere(1), 'sleep 100', 'Since you last drove', ...heardThere(2)]);
});

check('returning: codex compacts first when what Loom put behind its session fills the window', async ({ makeWorld }) => {
  const world = await makeWorld();
  const { sessionId } = await converse(world, 'codex', prompts.slice(0, 1));
  await goOn(world, 'codex', sessionId, [said('user', `Read this: ${'word '.repeat(30_000)}`), said('assistant', 'Read.')]);
  const extra = ['-c', 'model_auto_compact_token_limit=20000'];
  const turn = await agentOf.codex.run(world, 'Now say where we are', { resume: sessionId, extra });
  assert.equal(turn.status, 0, turn.stderr);
  assert.equal(turn.requests.length, 2, 'a compaction, then the turn');
});

check('returning: codex lists a session that Loom wrote, and `--last` finds it, after its first turn', async ({ makeWorld }) => {
  const world = await makeWorld();
  const own = await converse(world, 'codex', prompts.slice(0, 1));
  const written = await writeSession(world, 'codex', elsewhere(1));
  const last = async () => {
    const argv = [
      world.agents.codex,
      'exec',
      'resume',
      '--last',
      '--json',
      '--skip-git-repo-check',
      'Review what the other agent did',
    ];
    const { status, stdout, stderr } = await run(argv, world);
    assert.equal(status, 0, stderr);
    return /"thread_id":"([^"]+)"/.exec(stdout)?.[1];
  };
  assert.equal(await last(), own.sessionId, 'its index does not know it yet');
  await converse(world, 'codex', ['Now say where we are'], { resume: written.nativeId });
  assert.equal(await last(), written.nativeId);
});
