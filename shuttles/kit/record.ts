/**
 * Bytes that hold one JSON object to a record, or to a report of damage. Text that is not well-formed Unicode (lone
 * surrogates in escapes, bytes that are no UTF-8) becomes U+FFFD, so that every string of a record can be stored and
 * comes back the same; a record too deep for recursion is damage, so that whoever gets one may recurse.
 */
import type { JsonValue } from '../contract/json.ts';
import type { NativeRecord } from '../contract/read.ts';
import { asArray, asObject } from './fields.ts';
import { deepest } from './scan.ts';

/** The record in bytes that hold one whole object. */
export function parseRecord(bytes: Buffer, start: number, end: number, base: number): NativeRecord {
  return toRecord(bytes, start, end, base, parseText(bytes.toString('utf8', start, end)));
}

export function damaged(
  bytes: Buffer,
  start: number,
  end: number,
  base: number,
  reason: string,
  length = end - start,
): NativeRecord {
  // A character has at most four bytes, a text at most 4,096 characters.
  const text = bytes
    .toString('utf8', start, Math.min(end, start + 16_384))
    .slice(0, 4096)
    .toWellFormed();
  return { ok: false, offset: base + start, length, text, reason };
}

/** Bytes between records that say nothing: whitespace, the NUL bytes that a crash leaves, a byte order mark. */
export function isGap(bytes: Buffer, at: number): boolean {
  const byte = bytes[at] ?? 0;
  return byte === 0x20 || byte === 0x0d || byte === 0x00 || byte === 0x09;
}

export function skipGaps(bytes: Buffer, from: number, end: number): number {
  let p = from;
  for (;;) {
    if (p < end && isGap(bytes, p)) p++;
    else if (p + 2 < end && bytes[p] === 0xef && bytes[p + 1] === 0xbb && bytes[p + 2] === 0xbf) p += 3;
    else return p;
  }
}

export function toRecord(bytes: Buffer, start: number, end: number, base: number, value: JsonValue | undefined): NativeRecord {
  const object = asObject(value);
  if (object === undefined) return damaged(bytes, start, end, base, 'no JSON object');
  // A level costs at least two bytes: only long lines can be too deep.
  if (end - start > deepest * 2 && isDeeper(object, deepest)) {
    return damaged(bytes, start, end, base, `nested deeper than ${deepest} levels`);
  }
  return { ok: true, offset: base + start, length: end - start, value: object };
}

/** JSON.parse, with strings made well-formed; undefined for what is no JSON. */
export function parseText(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return text.includes('\\ud') || text.includes('\\uD') ? wellFormed(value, deepest) : value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function wellFormed(value: JsonValue, levels: number): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  // Too deep to walk; such a record is reported as damage.
  if (levels === 0) return value;
  const list = asArray(value);
  if (list !== undefined) return list.map((item) => wellFormed(item, levels - 1));
  const object = asObject(value);
  if (object === undefined) return value;
  // fromEntries defines properties, so that `__proto__` stays an ordinary name.
  return Object.fromEntries(
    Object.entries(object).map(([name, item]) => [name.toWellFormed(), wellFormed(item ?? null, levels - 1)] as const),
  );
}

function isDeeper(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item: JsonValue | undefined) => isDeeper(item, levels - 1));
}
