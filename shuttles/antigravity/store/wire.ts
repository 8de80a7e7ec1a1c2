/**
 * The protocol buffers wire format, read and written without a schema: a message is its fields in order, a field is a number, a 64- or
 * 32-bit pattern or bytes. Bytes that are no message, or that end within a field, are none: nothing is guessed from half of one.
 */

export type WireField =
  | { readonly number: number; readonly wire: 0; readonly value: number }
  /** 1: eight bytes, 5: four, 2: any number of them. */
  | { readonly number: number; readonly wire: 1 | 2 | 5; readonly value: Uint8Array };

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
      fields.push({ number, wire: 0, value: value.value });
      at = value.end;
      continue;
    }
    if (wire !== 1 && wire !== 2 && wire !== 5) return undefined;
    const length = wire === 2 ? varint(bytes, at) : { value: wire === 1 ? 8 : 4, end: at };
    if (length === undefined || length.end + length.value > bytes.length) return undefined;
    fields.push({ number, wire, value: bytes.subarray(length.end, length.end + length.value) });
    at = length.end + length.value;
  }
  return new WireMessage(fields);
}

/** Of fields that `decode` gave, or that are made as below: decoded again they are the same. */
export function encode(fields: readonly WireField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap((field): readonly Uint8Array[] => {
      const tag = varintOf(field.number * 8 + field.wire);
      if (field.wire === 0) return [tag, varintOf(field.value)];
      return field.wire === 2 ? [tag, varintOf(field.value.length), field.value] : [tag, field.value];
    }),
  );
}

/** A whole number from 0 to 2^53 - 1. */
export function wireNumber(number: number, value: number): WireField {
  return { number, wire: 0, value };
}
export function wireText(number: number, text: string): WireField {
  return { number, wire: 2, value: Buffer.from(text, 'utf8') };
}
export function wireMessage(number: number, fields: readonly WireField[]): WireField {
  return { number, wire: 2, value: encode(fields) };
}

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
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
