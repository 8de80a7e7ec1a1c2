/**
 * Handed-over sessions as a person meets them: in the programs' own pickers, and in their terminals by the command that
 * `loom continue` gives.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { squeezed } from './carried.mjs';
import { check } from './check.mjs';
import { ingestAndFind, loomJson } from './loom-program.mjs';
import { start, until } from './run-agent.mjs';
import { converse, fullTurns, prompts } from './sessions.mjs';
import { startTerminal } from './terminal.mjs';

for (const [harness, to] of [
  ['claude', 'codex'],
  ['codex', 'claude'],
]) {
  check(`hand-over: the command for a session from ${harness} opens it in the terminal of ${to}`, async ({ begun }) => {
    const { world, session } = await begun(harness, fullTurns);
    const { id: thread } = await ingestAndFind(world, session.sessionId);
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
}

/** For an older model Codex's terminal asks first whether to change it. */
function useNewestModel(world) {
  const file = path.join(world.home, '.codex', 'config.toml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"gpt-5.5"', '"gpt-6.2-sol"'));
}

check('hand-over: the pickers of both programs list what was written', async ({ begun }) => {
  const { world, session } = await begun('codex', fullTurns);
  const { id, title } = await ingestAndFind(world, session.sessionId);
  const toClaude = await loomJson(world, 'continue', id, '--in', 'claude');
  const terminal = startTerminal([world.agents.claude, '--resume'], world);
  await until(
    () => terminal.text().includes(title),
    () => `the claude picker to show "${title}"; it shows: ${terminal.text().slice(-1500)}`,
    20_000,
  );
  terminal.kill('SIGKILL');
  await terminal.ended;
  assert.ok(toClaude.nativeId);

  const second = await converse(world, 'claude', prompts.slice(2, 4));
  const thread = await ingestAndFind(world, second.sessionId);
  const toCodex = await loomJson(world, 'continue', thread.id, '--in', 'codex');
  const listed = await codexThreads(world);
  const row = listed.find((one) => one.id === toCodex.nativeId);
  assert.ok(row, `codex lists ${toCodex.nativeId}: ${JSON.stringify(listed.map((one) => one.id))}`);
  assert.ok(row.preview || row.name, 'with a text to know it by');
});

/** The threads that the real codex lists, asked through its own app server. */
async function codexThreads(world) {
  const lines = [
    {
      id: 1,
      method: 'initialize',
      params: { clientInfo: { name: 'loom_check', title: 'Loom check', version: '0' }, capabilities: { experimentalApi: true } },
    },
    { method: 'initialized' },
    { id: 2, method: 'thread/list', params: { limit: 50, useStateDbOnly: false } },
  ];
  const child = start([world.agents.codex, 'app-server'], world);
  for (const line of lines) child.process.stdin.write(`${JSON.stringify(line)}\n`);
  const answer = await until(
    () =>
      child
        .stdout()
        .split('\n')
        .map(parsed)
        .find((message) => message?.id === 2),
    'thread/list',
  );
  child.process.stdin.end();
  child.kill('SIGTERM');
  await child.ended;
  return answer.result?.data ?? [];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
