/** Unified diff hunks as lines with their numbers. Lines that no hunk announces are kept as plain context. */

export interface DiffLine {
  readonly kind: 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** Line numbers, from 1, in the old and the new file; null where the line is not in it or it is not known. */
  readonly before: number | null;
  readonly after: number | null;
}

export function diffLines(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let before: number | null = null;
  let after: number | null = null;
  const raw = diff.replaceAll('\r\n', '\n').split('\n');
  if (raw.at(-1) === '') raw.pop();
  for (const line of raw) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u.exec(line);
    if (head !== null) {
      before = Number(head[1]);
      after = Number(head[2]);
      lines.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (line.startsWith('@@')) {
      before = null;
      after = null;
      lines.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), before: null, after });
      after = after === null ? null : after + 1;
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), before, after: null });
      before = before === null ? null : before + 1;
    } else if (line.startsWith('\\')) {
      lines.push({ kind: 'note', text: line.slice(1).trim(), before: null, after: null });
    } else {
      lines.push({ kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line, before, after });
      before = before === null ? null : before + 1;
      after = after === null ? null : after + 1;
    }
  }
  return lines;
}
