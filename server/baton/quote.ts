/**
 * Ways to put a transcript's text into Markdown so that it stays data: a fence longer than any run of backticks in it, a
 * code span likewise, or a mark before each of its lines. No text can close any of them, and none speaks with a harness's own
 * marks. Callers give cleaned text.
 */
import { withoutMarks } from './harness-marks.ts';

/** A fenced block. `source` is Loom's own words about where the text comes from. */
export function fenced(text: string, source: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}quoted ${source.replace(/[`\n]/g, '')}\n${withoutMarks(text)}\n${fence}`;
}

/** A code span on one line. */
export function codeSpan(text: string): string {
  const line = withoutMarks(text).replace(/\s*\n\s*/g, ' ⏎ ');
  if (line.trim() === '') return '``(empty)``';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Each line behind `> `: what a person or a model said, word for word. */
export function blockQuote(text: string): string {
  return withoutMarks(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** A sentence within a line of Loom's own: it can open no fence, heading, list or HTML comment there. */
export function inlineText(text: string): string {
  return withoutMarks(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/`{3,}/g, '``')
    .replace(/~{3,}/g, '~~')
    .replace(/<!--/g, '<!‐‐')
    .replace(/^(?:(?:[#>+*=-]+|\d{1,9}[.)])(?:\s+|$)|>)+/, '')
    .replace(/^</, '\\<')
    .trim();
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
