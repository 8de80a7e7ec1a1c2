/**
 * File changes. `edit` records a unified patch (1.x) or a diff with line numbers (`-12 old`, `+12 new`, ` 13 same`, `...` between the
 * hunks; 0.73; omp writes `+12|new`), which is put into the unified form. `write` records nothing but that it wrote: its text stands in
 * the call.
 */
import type { FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { bool, filled, objects, str } from '../../kit/fields.ts';
import { cut, type OpenCall } from './state.ts';

/** Longer diffs are counted, not kept: the raw record has them. */
const longest = 200_000;

/** Every file that a call changed: omp tells several of one call apart. */
export function fileChanges(call: OpenCall | undefined, facts: JsonObject | undefined): readonly FileChange[] {
  const each = objects(facts, 'perFileResults').filter((one) => bool(one, 'isError') !== true);
  if (each.length > 0) return each.slice(0, 200).flatMap((one) => fileChange(undefined, one) ?? []);
  const change = fileChange(call, facts);
  return change === undefined ? [] : [change];
}

export function fileChange(call: OpenCall | undefined, facts: JsonObject | undefined): FileChange | undefined {
  const before = filled(facts, 'sourcePath');
  const path = before ?? call?.path ?? filled(facts, 'path') ?? filled(facts, 'resolvedPath');
  if (path === undefined) return undefined;
  const moved = filled(facts, 'move') ?? (before === undefined ? undefined : filled(facts, 'path'));
  const target = moved === undefined || moved === path ? {} : { movedTo: cut(moved, 1000) };
  const change = 'movedTo' in target ? 'move' : kindOf(str(facts, 'op'));
  const patch = filled(facts, 'patch');
  const diff = patch === undefined ? numberedDiff(filled(facts, 'diff') ?? '') : hunksOf(patch);
  const shared = { path: cut(path, 1000), change, ...target } as const;
  if (diff === '') {
    if (call?.lines === undefined && change === 'update') return undefined;
    return { ...shared, added: call?.lines ?? 0, removed: 0 };
  }
  const { added, removed } = counted(diff);
  return { ...shared, added, removed, ...(diff.length > longest ? {} : { diff }) };
}

function kindOf(operation: string | undefined): 'add' | 'update' | 'delete' {
  return operation === 'create' ? 'add' : operation === 'delete' ? 'delete' : 'update';
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
    const [, sign, digits, rest = ''] = /^([ +-])\s*(\d+)[| ]?(.*)$/s.exec(line) ?? [];
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
