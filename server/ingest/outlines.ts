/**
 * Outlines of a batch's outputs on their way from thread to thread: numbers in columns, everything else in lists of JSON, which tell of no
 * names of members. That takes half as long to write and to read as objects do.
 */
import { entryKinds } from '../ledger/kinds.ts';
import type { EntryKindName, Trust } from '../../shuttles/contract/entry.ts';
import type { Place, ReadOutput } from '../../shuttles/contract/read.ts';
import { outlined } from './translated-batch.ts';
import type { BatchOutput, OutlinedDraft } from './translated-batch.ts';

export interface PackedOutlines {
  /** Of each output: time (NaN: none), offset and length. */
  readonly numbers: Float64Array;
  /** Of each output: its kind, or `whole`; trust; the form of its place; how many keys it has; which other members. */
  readonly forms: Uint32Array;
  /** JSON of lists, one behind the other: what the forms tell of, in order. */
  readonly values: readonly string[];
}

const kinds = Object.keys(entryKinds) as EntryKindName[];
const trusts: readonly Trust[] = ['user', 'model', 'tool', 'web', 'chat', 'loom', 'harness'];
/** Instead of a kind: the output is one value as it is. */
const whole = 0xffff;

const places = { tip: 0, afterNothing: 1, afterKey: 2, withOneAfterNothing: 3, withOneAfterKey: 4, other: 5 } as const;
const members = {
  /** Its native id is its first key; it has another one. */
  keyAsId: 1,
  nativeId: 2,
  retainFromKey: 4,
  edit: 8,
  spent: 16,
  inherited: 32,
  usage: 64,
  origin: 128,
  phase: 256,
  toolCallId: 512,
} as const;

export class OutlineWriter {
  #numbers: number[] = [];
  #forms: number[] = [];
  #values: string[] = [];

  add(outputs: readonly ReadOutput[]): void {
    if (outputs.length === 0) return;
    const values: unknown[] = [];
    for (const output of outputs) this.#add(outlined(output), values);
    this.#values.push(JSON.stringify(values));
  }

  /** All of them; then there are none. */
  take(): PackedOutlines {
    const taken = {
      numbers: Float64Array.from(this.#numbers),
      forms: Uint32Array.from(this.#forms),
      values: this.#values,
    };
    this.#numbers = [];
    this.#forms = [];
    this.#values = [];
    return taken;
  }

  #add(output: BatchOutput, values: unknown[]): void {
    const kind = output.type === 'entry' ? kinds.indexOf(output.kind) : -1;
    const trust = output.type === 'entry' ? trusts.indexOf(output.trust) : -1;
    if (output.type !== 'entry' || kind < 0 || trust < 0) {
      values.push(output);
      this.#numbers.push(Number.NaN, 0, 0);
      this.#forms.push(whole, 0, 0, 0, 0);
      return;
    }
    const { at, offset, length, keys } = output;
    this.#numbers.push(at === null || !Number.isFinite(at) ? Number.NaN : at, offset, length);
    const place = addPlace(output.place, values);
    for (const key of keys) values.push(key);
    this.#forms.push(kind, trust, place, keys.length, addMembers(output, values));
  }
}

function addPlace(place: Place, values: unknown[]): number {
  if (place.kind === 'tip') return places.tip;
  if (place.kind === 'after' && place.floor === undefined && place.fork === undefined) {
    if (place.key === null) return places.afterNothing;
    values.push(place.key);
    return places.afterKey;
  }
  if (place.kind === 'with' && place.keys.length === 1) {
    values.push(place.keys[0]);
    if (place.after === null) return places.withOneAfterNothing;
    values.push(place.after);
    return places.withOneAfterKey;
  }
  values.push(place);
  return places.other;
}

function addMembers(draft: OutlinedDraft, values: unknown[]): number {
  let form = draft.inherited === true ? members.inherited : 0;
  const add = (member: number, value: unknown): void => {
    if (value === undefined) return;
    form |= member;
    values.push(value);
  };
  if (draft.nativeId !== undefined && draft.nativeId === draft.keys[0]) form |= members.keyAsId;
  else add(members.nativeId, draft.nativeId);
  add(members.retainFromKey, draft.retainFromKey);
  add(members.edit, draft.edit);
  add(members.spent, draft.spent);
  add(members.usage, draft.usage);
  add(members.origin, draft.origin);
  add(members.phase, draft.phase);
  add(members.toolCallId, draft.toolCallId);
  return form;
}

export function outlinesOf({ numbers, forms, values: lists }: PackedOutlines): readonly BatchOutput[] {
  const values = new Values(lists);
  const outputs: BatchOutput[] = [];
  for (let at = 0; at < forms.length; at += formsOfOne) {
    if (forms[at] === whole) outputs.push(values.next() as BatchOutput);
    else outputs.push(draftOf(numbers, forms, at / formsOfOne, values));
  }
  return outputs;
}

const formsOfOne = 5;
const numbersOfOne = 3;

type Writable = { -readonly [K in keyof OutlinedDraft]: OutlinedDraft[K] };

function draftOf(numbers: Float64Array, forms: Uint32Array, nth: number, values: Values): OutlinedDraft {
  const form = nth * formsOfOne;
  const number = nth * numbersOfOne;
  const time = numbers[number] ?? Number.NaN;
  const place = placeOf(forms[form + 2] ?? places.tip, values);
  const keys = keysOf(forms[form + 3] ?? 0, values);
  const draft: Writable = {
    type: 'entry',
    kind: kinds[forms[form] ?? 0] ?? 'opaque',
    at: Number.isNaN(time) ? null : time,
    trust: trusts[forms[form + 1] ?? 0] ?? 'harness',
    place,
    keys,
    offset: numbers[number + 1] ?? 0,
    length: numbers[number + 2] ?? 0,
  };
  addMembersOf(forms[form + 4] ?? 0, draft, values);
  return draft;
}

/** Most have one or two: a list that grows would take room for many. */
function keysOf(count: number, values: Values): string[] {
  if (count === 0) return [];
  const keys = [values.next() as string];
  if (count === 2) return [keys[0] ?? '', values.next() as string];
  for (let left = count - 1; left > 0; left--) keys.push(values.next() as string);
  return keys;
}

function placeOf(form: number, values: Values): Place {
  switch (form) {
    case places.tip:
      return { kind: 'tip' };
    case places.afterNothing:
      return { kind: 'after', key: null };
    case places.afterKey:
      return { kind: 'after', key: values.next() as string };
    case places.withOneAfterNothing:
      return { kind: 'with', keys: [values.next() as string], after: null };
    case places.withOneAfterKey:
      return { kind: 'with', keys: [values.next() as string], after: values.next() as string };
    default:
      return values.next() as Place;
  }
}

function addMembersOf(form: number, draft: Writable, values: Values): void {
  const has = (member: number): boolean => (form & member) !== 0;
  if (has(members.keyAsId)) draft.nativeId = draft.keys[0] ?? '';
  if (has(members.nativeId)) draft.nativeId = values.next() as string;
  if (has(members.retainFromKey)) draft.retainFromKey = values.next() as NonNullable<Writable['retainFromKey']>;
  if (has(members.edit)) draft.edit = values.next() as NonNullable<Writable['edit']>;
  if (has(members.spent)) draft.spent = values.next() as NonNullable<Writable['spent']>;
  if (has(members.inherited)) draft.inherited = true;
  if (has(members.usage)) draft.usage = values.next() as NonNullable<Writable['usage']>;
  if (has(members.origin)) draft.origin = values.next() as NonNullable<Writable['origin']>;
  if (has(members.phase)) draft.phase = values.next() as NonNullable<Writable['phase']>;
  if (has(members.toolCallId)) draft.toolCallId = values.next() as string;
}

/** The values of lists in order, one list taken apart at a time. */
class Values {
  readonly #lists: readonly string[];
  #list: readonly unknown[] = [];
  #nextList = 0;
  #next = 0;

  constructor(lists: readonly string[]) {
    this.#lists = lists;
  }

  next(): unknown {
    while (this.#next >= this.#list.length) {
      const text = this.#lists[this.#nextList++];
      if (text === undefined) throw new Error('outlines tell of more values than they bring');
      this.#list = JSON.parse(text) as readonly unknown[];
      this.#next = 0;
    }
    return this.#list[this.#next++];
  }
}
