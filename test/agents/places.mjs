/**
 * Where sessions are and who else is there: odd folders, the programs' own folder variables, a Loom that watches, sources
 * that are gone, and secrets in every part of a session.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { assertCarried, assertNoSecrets } from './carried.mjs';
import { ingestAndFind, loomJson, startLoom } from './loom-program.mjs';
import { claudeSessionFiles, codexSessionFiles, filesBelow, until } from './run-agent.mjs';
import { secrets } from './secrets.mjs';
import { agentOf, converse, fullTurns, prompts } from './sessions.mjs';

const directions = [
  ['claude', 'codex'],
  ['codex', 'claude'],
];
const filesOf = { claude: claudeSessionFiles, codex: codexSessionFiles };
const withoutThinking = (items) => items.filter((item) => item.thinking === undefined);

/** From one program to the other and one turn there; what the target heard after the baton, and its new file. */
async function carry(world, thread, to) {
  const result = await loomJson(world, 'continue', thread, '--in', to, '--native');
  const turn = await converse(world, to, ['Now say where we are'], { resume: result.nativeId });
  return { ...result, heard: agentOf[to].heard(turn.requests[0].body).slice(1), requests: turn.requests };
}

const folders = {
  'with spaces and other scripts': 'My Shop v1.2 (日本語, Ümlaut) & co',
  'with a very long name': path.join('deep'.repeat(40), 'down'.repeat(40), 'shop'),
};
for (const [name, folder] of Object.entries(folders)) {
  check(`places: a project in a folder ${name} goes there and back`, async ({ makeWorld }) => {
    const world = await makeWorld({ folder });
    const session = await converse(world, 'claude', prompts.slice(0, 2));
    const thread = await ingestAndFind(world, session.sessionId);
    assert.equal(thread.cwd, world.cwd);
    const there = await carry(world, thread.id, 'codex');
    assertCarried(there.heard, withoutThinking(session.heard), -1);
    await ingestAndFind(world, there.nativeId);
    const back = await carry(world, thread.id, 'claude');
    assert.equal(path.dirname(back.path), path.dirname(claudeSessionFiles(world)[0]), 'in the folder that claude itself uses');
    assertCarried(back.heard, withoutThinking(session.heard), -1);
    assert.equal((await ingestAndFind(world, back.nativeId)).id, thread.id);
  });
}

check("places: the programs' own folder variables are followed, both ways", async ({ makeWorld }) => {
  const world = await makeWorld({ own: true });
  for (const [harness, to] of directions) {
    const session = await converse(world, harness, prompts.slice(0, 2));
    const thread = await ingestAndFind(world, session.sessionId);
    const { path: written, heard } = await carry(world, thread.id, to);
    assert.ok(written.startsWith(world[`${to}Home`]), written);
    assertCarried(heard, withoutThinking(session.heard), -1);
  }
  assert.ok(!fs.existsSync(path.join(world.home, '.claude')) && !fs.existsSync(path.join(world.home, '.codex')));
});

for (const [harness, to] of directions) {
  check(
    `places: a Loom that watches sees a ${harness} session and its hand-over to ${to} as they happen`,
    async ({ makeWorld }) => {
      const world = await makeWorld();
      const watching = startLoom(world, ['ingest', '--watch']);
      await until(() => watching.stderr().includes('Following the sources'), 'the sources are followed');
      const session = await converse(world, harness, prompts.slice(0, 2));
      const seen = async () =>
        (await loomJson(world, 'threads')).find((one) => one.native.some((native) => native.id === session.sessionId));
      const thread = await until(
        async () => ((await seen())?.turns === 2 ? await seen() : undefined),
        'the session to be seen',
        20_000,
      );
      const there = await carry(world, thread.id, to);
      assertCarried(there.heard, withoutThinking(session.heard), -1);
      await until(
        async () =>
          JSON.stringify((await loomJson(world, 'show', thread.id, '--limit', '500')).entries).includes('the check still fails.'),
        "the target's answer to be seen",
        20_000,
      );
      assert.equal((await loomJson(world, 'threads', '--all')).length, 1);
      watching.kill('SIGTERM');
      const { status } = await watching.ended;
      assert.equal(status, 0, `the watching loom ends in order: ${watching.stderr()}`);
    },
  );

  check(`places: a ${harness} session whose file is gone is still carried to ${to}, from the ledger`, async ({ begun }) => {
    const { world, session } = await begun(harness, fullTurns);
    const { id, native } = await ingestAndFind(world, session.sessionId);
    fs.rmSync(native[0].path);
    const thread = await ingestAndFind(world, session.sessionId);
    assert.equal(thread.sourceGone, true);
    const { heard } = await carry(world, id, to);
    assertCarried(heard, withoutThinking(session.heard), -1);
    assert.deepEqual(filesOf[harness](world), [], 'and the old file is not made again');
  });

  check(`places: secrets in a title, a prompt, a command and a file of a ${harness} session stay here`, async ({ makeWorld }) => {
    const world = await makeWorld();
    const first = `Deploy with API_KEY=${secrets.key} please`;
    const session = await converse(world, harness, [first, 'Call the service']);
    const thread = await ingestAndFind(world, session.sessionId);
    const before = new Set(filesBelow(world.home));
    const there = await carry(world, thread.id, to);
    assertNoSecrets(
      there.requests.map((request) => request.body),
      'what the target heard',
    );
    assertNoSecrets(there.baton, 'the baton');
    assertNoSecrets(there.disclosure, 'the disclosure');
    for (const file of filesBelow(world.home).filter((one) => !before.has(one) && !one.includes(`${path.sep}.git${path.sep}`))) {
      assertNoSecrets(fs.readFileSync(file, 'utf8'), `the new file ${file}`);
    }
    assert.ok(JSON.stringify(there.heard).includes('masked:'), 'masked, not dropped');
    assert.ok(JSON.stringify(there.heard).includes('deploy.sh'));
  });
}

check('places: two projects and both programs at once are kept apart', async ({ makeWorld }) => {
  const world = await makeWorld();
  const other = path.join(world.home, 'other');
  fs.mkdirSync(other);
  const [inShop, elsewhere] = [
    await converse(world, 'claude', prompts.slice(0, 1)),
    await converse({ ...world, cwd: other }, 'codex', prompts.slice(0, 1)),
  ];
  await loomJson(world, 'ingest');
  const cwds = (await loomJson(world, 'threads')).map((one) => [one.native[0].id, one.cwd]);
  assert.deepEqual(
    new Map(cwds),
    new Map([
      [inShop.sessionId, world.cwd],
      [elsewhere.sessionId, other],
    ]),
  );
  const here = await loomJson(world, 'threads', '--cwd', other);
  assert.deepEqual(
    here.map((one) => one.native[0].id),
    [elsewhere.sessionId],
  );
});
