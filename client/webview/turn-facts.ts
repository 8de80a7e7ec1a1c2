/** What the chip at the end of a turn says: which files the turn changed, counted over its rows back to where it began. */
import type { FileChange } from '../../shuttles/contract/entry.ts';
import { counted, duration } from '../amounts.ts';
import type { Row, TurnRow } from './rows.ts';
import { changed } from './tool-facts.ts';

/** How far back a turn is followed; a longer one says only what it knows by itself. */
const farthest = 2000;

/** `told`: what it did to files is said beside it, from snapshots, which know more than the tools reported. */
export function turnFacts(rows: readonly Row[], at: number, told = false): readonly string[] {
  const row = rows[at];
  if (row?.kind !== 'turn') return [];
  const [entry] = row.entries;
  const files = told ? [] : filesBefore(rows, at);
  return [
    phaseWords(row),
    entry.durationMs === null ? '' : duration(entry.durationMs),
    files.length === 0 ? '' : `${counted(new Set(files.map((file) => file.path)).size, 'file')} ${changed(files)}`,
  ].filter((fact) => fact !== '');
}

/** Why the turn failed; '' when one of its last rows is a notice that says just that. */
export function turnError(rows: readonly Row[], at: number): string {
  const row = rows[at];
  const error = row?.kind === 'turn' ? (row.entries[0].error ?? '') : '';
  if (error === '') return '';
  for (let i = at - 1; i >= Math.max(0, at - fewRows); i -= 1) {
    const before = rows[i];
    if (before === undefined || before.kind === 'prompt' || before.kind === 'turn') break;
    if (before.kind === 'notice' && before.entries[0].text.includes(error)) return '';
  }
  return error;
}

/** As far as an eye goes back. */
const fewRows = 4;

function phaseWords(row: TurnRow): string {
  switch (row.entries[0].phase) {
    case 'started':
    case 'completed':
      return 'turn done';
    case 'interrupted':
      return 'turn interrupted';
    case 'failed':
      return 'turn failed';
  }
}

function filesBefore(rows: readonly Row[], at: number): readonly FileChange[] {
  const files: FileChange[] = [];
  for (let i = at - 1; i >= Math.max(0, at - farthest); i -= 1) {
    const row = rows[i];
    if (row === undefined || row.kind === 'prompt' || row.kind === 'turn') break;
    if (row.kind === 'tool') files.push(...(row.result?.details.files ?? []));
  }
  return files;
}
