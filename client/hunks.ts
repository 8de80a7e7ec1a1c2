/**
 * The parts of a file's change, numbered as the server numbers them: the hunks of a unified diff with three lines of context, over bytes
 * as characters, so that no encoding is in the way. Pure.
 */
import { structuredPatch } from 'diff';

export interface Hunk {
  /** From 0. */
  readonly number: number;
  /** Line of the later file where its first change stands, from 0. */
  readonly line: number;
  readonly added: number;
  readonly removed: number;
  /** The first line that changed, with its sign. */
  readonly first: string;
}

/** Empty contents stand for files that are not there. */
export function hunksOf(before: Uint8Array, after: Uint8Array): readonly Hunk[] {
  const [old, fresh] = [Buffer.from(before).toString('latin1'), Buffer.from(after).toString('latin1')];
  const { hunks } = structuredPatch('a', 'b', old, fresh, '', '', { context: 3 });
  return hunks.map(({ lines, newStart }, number) => {
    const at = lines.findIndex((line) => isChange(line));
    return {
      number,
      line: Math.max(0, newStart - 1 + Math.max(0, at)),
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
      first: Buffer.from(lines[at] ?? '', 'latin1').toString('utf8'),
    };
  });
}

function isChange(line: string): boolean {
  return line.startsWith('+') || line.startsWith('-');
}
