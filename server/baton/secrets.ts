/**
 * Finds secrets in a text: by shape, in key blocks, in URLs, behind names and flags, in tables and markup, and in sentences; also
 * where a line's end cuts one in two. Passes over the text with bounded looks to both sides; the cost is proportional to its length
 * whatever stands in it. Findings are sorted, do not overlap, and never touch a mark that is there already.
 */
import { findBlocks } from './secret-blocks.ts';
import { findNamed } from './secret-assignments.ts';
import { findForms } from './secret-forms.ts';
import { findPairs } from './secret-pairs.ts';
import { findShapes } from './secret-tokens.ts';
import { continuedEnd } from './secret-wraps.ts';

export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** A mark that stands for a masked secret; see `mask`. */
export const markPattern = /«masked:[a-z0-9-]{1,24}:[0-9a-f]{4}»/g;

export function findSecrets(text: string): readonly Finding[] {
  const found = [...findBlocks(text), ...findShapes(text), ...findForms(text), ...findNamed(text), ...findPairs(text)].map(
    (finding) => (whole.has(finding.kind) ? finding : { ...finding, end: continuedEnd(text, finding.end) }),
  );
  if (found.length === 0) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return apart(joined(found), text);
}

/** Kinds whose ends are told by their own rules. */
const whole = new Set(['private-key', 'cookie', 'password-hash', 'url-password']);

/** Overlapping findings become one; the kind of one found by shape says more than the name that it stood behind. */
function joined(sorted: readonly Finding[]): Finding[] {
  const out: Finding[] = [];
  for (const finding of sorted) {
    const last = out.at(-1);
    if (last === undefined || finding.start >= last.end) out.push(finding);
    else
      out[out.length - 1] = {
        start: last.start,
        end: Math.max(last.end, finding.end),
        kind: general.has(last.kind) ? finding.kind : last.kind,
      };
  }
  return out;
}
const general = new Set(['secret', 'auth', 'key']);

function apart(found: Finding[], text: string): readonly Finding[] {
  const marks = [...text.matchAll(markPattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  if (marks.length === 0) return found;
  const out: Finding[] = [];
  let next = 0;
  for (const finding of found) {
    while (next < marks.length && marks[next]!.end <= finding.start) next++;
    const mark = marks[next];
    if (mark === undefined || mark.start >= finding.end) out.push(finding);
    else if (mark.start > finding.start) out.push({ ...finding, end: mark.start });
  }
  return out;
}
