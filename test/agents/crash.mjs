/**
 * `loom continue` killed at any moment: the target never lists half a session, nothing of the source changes, and the
 * next `loom continue` works as if nothing had been. The moments come from a fixed seed over the measured running time.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { ingestAndFind, loomJson, startLoom } from './loom-program.mjs';
import { claudeSessionFiles, codexSessionFiles, filesBelow } from './run-agent.mjs';
import { converse, fullTurns } from './sessions.mjs';

const kills = 14;

/** Park and Miller's generator: the same moments in every run. */
function fractions(seed) {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Every file of any name in the folders of the target's sessions. */
const targetFiles = (world, to) => filesBelow(path.join(world.home, to === 'codex' ? '.codex/sessions' : '.claude/projects'));

/** Whole: every line is a record, and the last one ends. */
function assertWhole(file) {
  const text = fs.readFileSync(file, 'utf8');
  assert.ok(text.endsWith('\n'), `${file} ends in the middle of a line`);
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
}

for (const [harness, to] of [
  ['claude', 'codex'],
  ['codex', 'claude'],
]) {
  check(`crash: killing the hand-over from ${harness} to ${to} at any moment leaves no half session`, async ({ begun }) => {
    const listed = to === 'codex' ? codexSessionFiles : claudeSessionFiles;
    const { world, session } = await begun(harness, fullTurns);
    const { sessionId, heard } = session;
    const { id, native } = await ingestAndFind(world, sessionId);
    const source = fs.readFileSync(native[0].path);
    const startedAt = Date.now();
    const dry = startLoom(world, ['continue', id, '--in', to, '--dry-run', '--json']);
    await dry.ended;
    const running = (Date.now() - startedAt) * 1.3;
    const next = fractions(20_261_130);
    let finished = 0;
    for (let round = 0; round < kills; round++) {
      const child = startLoom(world, ['continue', id, '--in', to, '--json']);
      const known = new Set(targetFiles(world, to));
      const hasBegunToWrite = () => targetFiles(world, to).some((file) => !known.has(file));
      // Every third is killed at any moment; the others as soon as a file of theirs is seen, or a few milliseconds later.
      const timer =
        round % 3 === 0
          ? setTimeout(() => child.kill('SIGKILL'), running * next())
          : setInterval(() => hasBegunToWrite() && child.kill('SIGKILL'), round % 3);
      const { status } = await child.ended;
      clearTimeout(timer);
      if (status === 0) finished++;
      for (const file of listed(world)) assertWhole(file);
      assert.ok(source.equals(fs.readFileSync(native[0].path)), 'the source is as it was');
    }
    console.log(`      ${finished} of ${kills} ended before their kill (window ${Math.round(running)} ms)`);
    assert.ok(finished < kills, 'at least one was killed');
    await loomJson(world, 'ingest');
    const result = await loomJson(world, 'continue', id, '--in', to);
    const turn = await converse(world, to, ['Now say where we are'], { resume: result.nativeId });
    assert.ok(JSON.stringify(turn.requests[0].body).includes(heard.at(-1).assistant), 'the whole conversation is there');
    const thread = await ingestAndFind(world, result.nativeId);
    assert.equal(thread.id, id);
    const threads = await loomJson(world, 'threads', '--all');
    assert.deepEqual(
      threads.map((one) => one.id),
      [id],
      `one thread: ${JSON.stringify(threads.map((one) => [one.id, one.harness, one.title]))}`,
    );
    const folder = path.dirname(result.path);
    const strays = filesBelow(folder).filter(
      (file) => !/\.jsonl(\.zst)?$/.test(file) && !file.includes(`${path.sep}memory${path.sep}`),
    );
    assert.deepEqual(strays, [], 'no temporary files stay beside the sessions');
  });
}
