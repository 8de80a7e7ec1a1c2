/**
 * Counts of tests as the suites print them: a line `N passed, N failed` with `, N skipped` where some were. The last such line of a
 * suite's output is its own; the sum over all suites is the last line of `npm test`.
 */

const line = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

/** The counts of the last summary line in a text, or null. */
export function readSummary(text) {
  for (const candidate of text.split(/\r?\n/).toReversed()) {
    const match = line.exec(candidate.trim());
    if (match !== null) return { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
  }
  return null;
}

export function addSummaries(summaries) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const s of summaries) {
    sum.passed += s.passed;
    sum.failed += s.failed;
    sum.skipped += s.skipped;
  }
  return sum;
}

export function writeSummary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * What a suite's run counts for. A suite that failed, ran late or ran nothing has at least one failure, whatever it counted;
 * one that skipped itself as a whole (0 passed, 0 failed, n skipped, exit 0) has none.
 */
export function judge({ code, counted }) {
  if (counted === null) return { passed: 0, failed: 1, skipped: 0 };
  const ranNothing = counted.passed + counted.failed === 0 && counted.skipped === 0;
  if (counted.failed === 0 && (code !== 0 || ranNothing)) return { ...counted, failed: 1 };
  return counted;
}
