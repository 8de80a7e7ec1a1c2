/**
 * A strict scanner of one JSON object in bytes that says *where* it stops being JSON: `JSON.parse` says only that it
 * does. It accepts exactly what `JSON.parse` accepts, to `deepest` levels; it is used on damaged lines only.
 */

export type Scan = {
  /** The names of the first two fields, as they are written: by them a record is told from an object inside one. */
  readonly names: readonly string[];
} & (
  | { readonly whole: true; /** One past the closing brace. */ readonly end: number }
  | {
      readonly whole: false;
      /** The first byte that does not fit; the end of the bytes when only more of them were missing. */
      readonly failed: number;
      /** The inner object that was closed last, the outermost of those that end there. */
      readonly inner: { readonly start: number; readonly end: number } | undefined;
    }
);

/** More levels than any record has; recursion over a value within it is safe. */
export const deepest = 1000;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

type Expect = 'value' | 'valueOrClose' | 'name' | 'nameOrClose' | 'colon' | 'next';

/** Scans the object whose `{` is at `start`. */
export function scanObject(bytes: Uint8Array, start: number, end: number): Scan {
  /** Starts of the open containers; lists are negative (-1 - start). */
  const open: number[] = [start];
  const names: string[] = [];
  let inner: { start: number; end: number } | undefined;
  let expect: Expect = 'nameOrClose';
  let p = start + 1;
  const fail = (failed: number): Scan => ({ whole: false, failed: Math.min(failed, end), inner, names });

  for (;;) {
    while (p < end && isBlank(bytes[p])) p++;
    if (p >= end) return fail(end);
    const byte = bytes[p];

    if (byte === closeBrace || byte === closeList) {
      const container = open.at(-1) ?? 0;
      const isObject = container >= 0;
      const fits = isObject
        ? byte === closeBrace && (expect === 'next' || expect === 'nameOrClose')
        : byte === closeList && (expect === 'next' || expect === 'valueOrClose');
      if (!fits) return fail(p);
      open.pop();
      p++;
      if (open.length === 0) return { whole: true, end: p, names };
      if (isObject) inner = { start: container, end: p };
      expect = 'next';
      continue;
    }

    switch (expect) {
      case 'colon':
        if (byte !== colon) return fail(p);
        p++;
        expect = 'value';
        break;
      case 'next':
        if (byte !== comma) return fail(p);
        p++;
        expect = (open.at(-1) ?? 0) >= 0 ? 'name' : 'value';
        break;
      case 'name':
      case 'nameOrClose': {
        if (byte !== quote) return fail(p);
        const after = stringEnd(bytes, p, end);
        if (after < 0) return fail(-after);
        if (open.length === 1 && names.length < 2) names.push(Buffer.from(bytes.subarray(p, after)).toString('latin1'));
        p = after;
        expect = 'colon';
        break;
      }
      case 'value':
      case 'valueOrClose': {
        if (byte === openBrace || byte === openList) {
          if (open.length >= deepest) return fail(p);
          open.push(byte === openBrace ? p : -1 - p);
          expect = byte === openBrace ? 'nameOrClose' : 'valueOrClose';
          p++;
          break;
        }
        const after = byte === quote ? stringEnd(bytes, p, end) : plainEnd(bytes, p, end);
        if (after < 0) return fail(-after);
        p = after;
        expect = 'next';
        break;
      }
    }
  }
}

/** Whitespace as JSON has it. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

/** One past the closing quote; or minus the place at which the string fails (never 0: a `{` stands before it). */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  let p = start + 1;
  while (p < end) {
    const byte = bytes[p] ?? 0;
    if (byte === quote) return p + 1;
    if (byte < 0x20) return -p;
    if (byte !== backslash) {
      p++;
      continue;
    }
    const escape = bytes[p + 1] ?? 0;
    if (p + 1 >= end) return -end;
    if (escape === 0x75) {
      for (let digit = p + 2; digit < p + 6; digit++) {
        if (digit >= end) return -end;
        if (!isHex(bytes[digit] ?? 0)) return -digit;
      }
      p += 6;
    } else if ('"\\/bfnrt'.includes(String.fromCharCode(escape))) {
      p += 2;
    } else {
      return -(p + 1);
    }
  }
  return -end;
}

/** One past a number, true, false or null; or minus the place at which it fails. */
function plainEnd(bytes: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && !isDelimiter(bytes[p] ?? 0)) p++;
  const word = Buffer.from(bytes.subarray(start, Math.min(p, start + 400))).toString('latin1');
  if (p - start <= 400 && (word === 'true' || word === 'false' || word === 'null' || numberForm.test(word))) return p;
  return p >= end ? -end : -start;
}
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isDelimiter(byte: number): boolean {
  return (
    isBlank(byte) ||
    byte === comma ||
    byte === closeBrace ||
    byte === closeList ||
    byte === openBrace ||
    byte === openList ||
    byte === quote ||
    byte === colon ||
    byte === 0
  );
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
