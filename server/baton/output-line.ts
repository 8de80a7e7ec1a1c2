/** Finds the one line of a program's output that matters: why it failed, or how a check ended. Bounded by the lines given. */

/** Patterns by weight; a later line of equal weight does not win (the first error is usually the cause). */
const errorPatterns: readonly (readonly [RegExp, number])[] = [
  [/^\s*(?:[A-Za-z_][\w.]*(?:Error|Exception|Fault|Panic))\b\s*[:(]/, 10],
  [/^(?:E\s{2,}\S|.{0,200}?\bAssertionError\b)/, 9],
  [/\b(?:Error|Exception): \S/, 9],
  [/^.{0,200}?(?:error\[?\w{0,12}\]?:|error TS\d+|fatal:|panic:|thread '.{0,80}' panicked)/i, 9],
  [/^\s*(?:FAIL(?:ED)?\b|✗|✘|×|not ok\b|---? FAIL)/, 7],
  [
    /\b(?:command not found|No such file or directory|Permission denied|Cannot find module|ENOENT|EACCES|ECONNREFUSED|EADDRINUSE|deadlock|timed? ?out|out of memory|Segmentation fault|Killed|could not|cannot|unable to|undefined reference|not found)\b/i,
    6,
  ],
  [/\b(?:expected|received|actual)\b.{0,80}\b(?:but|to|got|=|:)/i, 5],
  [/\b\d+ (?:failed|failing|errors?|failures?)\b/i, 4],
  [/\b(?:fail(?:ed|ure)?|error|denied|refused|invalid)\b/i, 3],
];
/** Lines that only speak of errors. */
const noise =
  /^\s*(?:at \S|npm (?:ERR!|error) (?:A complete log|code|path|errno|command)|\d+ passing|0 (?:errors?|failed|failures)|Traceback \(most recent|exit (?:code|status)|Exit code \d|\$ |> )/i;

/** Some harnesses head the first line of an output with its name. */
const linesOf = (output: string): readonly string[] => output.replace(/^(?:Output|Stdout|Stderr): (?=\S)/, '').split('\n');

/** The line that says why; undefined: no line does. Lines are looked at up to their first 400 characters. */
export function errorLine(output: string): string | undefined {
  let best: string | undefined;
  let weight = 0;
  const lines = linesOf(output);
  const python = output.includes('Traceback (most recent call last)');
  for (const line of lines) {
    // Of Python the last one says it, of everything else the first.
    const least = python && weight === 10 ? 10 : weight + 1;
    const text = line.length > 400 ? line.slice(0, 400) : line;
    const found = errorPatterns.find(([pattern, of]) => of >= least && pattern.test(text))?.[1] ?? 0;
    if (found > 0 && !noise.test(line)) {
      best = text;
      weight = found;
    }
  }
  return best?.trim() ?? lastLine(lines);
}
const lastLine = (lines: readonly string[]): string | undefined =>
  lines.findLast((line) => line.trim() !== '' && !noise.test(line))?.trim();

const results =
  /(?:\b\d+ (?:passed|failed|passing|failing|failures?|tests?|errors?|skipped|pending|problems?)\b|^\s*(?:Tests?|Test Files|Test Suites):?\s|test result:|^(?:ok|FAIL)\s+\S+\s+[\d.(]|\bOK \(\d|^(?:PASS|FAIL)(?:ED)?\b|Found \d+ errors?|\b(?:all|some) tests (?:passed|failed)\b|\b(?:passed|failed): {1,8}\d|no (?:errors|problems)|BUILD (?:SUCCESS|FAIL)|Tests run:|# (?:pass|fail) \d)/i;

/** The line with the counts of a test or build run; the last and fullest one. */
export function resultLine(output: string): string | undefined {
  let best: string | undefined;
  let weight = -1;
  for (const line of linesOf(output)) {
    const text = line.length > 300 ? line.slice(0, 300) : line;
    if (!results.test(text)) continue;
    const here =
      (text.match(/\d+ (?:passed|failed|passing|failing|failures?|errors?)/gi)?.length ?? 0) +
      (/^\s*Tests?:?\s|test result:|Tests run:/i.test(text) ? 2 : 0) +
      (/fail/i.test(text) ? 1 : 0);
    if (here >= weight) {
      best = text.trim();
      weight = here;
    }
  }
  return best;
}

/** Does the line count failures? Exit codes get lost in pipes (`npm test | tail`). */
export function countsFailures(line: string): boolean {
  return (
    /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\b(?:failed|failures|errors)[:=] ?[1-9]|\bFAILED\b(?!: {0,8}0\b)|BUILD FAIL|# fail [1-9]/i.test(
      line,
    ) && !/\b0 (?:failed|failures|errors)\b(?!.*[1-9]\d* (?:failed|failures|errors))/i.test(line)
  );
}
