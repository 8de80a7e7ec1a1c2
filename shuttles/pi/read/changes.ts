/**
 * File changes. `edit` records a unified patch (1.x) or a diff with line numbers (`-12 old`, `+12 new`, ` 13 same`, `...` between the
 * hunks; 0.73), which is put into the unified form. `write` records nothing but that it wrote: its text stands in the call.
 */
import type { FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { filled } from '../../kit/fields.ts';
import type { OpenCall } from './state.ts';

/** Longer diffs are counted, not kept: the raw record has them. */
const longest = 200_000;

export function fileChange(call: OpenCall | undefined, facts: JsonObject | undefined): FileChange | undefined {
  const path = call?.path;
  if (path === undefined) return undefined;
  const patch = filled(facts, 'patch');
  const diff = patch === undefined ? numberedDiff(filled(facts, 'diff') ?? '') : hunksOf(patch);
  if (diff === '') {
    return call?.lines === undefined ? undefined : { path, change: 'update', added: call.lines, removed: 0 };
  }
  const { added, removed } = counted(diff);
  return { path, change: 'update', added, removed, ...(diff.length > longest ? {} : { diff }) };
}

/** From the first hunk on. */
function hunksOf(patch: string): string {
  const at = patch.startsWith('@@') ? 0 : patch.indexOf('\n@@') + 1;
  const hunks = at === 0 && !patch.startsWith('@@') ? '' : patch.slice(at);
  return hunks === '' || hunks.endsWith('\n') ? hunks : `${hunks}\n`;
}

interface Hunk {
  readonly lines: string[];
  oldStart: number | undefined;
  newStart: number | undefined;
}

function numberedDiff(text: string): string {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let shift = 0;
  for (const line of text.split('\n')) {
    const [, sign, digits, rest = ''] = /^([ +-])\s*(\d+) ?(.*)$/s.exec(line) ?? [];
    if (sign === undefined || digits === undefined) {
      hunk = undefined;
      continue;
    }
    if (hunk === undefined) hunks.push((hunk = { lines: [], oldStart: undefined, newStart: undefined }));
    const number = Number(digits);
    // Context has the old file's numbers.
    if (sign !== '+') hunk.oldStart ??= number;
    hunk.newStart ??= sign === '+' ? number : number + shift;
    hunk.oldStart ??= number - shift;
    shift += sign === '+' ? 1 : sign === '-' ? -1 : 0;
    hunk.lines.push(`${sign}${rest}`);
  }
  return hunks.map(unified).join('');
}

function unified({ lines, oldStart = 1, newStart = 1 }: Hunk): string {
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const same = count(' ');
  const header = `@@ -${oldStart},${same + count('-')} +${newStart},${same + count('+')} @@`;
  return `${[header, ...lines].join('\n')}\n`;
}

/** Of hunks alone: no line of a file header is among them. */
function counted(diff: string): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of diff.split('\n')) {
    if (line.startsWith('+')) added++;
    else if (line.startsWith('-')) removed++;
  }
  return { added, removed };
}
