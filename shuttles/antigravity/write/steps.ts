/**
 * Carried turns as steps of a conversation: a prompt, an answer with its calls, and behind it each call's result as a generic step, which
 * is the one form that takes tools of any name. Fields are those of agy 1.0.16 and 1.1.16, which were seen to go on with such steps
 * (https://github.com/skillsynchq/txcript, https://github.com/xhluca/session-migrate). Pure.
 */
import { createHash } from 'node:crypto';
import { blocksText } from '../../kit/carried-call.ts';
import type { CarriedPart, CarriedResult, CarriedTurn } from '../../kit/carried-turns.ts';
import { toldCall } from '../../kit/carried-call.ts';
import { uniqueIds } from '../../kit/call-ids.ts';
import { sendable, sendableText } from '../../kit/sendable.ts';
import { uuidV4 } from '../../kit/uuid.ts';
import type { UserBlock } from '../../contract/message.ts';
import { encode, wireMessage, wireNumber, wireText } from '../store/wire.ts';
import type { WireField } from '../store/wire.ts';
import { promptText } from './prompt-text.ts';

export interface NewStep {
  readonly type: number;
  readonly status: number;
  readonly metadata: Uint8Array;
  readonly payload: Uint8Array;
}
export interface StepPlace {
  readonly conversation: string;
  readonly trajectory: string;
  /** Milliseconds since 1970, of the first step; each further one is a millisecond later. */
  readonly from: number;
}

/** A step before it has its place. */
export interface Body {
  readonly type: number;
  readonly failed: boolean;
  /** 4: a person's, 2: the model's. */
  readonly source: number;
  readonly call?: WireField;
  /** Where the content stands in the step, and the content. `id`: of an answer, which has one of its own. */
  readonly field: number;
  readonly content: (id: string) => readonly WireField[];
}

const done = 3;
const failedStatus = 7;

export function promptBody(blocks: readonly UserBlock[]): Body {
  const text = promptText(blocks);
  const images = blocks.flatMap((block) =>
    block.type === 'image' && block.data !== undefined ? [{ ...block, data: block.data }] : [],
  );
  return {
    type: 14,
    failed: false,
    source: 4,
    field: 19,
    content: () => [
      wireText(2, text),
      ...(text === '' ? [] : [wireMessage(3, [wireText(1, text)])]),
      ...images.map(({ data, mimeType }) => wireMessage(5, [wireText(1, data), wireText(2, mimeType)])),
    ],
  };
}

export type CallIds = (id: string) => string;
/** Signs that a server of any vendor takes. */
export function callIds(): CallIds {
  return uniqueIds({ odd: /[^A-Za-z0-9_-]/g, instead: '_' }, new Set(), '');
}

/** Text behind a call belongs to the next answer, as the program writes it. */
export function turnBodies(turn: CarriedTurn, callId: CallIds): readonly Body[] {
  if (turn.role === 'user') return [promptBody(turn.blocks)];
  const bodies: Body[] = [];
  let texts: string[] = [];
  let calls: WireField[] = [];
  let results: Body[] = [];
  const flush = (): void => {
    if (texts.length > 0 || calls.length > 0) bodies.push(answerBody(texts, calls), ...results);
    [texts, calls, results] = [[], [], []];
  };
  for (const part of turn.parts) {
    if (part.kind === 'call') {
      const call = callFields(callId(part.id), part);
      calls.push(wireMessage(7, call));
      results.push(resultBody(wireMessage(4, call), part));
      continue;
    }
    if (calls.length > 0) flush();
    texts.push(sendableText(part.kind === 'text' ? part.text : part.kind === 'picture' ? '[image]' : toldCall(part)));
  }
  flush();
  return bodies;
}

export function stepsOf(bodies: readonly Body[], { conversation, trajectory, from }: StepPlace): readonly NewStep[] {
  let turn = 0;
  return bodies.map(({ type, failed, source, call, field, content }, index) => {
    if (type === 14) turn++;
    const metadata = encode([
      wireMessage(1, timeFields(from + index)),
      wireNumber(3, source),
      ...(call === undefined ? [] : [call]),
      wireMessage(20, [
        wireText(1, trajectory),
        ...(index === 0 ? [] : [wireNumber(2, index)]),
        ...(turn <= 1 ? [] : [wireNumber(3, turn - 1)]),
        wireText(4, conversation),
      ]),
      wireNumber(21, 1),
    ]);
    const status = failed ? failedStatus : done;
    const id = `bot-${uuidV4(createHash('sha256').update(`${conversation}/${index}`).digest())}`;
    const payload = encode([
      wireNumber(1, type),
      wireNumber(4, status),
      { number: 5, wire: 2, value: metadata },
      wireMessage(field, content(id)),
    ]);
    return { type, status, metadata, payload };
  });
}

/** A moment as seconds and nanoseconds; zeros are not written. */
export function timeFields(at: number): readonly WireField[] {
  const [seconds, nanoseconds] = [Math.floor(at / 1000), Math.floor(at % 1000) * 1_000_000];
  return [wireNumber(1, seconds), ...(nanoseconds === 0 ? [] : [wireNumber(2, nanoseconds)])];
}

function answerBody(texts: readonly string[], calls: readonly WireField[]): Body {
  const text = texts.join('\n\n');
  const said = text === '' ? [] : [text];
  return {
    type: 15,
    failed: false,
    source: 2,
    field: 20,
    content: (id) => [
      ...said.map((words) => wireText(1, words)),
      wireText(6, id),
      ...calls,
      ...said.map((words) => wireText(8, words)),
      wireNumber(12, calls.length > 0 ? 10 : 2),
    ],
  };
}

type Call = Extract<CarriedPart, { readonly kind: 'call' }>;

function callFields(id: string, { name, input }: Call): readonly WireField[] {
  return [wireText(1, id), wireText(2, name), wireText(3, JSON.stringify(input, sendable)), wireText(9, name)];
}

function resultBody(call: WireField, { input, result }: Call): Body {
  return {
    type: 132,
    failed: result.isError,
    source: 2,
    call,
    field: 140,
    content: () => [
      ...Object.entries(input).map(([name, value]) =>
        wireMessage(1, [wireText(1, sendableText(name)), wireText(2, JSON.stringify(value, sendable))]),
      ),
      wireMessage(2, [wireText(1, resultText(result))]),
    ],
  };
}

function resultText({ content }: CarriedResult): string {
  return sendableText(blocksText(content));
}
