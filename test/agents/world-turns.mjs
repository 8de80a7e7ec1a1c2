/**
 * Two real agents in one worktree while a Loom follows them: what each turn did to the files is told exactly, and each turn is taken back in
 * several orders, whatever was taken back before it.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { loomJson, startLoom } from './loom-program.mjs';
import { until } from './run-agent.mjs';
import { stockLines } from './scenarios.mjs';
import { agentOf } from './sessions.mjs';

/** What each turn does, and to which line of the stock: no two touch the same place. */
const turns = [
  {
    agent: 'claude',
    prompt: 'Lay out the shelf',
    line: 3,
    files: { 'shelf.js': 'export const shelf = [];\n' },
    changes: ['added shelf.js +1 -0 tool', 'modified stock.txt +1 -1 tool'],
  },
  {
    agent: 'codex',
    prompt: 'Rename the price to cost',
    line: 13,
    files: { 'cost.js': 'export const price = 10;\n', 'price.js': null },
    changes: ['moved price.js → cost.js +0 -0 command', 'modified stock.txt +1 -1 command'],
  },
  {
    agent: 'claude',
    prompt: 'Clear away the readme',
    line: 23,
    files: { 'README.md': null, 'deep/er/notes.txt': 'one\ntwo\n' },
    changes: ['deleted README.md +0 -1 command', 'added deep/er/notes.txt +2 -0 command', 'modified stock.txt +1 -1 tool'],
  },
  {
    agent: 'codex',
    prompt: 'Add the label of the shop',
    line: 33,
    files: { 'label.txt': 'The shop\n' },
    changes: ['added label.txt +1 -0 tool', 'modified stock.txt +1 -1 command'],
  },
];

const start = { 'README.md': '# Shop\n', 'price.js': 'export const price = 10;\n' };

/** The worktree when only these turns have been done. */
function expected(done) {
  const files = { ...start };
  for (const turn of done) Object.assign(files, turn.files);
  files['stock.txt'] = stockLines(done.map(({ line }) => line));
  files['mine.txt'] = 'of the person\n';
  return Object.fromEntries(
    Object.entries(files)
      .filter(([, text]) => text !== null)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function filesIn(cwd) {
  const names = fs
    .readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(cwd, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('.git'));
  return Object.fromEntries(names.toSorted().map((name) => [name, fs.readFileSync(path.join(cwd, name), 'utf8')]));
}

/** Of a turn whose first action came before its first snapshot, what commands did cannot be told from what was before. */
const told = ({ path: name, from, change, added, removed, by }) =>
  `${change} ${from === undefined ? '' : `${from} → `}${name} +${added} -${removed} ${by === 'unclear' ? 'command' : by}`;

check(
  'world: what each turn of two agents in one worktree did is told exactly, and each is taken back in every order',
  async ({ makeWorld }) => {
    const world = await makeWorld();
    fs.writeFileSync(path.join(world.cwd, 'stock.txt'), stockLines([]));
    const watching = startLoom(world, ['ingest', '--watch']);
    // The first command of all would own the ledger if it came before, and nobody would follow the sources after it.
    await until(() => watching.stderr().includes('Following the sources'), 'the sources are followed');
    await until(async () => (await loomJson(world, 'snapshot', 'take')).number > 0, 'the first snapshot');
    const sessions = {};
    const spans = [];
    for (const [index, turn] of turns.entries()) {
      const end = await agentOf[turn.agent].run(world, turn.prompt, { resume: sessions[turn.agent] });
      assert.equal(end.status, 0, `${turn.agent}: ${end.stdout.slice(-600)} ${end.stderr.slice(-600)}`);
      sessions[turn.agent] = end.sessionId;
      const nth = turns.slice(0, index + 1).filter((one) => one.agent === turn.agent).length - 1;
      const seen = async () => {
        const threads = await loomJson(world, 'threads', '--all');
        const thread = threads.find((one) => one.native.some(({ id }) => id === end.sessionId));
        if (thread === undefined) return undefined;
        const { changes } = await loomJson(world, 'snapshot', 'list', '--thread', thread.id);
        return changes.turns.filter(({ entry }) => entry !== null)[nth];
      };
      let last;
      const span = await until(
        async () => {
          last = await seen();
          return last?.files.length === turn.changes.length ? last : undefined;
        },
        () => `the changes of "${turn.prompt}": ${JSON.stringify(last)}\n${watching.stderr()}`,
        30_000,
      );
      assert.deepEqual(span.files.map(told), turn.changes, turn.prompt);
      assert.equal(span.harness, turn.agent);
      assert.deepEqual(span.beside, []);
      spans.push(span);
    }
    fs.writeFileSync(path.join(world.cwd, 'mine.txt'), 'of the person\n');
    assert.deepEqual(filesIn(world.cwd), expected(turns));
    const whole = (await loomJson(world, 'snapshot', 'take')).number;
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ]) {
      const done = new Set(turns);
      for (const index of order) {
        const { before, after } = spans[index];
        const { steps } = await loomJson(world, 'snapshot', 'restore', '--before', `${before}`, '--after', `${after}`);
        assert.ok(
          steps.every(({ action }) => action !== 'conflict'),
          JSON.stringify(steps),
        );
        done.delete(turns[index]);
        assert.deepEqual(filesIn(world.cwd), expected([...done]), `order ${order.join()} after ${index}`);
      }
      const now = (await loomJson(world, 'snapshot', 'take')).number;
      await loomJson(world, 'snapshot', 'restore', '--before', `${whole}`, '--after', `${now}`);
      assert.deepEqual(filesIn(world.cwd), expected(turns));
    }
    watching.kill('SIGTERM');
    assert.equal((await watching.ended).status, 0, watching.stderr());
  },
  { timeoutMs: 400_000 },
);
