/** The two sides of an edit as short hashes, by which an edit that takes an earlier one back is known without keeping any text. */
import { createHash } from 'node:crypto';
import type { FileChange } from '../../shuttles/contract/entry.ts';
import type { EditPair } from './baton-state.ts';

/** One pair a hunk; hunks over 100 KB of diff are not looked at. Sides of blanks only, or equal ones, make no pair. */
export function editPairs(path: string, change: FileChange, entry: number): readonly EditPair[] {
  const diff = change.diff;
  if (diff === undefined || diff.length > 100_000) return [];
  const pairs: EditPair[] = [];
  let from = '';
  let to = '';
  const flush = (): void => {
    if (from.trim() + to.trim() !== '' && from !== to) pairs.push({ path, from: hash(from), to: hash(to), entry });
    from = '';
    to = '';
  };
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) flush();
    else if (line.startsWith('-')) from += `${line.slice(1)}\n`;
    else if (line.startsWith('+')) to += `${line.slice(1)}\n`;
  }
  flush();
  return pairs.slice(0, 20);
}
const hash = (text: string): string => createHash('sha256').update(text).digest('base64').slice(0, 12);
