/**
 * The real-agents run: the pinned `claude` and `codex`, headless, each world with a HOME of its own, against loopback
 * models, with the built `loom` between them. `node test/agents/run.mjs [words]`: only checks whose name has all words.
 * The last line of output is the count; the exit code is 0 only when nothing failed.
 */
import fs from 'node:fs';
import { chosenCount, runChecks, summary } from './check.mjs';
import { ensureAgents } from './install.mjs';
import { program } from './loom-program.mjs';

for (const part of [
  'writing',
  'returning',
  'reading',
  'handover',
  'terminals',
  'histories',
  'places',
  'refusal',
  'crash',
  'world-turns',
  'mcp',
  'matrix',
])
  await import(`./${part}.mjs`);

const words = process.argv.slice(2);
const chosen = (name) => words.every((word) => name.includes(word));

const agents = ensureAgents((line) => console.log(line));
if (!agents.ok) {
  console.log(`skip  the real agents are not here: ${agents.reason}`);
  console.log(summary({ passed: 0, failed: 0, skipped: chosenCount(chosen) }));
} else if (!fs.existsSync(program) && chosenCount((name) => chosen(name) && !name.startsWith('writing:')) > 0) {
  console.log(`FAIL  dist/loom.cjs is not built: run "npm run build" first`);
  console.log(summary({ passed: 0, failed: 1, skipped: 0 }));
  process.exitCode = 1;
} else {
  const count = await runChecks(agents, chosen);
  if (count.failed > 0 || count.passed + count.skipped === 0) process.exitCode = 1;
  console.log(summary(count));
}
