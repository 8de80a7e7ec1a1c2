/**
 * What can be saved of a line that is no single JSON object: records glued together, a record cut off with the next one
 * glued on, holes of NUL bytes, rubbish before or behind. Every whole record is found, every byte that belongs to none is
 * reported as damage; an object *inside* a damaged record is never taken for a record. Linear in the length of the line.
 */
import type { NativeRecord } from '../contract/read.ts';
import { damaged, isGap, parseRecord, skipGaps } from './record.ts';
import { openBrace, scanObject, type Scan } from './scan.ts';

/** The line is `bytes` from `start` to `end`; `base` is the offset in the source of `bytes[0]`. */
export function salvage(bytes: Buffer, start: number, end: number, base: number): NativeRecord[] {
  const records: NativeRecord[] = [];
  /** Where the damage began that is being passed over, and the first names of the record which broke there. */
  let damage: { readonly start: number; names: readonly string[] | undefined } | undefined;
  let p = start;
  /** The damaged record cannot go on here, so what begins here is a record of its own. */
  let sure = false;

  const closeDamage = (to: number): void => {
    if (damage === undefined) return;
    let last = to;
    while (last > damage.start && isGap(bytes, last - 1)) last--;
    const reason = damage.names === undefined ? 'no JSON object' : 'a record that is cut off or overwritten';
    records.push(damaged(bytes, damage.start, last, base, reason));
    damage = undefined;
  };

  for (;;) {
    if (damage === undefined) p = skipGaps(bytes, p, end);
    if (p >= end) break;
    if (bytes[p] !== openBrace) {
      damage ??= { start: p, names: undefined };
      p = nextBrace(bytes, p + 1, end);
      sure = false;
      continue;
    }

    const scan = scanObject(bytes, p, end);
    if (scan.whole) {
      if (damage === undefined || (standsAlone(bytes, scan.end, end) && (sure || separate(bytes, p, scan, damage)))) {
        closeDamage(p);
        records.push(parseRecord(bytes, p, scan.end, base));
        p = scan.end;
      } else {
        p = nextBrace(bytes, scan.end, end);
      }
      sure = false;
      continue;
    }

    damage ??= { start: p, names: undefined };
    damage.names ??= scan.names;
    const next = resume(bytes, p, end, scan);
    p = next.at;
    sure = next.sure;
  }
  closeDamage(end);
  return records;
}

/** Where to look for the next record after one that began at `start` broke off. */
function resume(bytes: Buffer, start: number, end: number, scan: Scan & { whole: false }): { at: number; sure: boolean } {
  // Cut where a value was to come: the next record looks like that value, and is told from one by its names.
  const { inner, failed, names } = scan;
  if (
    inner !== undefined &&
    skipGaps(bytes, inner.end, end) >= failed &&
    sameNames(scanObject(bytes, inner.start, inner.end).names, names)
  ) {
    return { at: inner.start, sure: true };
  }
  // Only the rest is missing: everything here is inside the record that was cut off.
  if (failed >= end) return { at: end, sure: false };
  const brace = bytes.lastIndexOf(openBrace, failed);
  if (brace > start) return { at: brace, sure: failed - brace <= 3 };
  return { at: nextBrace(bytes, failed + 1, end), sure: false };
}

function nextBrace(bytes: Buffer, from: number, end: number): number {
  const found = from < end ? bytes.indexOf(openBrace, from) : -1;
  return found < 0 || found > end ? end : found;
}

/** An object inside another one is followed by a comma or a closing sign; a record by the end, a hole or the next record. */
function standsAlone(bytes: Buffer, at: number, end: number): boolean {
  const next = skipGaps(bytes, at, end);
  return next >= end || bytes[next] === openBrace;
}

/** Is the whole object at `start` a record, seen from what stands before it in the damage? */
function separate(
  bytes: Buffer,
  start: number,
  scan: Scan,
  damage: { readonly start: number; readonly names: readonly string[] | undefined },
): boolean {
  if (damage.names === undefined) return true;
  let before = start - 1;
  while (before > damage.start && isGap(bytes, before)) before--;
  const isValue = ':,['.includes(String.fromCharCode(bytes[before] ?? 0));
  return !isValue || sameNames(scan.names, damage.names);
}

/** Records of one file begin with the same fields; objects inside them with others. */
function sameNames(found: readonly string[], expected: readonly string[]): boolean {
  return expected.length > 0 && expected.every((name, index) => name === found[index]);
}
