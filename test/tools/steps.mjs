/**
 * What `npm test` runs, in this order. A check counts as one test; a suite counts its own and prints them in a summary line
 * (vitest through its JSON report). Every step has a bound in time.
 */
import fs from 'node:fs';
import path from 'node:path';
import { results, root } from './places.mjs';

const minutes = (n) => n * 60_000;
const vitestReport = path.join(results, 'vitest.json');

/** Counts of a vitest JSON report; a file that could not be loaded is a failure. The names of what was skipped are printed. */
export function countVitest(report) {
  const files = report.testResults ?? [];
  const broken = files.filter((f) => f.status === 'failed' && (f.assertionResults ?? []).length === 0).length;
  const skipped = files.flatMap((f) => f.assertionResults ?? []).filter((t) => t.status !== 'passed' && t.status !== 'failed');
  for (const t of skipped) console.log(`  skipped: ${t.fullName}`);
  return { passed: report.numPassedTests ?? 0, failed: (report.numFailedTests ?? 0) + broken, skipped: skipped.length };
}

function vitestSummary() {
  try {
    return countVitest(JSON.parse(fs.readFileSync(vitestReport, 'utf8')));
  } catch {
    return null; // it ended before it could report
  }
}

/** `args` are for Node; `summary` is where a suite's counts are, when not on its output. */
export const steps = [
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '.'], check: true, limitMs: minutes(5) },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware'], check: true, limitMs: minutes(5) },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '-p', '.'], check: true, limitMs: minutes(5) },
  {
    name: 'types of the webview',
    args: ['node_modules/typescript/bin/tsc', '-p', 'client/webview'],
    check: true,
    limitMs: minutes(5),
  },
  { name: 'build', args: ['esbuild.mjs'], check: true, limitMs: minutes(5) },
  {
    name: 'unit',
    args: ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
    summary: vitestSummary,
    limitMs: minutes(40),
  },
  { name: 'package', args: ['test/tools/package.mjs'], check: true, limitMs: minutes(5) },
  { name: 'page', args: ['test/editor/timeline-page.mjs'], needsEditor: true, limitMs: minutes(10) },
  { name: 'suite', args: ['test/editor/run-suite.mjs'], needsEditor: true, limitMs: minutes(10) },
  { name: 'e2e', args: ['test/editor/e2e.mjs'], needsEditor: true, limitMs: minutes(15) },
  { name: 'agents', args: ['test/agents/run.mjs'], limitMs: minutes(45) },
].filter((step) => fs.existsSync(path.join(root, step.args[0])));

/** Before vitest runs, so that an old report cannot stand for a new run. */
export function clearReports() {
  fs.mkdirSync(results, { recursive: true });
  fs.rmSync(vitestReport, { force: true });
}
