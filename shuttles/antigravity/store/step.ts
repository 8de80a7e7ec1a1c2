/**
 * A stored step as a JSON record: its envelope, and of its payload what is known of its type. Field numbers are those of agy 1.0.16 to
 * 1.2.11; a type that is not known keeps its number and its call.
 */
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { decode, type WireMessage } from './wire.ts';

export interface StepRow {
  readonly idx: number;
  readonly type: number;
  readonly status: number;
  readonly payload: Uint8Array | undefined;
  readonly metadata: Uint8Array | undefined;
  readonly error: Uint8Array | undefined;
}

/** Undefined: the payload is no message, or says that it is of another type. */
export function stepRecord(row: StepRow, model: string | undefined): JsonObject | undefined {
  const step = row.payload === undefined ? undefined : decode(row.payload);
  if (step === undefined || (step.num(1) ?? row.type) !== row.type) return undefined;
  const meta = step.sub(5) ?? (row.metadata === undefined ? undefined : decode(row.metadata));
  const call = meta?.sub(4);
  const error = row.error === undefined ? undefined : decode(row.error);
  const known = shapes[row.type];
  const body = known === undefined ? undefined : (step.sub(known.field) ?? decode(new Uint8Array()));
  return record({
    record: 'step',
    idx: row.idx,
    type: row.type,
    status: row.status,
    at: timeOf(meta?.sub(1)),
    source: meta?.num(3),
    call: call === undefined ? undefined : callOf(call),
    usage: usageOf(meta?.sub(9)),
    model: model ?? numbered(meta?.num(11)),
    error: error?.str(9) ?? error?.str(1) ?? error?.str(2),
    body: body === undefined || known === undefined ? undefined : known.read(body),
  });
}

interface Shape {
  /** Where the payload stands in the step. */
  readonly field: number;
  read(body: WireMessage): JsonObject;
}

const shapes: Readonly<Record<number, Shape>> = {
  14: {
    field: 19,
    read: (body) =>
      record({
        text:
          body.str(2) ??
          body.str(1) ??
          body
            .subs(3)
            .flatMap((item) => item.str(1) ?? [])
            .join(''),
        images: body.subs(5).map((image) => record({ data: image.str(1), mimeType: image.str(2) })),
      }),
  },
  15: {
    field: 20,
    read: (body) =>
      record({
        text: body.str(1) ?? body.str(8),
        thinking: body.str(3),
        messageId: body.str(6),
        calls: body.subs(7).map(callOf),
        stop: body.num(12),
      }),
  },
  5: {
    field: 10,
    read: (body) => record({ uri: body.sub(2)?.sub(1)?.str(8) }),
  },
  7: { field: 13, read: (body) => record({ text: body.str(3), error: body.str(5) }) },
  8: {
    field: 14,
    read: (body) => record({ uri: body.str(1), from: body.num(2), to: body.num(3), text: body.str(4) ?? body.str(9) }),
  },
  9: {
    field: 15,
    read: (body) =>
      record({
        uri: body.str(1),
        text: body
          .subs(3)
          .map((entry) => `${entry.str(1) ?? ''}${entry.num(2) === 1 ? '/' : ''}`)
          .join('\n'),
      }),
  },
  21: {
    field: 28,
    read: (body) =>
      record({
        command: body.str(23) ?? body.str(25),
        cwd: body.str(2),
        // A zero is not written.
        exit: body.num(6) ?? 0,
        text: body.sub(21)?.str(1),
      }),
  },
  23: { field: 30, read: (body) => record({ title: body.str(4) ?? body.str(10) }) },
  38: { field: 47, read: (body) => record({ text: body.str(3) }) },
  101: { field: 114, read: (body) => record({ text: body.str(1) }) },
  132: { field: 140, read: (body) => record({ text: body.sub(2)?.str(1) }) },
};

function callOf(call: WireMessage): JsonObject {
  return record({ id: call.str(1), name: call.str(2) ?? call.str(9), args: call.str(3) });
}

function usageOf(usage: WireMessage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  return record({ input: usage.num(2), output: usage.num(3), cacheWrite: usage.num(4), cacheRead: usage.num(5) });
}

/** Milliseconds since 1970. */
export function timeOf(time: WireMessage | undefined): number | undefined {
  const seconds = time?.num(1);
  return seconds === undefined || seconds > 1e11 ? undefined : seconds * 1000 + Math.floor((time?.num(2) ?? 0) / 1e6);
}

function numbered(model: number | undefined): string | undefined {
  return model === undefined || model === 0 ? undefined : `model ${model}`;
}

/** Without what is undefined, and well-formed. */
export function record(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value.toWellFormed() : value]],
    ),
  );
}
