/**
 * A session's files read into memory (engine specification 7.4): the main file from its first line, then the scratch of the tasks that are
 * live at its end. Every complete line must be a batch that fits the state before it; anything else is Rejected `malformed`, which names file
 * and line. Sequence numbers have gaps in the main file where scratch was written, and the last one is the highest of all files.
 */
import { Rejected } from '../errors.ts';
import { prepare } from '../memory/prepare.ts';
import { publish } from '../memory/publish.ts';
import type { MemoryRecords } from '../memory/records.ts';
import type { Id } from '../records.ts';
import { decodeBatch, decodeHeader } from './decode.ts';
import type { DecodedLine } from './decode.ts';
import type { Previous } from './encode.ts';
import type { Files } from './files.ts';
import { linesOf, malformed } from './lines.ts';
import type { Line } from './lines.ts';

/** The storage version in the file's header; undefined for a file that is absent or has no complete line. */
export function readVersion(files: Files, file: string): string | undefined {
  for (const line of linesOf(files, file)) {
    const version = decodeHeader(parsed(file, line));
    if (version === undefined) throw malformed(file, line.number, 'it is not the header of a session');
    return version;
  }
  return undefined;
}

/** `onBatch` sees each batch before it is published. Returns the bytes of the complete lines. */
export function replayMain(records: MemoryRecords, files: Files, file: string, onBatch?: (line: DecodedLine) => void): number {
  let length = 0;
  for (const line of linesOf(files, file)) {
    if (line.number > 1) replayLine(records, file, line, undefined, records.lastSeq, onBatch);
    length = line.through;
  }
  return length;
}

export function replayScratch(
  records: MemoryRecords,
  files: Files,
  file: string,
  task: Id,
  onBatch?: (line: DecodedLine) => void,
): number {
  const before = records.lastSeq;
  let [length, last] = [0, task];
  for (const line of linesOf(files, file)) {
    replayLine(records, file, line, task, last, onBatch);
    last = records.lastSeq;
    length = line.through;
  }
  records.lastSeq = Math.max(before, last);
  return length;
}

/** JSON of the value that a place has now. */
export function previousIn(records: MemoryRecords, isScratch: boolean): Previous {
  return (place, rewind) => (isScratch ? records.scratchValues : records.values).textOf(place, rewind);
}

function replayLine(
  records: MemoryRecords,
  file: string,
  line: Line,
  task: Id | undefined,
  after: Id,
  onBatch: ((line: DecodedLine) => void) | undefined,
): void {
  const decoded = decodeBatch(parsed(file, line), task, previousIn(records, task !== undefined));
  if (decoded === undefined) throw malformed(file, line.number, 'it is not a batch of writes');
  if (decoded.first <= after)
    throw malformed(file, line.number, `it begins with ${decoded.first}, and ${after} was there before it`);
  records.lastSeq = decoded.first - 1;
  try {
    const prepared = prepare(records, decoded.batch);
    onBatch?.(decoded);
    publish(records, prepared);
  } catch (error) {
    if (error instanceof Rejected) throw malformed(file, line.number, error.message);
    throw error;
  }
}

function parsed(file: string, line: Line): unknown {
  try {
    return JSON.parse(line.text) as unknown;
  } catch {
    throw malformed(file, line.number, 'it is not JSON');
  }
}
