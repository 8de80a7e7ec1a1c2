/** One line of a session file to records: the common case is one JSON object; what is none goes to salvage. */
import type { NativeRecord } from '../contract/read.ts';
import { damaged, isGap, parseText, skipGaps, toRecord } from './record.ts';
import { salvage } from './salvage.ts';
import { closeBrace, openBrace } from './scan.ts';

/** The line is `bytes` from `start` to `end` without its newline; `base` is the offset in the source of `bytes[0]`. */
export function recordsOfLine(bytes: Buffer, start: number, end: number, base: number): readonly NativeRecord[] {
  let first = start;
  let last = end;
  if (bytes[first] !== openBrace) first = skipGaps(bytes, first, end);
  while (last > first && isGap(bytes, last - 1)) last--;
  if (first >= last) return [];
  if (bytes[first] === openBrace && bytes[last - 1] === closeBrace) {
    const value = parseText(bytes.toString('utf8', first, last));
    if (value !== undefined) return [toRecord(bytes, first, last, base, value)];
  } else if (parseText(bytes.toString('utf8', first, last)) !== undefined) {
    return [damaged(bytes, first, last, base, 'JSON, but no object')];
  }
  return salvage(bytes, first, last, base);
}
