/**
 * Reading: sessions that the real programs make here and now come into the ledger as what their models heard and said,
 * with the facts that a person sees, and every entry leads back to its bytes.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { check } from './check.mjs';
import { heardFromLoom, inCallOrder } from './heard.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { converse, fullTurns, prompts } from './sessions.mjs';

/** The frame that Codex puts around an output: facts, which the ledger keeps as facts. */
export const unframed = (text) => text.replace(/^(Chunk ID|Exit code|Script completed)[^]*?\nOutput:\n+/, '').trim();

/** The items without thinking, frames and mail between agents, results in the order of their calls. */
export const spoken = (items) =>
  inCallOrder(items)
    .filter((item) => item.thinking === undefined && item.mail === undefined)
    .map((item) => (item.result === undefined ? item : { ...item, text: unframed(item.text) }));

/** Every entry of the thread's current conversation, oldest first. */
export async function shownEntries(world, thread) {
  const entries = [];
  for (let after = 0; ;) {
    const page = await loomJson(world, 'show', thread, '--after', String(after), '--limit', '500');
    entries.push(...page.entries);
    if (!page.next || page.entries.length === 0) return { ...page, entries };
    after = page.entries.at(-1).id;
  }
}

function assertBytes(entries, files) {
  const contents = files.map((file) => fs.readFileSync(file));
  for (const { provenance, kind } of entries) {
    if (provenance.source === 0) continue;
    const found = contents.some((bytes) => isJson(bytes.subarray(provenance.offset, provenance.offset + provenance.length)));
    assert.ok(found, `${kind} points at bytes ${provenance.offset}+${provenance.length}, which are no record`);
  }
}
function isJson(bytes) {
  try {
    JSON.parse(bytes.toString('utf8'));
    return bytes.length > 0;
  } catch {
    return false;
  }
}

/** What both agents' sessions must show, whatever their formats. */
async function assertReading(world, harness, session, perRequest) {
  const thread = await ingestAndFind(world, session.sessionId);
  assert.equal(thread.harness, harness);
  assert.equal(thread.cwd, world.cwd);
  assert.equal(thread.branch, 'main');
  assert.equal(thread.turns, fullTurns.length);
  assert.equal(thread.title, fullTurns[0]);
  assert.equal(thread.live, false);
  assert.equal(thread.automation, false);

  const context = heardFromLoom(await loomJson(world, 'context', thread.id));
  assert.deepEqual(spoken(context), spoken(session.heard));

  const { entries } = await shownEntries(world, thread.id);
  const of = (kind) => entries.filter((entry) => entry.kind === kind);
  assert.deepEqual(
    of('user')
      .filter((entry) => entry.origin === 'typed')
      .map((entry) => entry.text),
    fullTurns,
  );
  assert.ok(
    of('assistant').some((entry) => entry.content.some((block) => block.thinking === 'The readme will say what it is.')),
    'the thinking is shown',
  );
  const files = [...of('tool_result'), ...of('step')].flatMap((entry) => entry.details.files ?? []);
  assert.ok(
    files.some((file) => file.change === 'add' && file.path.endsWith('cart.js') && file.added === 1),
    `the written file is a change: ${JSON.stringify(files)}`,
  );
  assert.ok(
    files.some((file) => file.change === 'update' && file.path.endsWith('cart.js') && file.diff?.includes('* item.quantity')),
    `the edit has its diff: ${JSON.stringify(files)}`,
  );
  const failed = [...of('tool_result'), ...of('step')].filter((entry) => entry.details.exitCode === 3);
  assert.ok(failed.length > 0 && failed.every((entry) => entry.isError), 'the failing command has its exit code');
  assert.deepEqual(
    of('plan')
      .at(-1)
      ?.items.map((item) => [item.text, item.status]),
    [
      ['Write cart.js', 'completed'],
      ['Use the quantity', 'completed'],
    ],
  );
  assert.deepEqual(
    of('opaque').map((entry) => entry.nativeType),
    [],
    'every record is understood',
  );
  const times = session.requests.length;
  for (const [name, each] of Object.entries(perRequest)) assert.equal(thread.usage[name], each * times, `tokens: ${name}`);
  assertBytes(
    entries,
    thread.native.map((native) => native.path),
  );
}

check('reading: a claude session is in the ledger as its model heard it', async ({ begun }) => {
  const { world, session } = await begun('claude', fullTurns);
  await assertReading(world, 'claude', session, { input: 7, output: 11, cacheRead: 20, cacheWrite: 100 });
});

check('reading: a codex session is in the ledger as its model heard it', async ({ begun }) => {
  const { world, session } = await begun('codex', fullTurns);
  await assertReading(world, 'codex', session, { input: 107, output: 11, cacheRead: 20 });
});

check('reading: a codex session in code mode shows the commands that its scripts ran', async ({ begun }) => {
  const { world, session } = await begun('codex', fullTurns, { extra: ['-m', 'gpt-6.2-sol'] });
  const thread = await ingestAndFind(world, session.sessionId);
  const context = heardFromLoom(await loomJson(world, 'context', thread.id));
  assert.deepEqual(spoken(context), spoken(session.heard));
  const { entries } = await shownEntries(world, thread.id);
  const actions = entries.filter((entry) => entry.kind === 'step' || entry.kind === 'tool_result').map((entry) => entry.details);
  assert.ok(
    actions.some((details) => details.command?.includes('cat price.js') && details.exitCode === 0),
    'the command inside the script',
  );
  assert.ok(
    actions.some((details) => details.files?.some((file) => file.path.endsWith('cart.js'))),
    'the patch inside the script',
  );
});

check('reading: a second ingest of the same files adds nothing', async ({ makeWorld }) => {
  const world = await makeWorld();
  await converse(world, 'claude', prompts.slice(0, 2));
  await converse(world, 'codex', prompts.slice(0, 2));
  const first = await loomJson(world, 'ingest');
  assert.ok(first.entries > 0);
  const second = await loomJson(world, 'ingest');
  assert.deepEqual([second.entries, second.bytes, second.records], [0, 0, 0]);
});
