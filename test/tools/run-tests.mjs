/**
 * `npm test`: everything, headless; `node test/tools/run-tests.mjs NAME…`: the named steps. Sets up what is missing, shows the whole
 * log of a step that failed, and ends with one line of counts over all suites. Exit 0 only when nothing failed. Runs on Node 18.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { root } from './places.mjs';
import { endAllOnInterrupt, run } from './processes.mjs';
import { clearReports, steps } from './steps.mjs';
import { addSummaries, judge, readSummary, writeSummary } from './summary.mjs';

const node = await bootstrap(fileURLToPath(import.meta.url));
endAllOnInterrupt();
const names = process.argv.slice(2);
// 'types' names every step that begins with it.
const chosen = names.length === 0 ? steps : steps.filter((s) => names.some((n) => s.name === n || s.name.startsWith(`${n} `)));
if (chosen.length === 0) {
  console.error(`No such step. There are: ${steps.map((s) => s.name).join(', ')}`);
  process.exit(2);
}

/** The editor's programs are big downloads: they come while the first steps run. A failure is told by the step that needs them. */
async function fetchEditor() {
  const [{ installCodeServer }, { findChromium }] = await Promise.all([import('./code-server.mjs'), import('./chromium.mjs')]);
  await Promise.all([installCodeServer(), findChromium(node)]);
}
const editor = chosen.some((s) => s.needsEditor) ? fetchEditor().catch((error) => error) : undefined;

clearReports();
const tallies = [];
for (const step of chosen) {
  const began = Date.now();
  if (step.needsEditor) await editor;
  const done = await run(node, step.args, { cwd: root, env: { ...process.env, NO_COLOR: '1' }, timeoutMs: step.limitMs });
  const counted = step.check
    ? { passed: done.code === 0 ? 1 : 0, failed: done.code === 0 ? 0 : 1, skipped: 0 }
    : (step.summary?.() ?? readSummary(done.output));
  const tally = judge({ code: done.code, counted });
  tallies.push(tally);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${tally.failed === 0 ? 'ok  ' : 'FAIL'} ${step.name}: ${writeSummary(tally)} (${seconds} s)`);
  if (tally.failed > 0) {
    if (done.timedOut) console.log(`  It did not end within ${step.limitMs / 60_000} minutes.`);
    console.log(done.output.replace(/^/gm, '  | '));
  } else {
    for (const line of done.output.split('\n').filter((l) => /^\s*skipped?:/i.test(l))) console.log(`  ${line.trim()}`);
  }
  // What follows would only repeat the same fault.
  if (step.name === 'build' && tally.failed > 0) break;
}
const sum = addSummaries(tallies);
console.log(writeSummary(sum));
process.exit(sum.failed === 0 ? 0 : 1);
