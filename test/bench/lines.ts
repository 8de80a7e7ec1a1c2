/** A benchmark's figures, one a line, and whether each reached its goal. */
export interface Line {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  /** Absent: a figure to watch. */
  readonly goal?: { readonly most?: number; readonly least?: number };
  /** Ids of `server/engine/requirements.ts` that the figure answers. */
  readonly cites?: readonly string[];
}

export function printLines(lines: readonly Line[]): void {
  const width = Math.max(...lines.map((line) => line.name.length));
  for (const line of lines)
    console.log(
      `${line.name.padEnd(width)}  ${(line.value === null ? '-' : figure(line.value)).padStart(9)} ${line.unit.padEnd(5)} ${verdict(line)}`.trimEnd(),
    );
}

/** Three digits or so. */
export function figure(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function verdict({ goal, value }: Line): string {
  if (goal === undefined || value === null) return '';
  if (goal.most !== undefined) return `${value <= goal.most ? 'ok' : 'MISSED'} (at most ${bound(goal.most)})`;
  if (goal.least !== undefined) return `${value >= goal.least ? 'ok' : 'MISSED'} (at least ${bound(goal.least)})`;
  return '';
}

function bound(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 1 : 0);
}

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The value below which a share (0 to 1) of all lies; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** null when nothing is known. */
export function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
