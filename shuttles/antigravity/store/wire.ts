/**
 * The protocol buffers wire format, read without a schema: a message is its fields in order, a field is a number, a 64- or 32-bit
 * pattern or bytes. Bytes that are no message, or that end within a field, are none: nothing is guessed from half of one.
 */

export interface WireField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/** More than any message of a step has. */
const mostFields = 200_000;

export class WireMessage {
  readonly fields: readonly WireField[];

  constructor(fields: readonly WireField[]) {
    this.fields = fields;
  }

  num(number: number): number | undefined {
    for (const field of this.fields) if (field.number === number && typeof field.value === 'number') return field.value;
    return undefined;
  }

  bytes(number: number): Uint8Array | undefined {
    for (const field of this.fields) if (field.number === number && typeof field.value !== 'number') return field.value;
    return undefined;
  }

  str(number: number): string | undefined {
    const bytes = this.bytes(number);
    return bytes === undefined ? undefined : textOf(bytes);
  }

  sub(number: number): WireMessage | undefined {
    const bytes = this.bytes(number);
    return bytes === undefined ? undefined : decode(bytes);
  }

  subs(number: number): readonly WireMessage[] {
    return this.#all(number)
      .map((bytes) => decode(bytes))
      .filter((message) => message !== undefined);
  }

  strs(number: number): readonly string[] {
    return this.#all(number).map(textOf);
  }

  /** Numbers of a repeated field, packed or not. */
  nums(number: number): readonly number[] {
    return this.fields.flatMap((field) => {
      if (field.number !== number) return [];
      return typeof field.value === 'number' ? [field.value] : packed(field.value);
    });
  }

  #all(number: number): readonly Uint8Array[] {
    return this.fields.flatMap(({ number: own, value }) => (own === number && typeof value !== 'number' ? [value] : []));
  }
}

export function decode(bytes: Uint8Array): WireMessage | undefined {
  const fields: WireField[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (fields.length >= mostFields) return undefined;
    const tag = varint(bytes, at);
    if (tag === undefined) return undefined;
    at = tag.end;
    const number = Math.floor(tag.value / 8);
    if (number < 1 || number > 536_870_911) return undefined;
    const wire = tag.value % 8;
    if (wire === 0) {
      const value = varint(bytes, at);
      if (value === undefined) return undefined;
      fields.push({ number, value: value.value });
      at = value.end;
      continue;
    }
    const length =
      wire === 2 ? varint(bytes, at) : wire === 1 ? { value: 8, end: at } : wire === 5 ? { value: 4, end: at } : undefined;
    if (length === undefined || length.end + length.value > bytes.length) return undefined;
    fields.push({ number, value: bytes.subarray(length.end, length.end + length.value) });
    at = length.end + length.value;
  }
  return new WireMessage(fields);
}

/** Exact up to 2^53; a negative number takes ten bytes and comes out rounded, which nothing here asks for. */
function varint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
    scale *= 128;
  }
  return undefined;
}

function packed(bytes: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = varint(bytes, at);
    if (next === undefined) return [];
    numbers.push(next.value);
    at = next.end;
  }
  return numbers;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
