/**
 * Random streams of valid batches over everything a session has: conversations, forks, owned children, entries, heads, edits, values, lists,
 * tasks through their lives, scratch, request keys. Built by the engine's own transaction on a memory session and recorded, so that every
 * backend can be given the very same batches.
 */
import * as fc from 'fast-check';
import { bound, conversationList, conversationValue, scratchList, scratchValue, sessionList, sessionValue } from '../address.ts';
import { Rejected } from '../errors.ts';
import { Kinds } from '../kinds.ts';
import { MemoryStorage } from '../memory/storage.ts';
import type { Address, CommitBatch, Id, Json } from '../records.ts';
import { keyed } from '../request.ts';
import { ScratchTx } from '../scratch-tx.ts';
import { end } from '../storage.ts';
import type { Storage } from '../storage.ts';
import { Tx } from '../tx.ts';
import { validate } from '../validate.ts';
import { edit, entryKinds, note, record, reset, silent, summary, taskKinds, work } from './kinds.ts';

export const kinds = new Kinds<string>(entryKinds, taskKinds);

/** How often each comes, beside the others. */
const mutationWeights = {
  note: 2,
  silent: 1,
  edit: 1,
  summary: 1,
  reset: 1,
  set: 2,
  grow: 2,
  unset: 1,
  append: 2,
  remove: 1,
  clear: 1,
  create: 1,
  fork: 2,
  spawn: 1,
  delete: 1,
  task: 2,
  record: 1,
  patch: 1,
  abort: 1,
  settle: 1,
  request: 1,
};
const scratchWeights = { frame: 3, checkpoint: 2, forget: 1, drop: 1, restart: 1 };
interface Mutation {
  readonly type: keyof typeof mutationWeights | keyof typeof scratchWeights;
  /** Picks among what there is. */
  readonly a: number;
  readonly b: number;
}
export interface MutationBatch {
  readonly scratch: boolean;
  readonly mutations: readonly Mutation[];
}

const mutationsOf = (weights: object) => {
  const types = Object.entries(weights).map(([type, weight]) => ({
    weight: Number(weight),
    arbitrary: fc.constant(type as Mutation['type']),
  }));
  return fc.array(fc.record<Mutation>({ type: fc.oneof(...types), a: fc.nat(), b: fc.nat() }), { minLength: 1, maxLength: 6 });
};
const batch = fc.oneof(
  { weight: 3, arbitrary: mutationsOf(mutationWeights).map((mutations): MutationBatch => ({ scratch: false, mutations })) },
  { weight: 1, arbitrary: mutationsOf(scratchWeights).map((mutations): MutationBatch => ({ scratch: true, mutations })) },
);

/** Histories of some tens of batches. */
export const histories = fc.array(batch, { minLength: 30, maxLength: 60 });

/** The addresses that histories use, of every scope and policy, with and without a key. */
export function stateOf(conversation: Id): { readonly values: readonly Address[]; readonly lists: readonly Address[] } {
  const policies = [true, false].flatMap((rewind) => [
    { rewind },
    { rewind, key: '' },
    { rewind, key: 'k😀' },
    { rewind, key: 'k\uffee' },
  ]);
  return {
    values: [
      sessionValue('v'),
      sessionValue('v', 'k'),
      ...policies.map((policy) => bound(conversationValue('v', policy), conversation)),
    ],
    lists: [sessionList('l'), ...policies.map((policy) => bound(conversationList('l', policy), conversation))],
  };
}
export function scratchOf(task: Id): { readonly values: readonly Address[]; readonly lists: readonly Address[] } {
  return {
    values: [bound(scratchValue('checkpoint'), task), bound(scratchValue('checkpoint', 'k'), task)],
    lists: [bound(scratchList('frames'), task)],
  };
}

/** What of the history is valid, as batches in the order of their commits. */
export async function recorded(history: readonly MutationBatch[]): Promise<readonly CommitBatch[]> {
  const storage = new MemoryStorage();
  const batches: CommitBatch[] = [];
  const commit = async (next: CommitBatch | undefined): Promise<void> => {
    if (next === undefined || next.writes.length === 0) return;
    await storage.commit(next);
    batches.push(next);
  };
  await commit(main(storage, [{ type: 'create', a: 0, b: 0 }]));
  for (const { scratch, mutations } of history) await commit(scratch ? working(storage, mutations) : main(storage, mutations));
  return batches;
}

function main(storage: Storage, mutations: readonly Mutation[]): CommitBatch | undefined {
  const tx = new Tx(storage, kinds);
  try {
    for (const mutation of inOrder(mutations)) mutate(tx, storage, mutation);
    const writes = tx.finish();
    validate(writes, storage, kinds);
    return { kind: 'main', writes };
  } catch (error) {
    // A pick that does not fit what the same batch did before; the stream has the batches that do.
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

function working(storage: Storage, mutations: readonly Mutation[]): CommitBatch | undefined {
  const task = pick(storage.scanTaskHeaders({ live: true, limit: end }).items, mutations[0]?.a ?? 0)?.id;
  if (task === undefined) return undefined;
  const tx = new ScratchTx(storage, task);
  const { values, lists } = scratchOf(task);
  for (const { type, a, b } of mutations) {
    const [value, list] = [tx.value(pick(values, b) ?? values[0]!), tx.list(lists[0]!)];
    if (type === 'frame') list.append({ frame: b });
    if (type === 'checkpoint') value.set(payload(value.get() as Json | undefined, a, b));
    if (type === 'forget') value.delete();
    if (type === 'drop') list.remove(pick(list.read().items, b)?.id ?? 1);
    if (type === 'restart' && b % 3 === 0) list.clear();
  }
  return { kind: 'scratch', task, writes: tx.finish() };
}

/** Rewindable state stands before the entries of its commit. */
function inOrder(mutations: readonly Mutation[]): readonly Mutation[] {
  const state = new Set<Mutation['type']>(['set', 'grow', 'unset', 'append', 'remove', 'clear']);
  return [...mutations.filter(({ type }) => state.has(type)), ...mutations.filter(({ type }) => !state.has(type))];
}

function mutate(tx: Tx, storage: Storage, { type, a, b }: Mutation): void {
  const conversation = pick(storage.scanConversations({ limit: end }).items, a)?.id;
  if (type === 'create' || conversation === undefined) {
    tx.createConversation();
    return;
  }
  const { values, lists } = stateOf(conversation);
  const value = tx.value(pick(values, b) ?? sessionValue('v'));
  const list = tx.list(pick(lists, b) ?? sessionList('l'));
  const transcript = storage.scanEntries({ conversationId: conversation, limit: end }).items;
  const task = pick(storage.scanTasks({ live: true, limit: end }).items, b);
  switch (type) {
    case 'note':
      tx.entry(note, conversation, { text: `text ${b}` }, b % 3 === 0 ? `key ${b % 4}` : undefined, task?.id);
      return;
    case 'silent':
      tx.entry(silent, conversation, { text: `\u0000 ${b} \ud800` });
      return;
    case 'edit': {
      const target = pick(transcript, b)?.id;
      if (target !== undefined) tx.entry(edit, conversation, b % 2 === 0 ? { target } : { target, replacement: `edited ${b}` });
      return;
    }
    case 'summary':
      tx.entry(summary, conversation, {
        text: `sum ${b}`,
        ...(transcript.length === 0 ? {} : { retainFrom: pick(transcript, b)?.id ?? 0 }),
      });
      return;
    case 'reset':
      if (b % 4 === 0) tx.entry(reset, conversation, { why: 'reset' });
      return;
    case 'set':
      value.set({ n: b });
      return;
    case 'grow':
      value.set(payload(value.get() as Json | undefined, a, b));
      return;
    case 'unset':
      value.delete();
      return;
    case 'append':
      list.append({ n: b });
      return;
    case 'remove':
      list.remove(pick(list.read().items, a)?.id ?? 1);
      return;
    case 'clear':
      list.clear();
      return;
    case 'fork':
      tx.entry(note, tx.createConversation({ parent: { conversationId: conversation, at: pick(transcript, b)?.id ?? 0 } }), {
        text: `in fork ${b}`,
      });
      return;
    case 'spawn': {
      const child = tx.createConversation();
      tx.task(work, { conversationId: conversation, state: { step: b }, owns: [child], background: true });
      tx.entry(note, child, { text: `child ${b}` });
      return;
    }
    case 'delete':
      if (b % 3 === 0) tx.deleteConversation(conversation);
      return;
    case 'task':
      tx.task(work, {
        conversationId: conversation,
        state: { step: b },
        ...(b % 3 === 0 ? { background: true } : {}),
        ...(task?.conversationId === conversation && b % 2 === 0 ? { after: [task.id] } : {}),
      });
      return;
    case 'record':
      tx.task(record, { conversationId: conversation, state: { what: `done ${b}` } });
      return;
    case 'patch':
      if (task !== undefined) tx.patch(task, { status: b % 2 === 0 ? 'running' : 'pending', state: { note: `at ${a}` } });
      return;
    case 'abort':
      if (task !== undefined) tx.patch(task, { abort: true });
      return;
    case 'settle':
      if (task !== undefined) tx.settle(task, b % 2 === 0 ? 'done' : 'failed', { note: 'over' });
      return;
    case 'request':
      keyed(`request ${b % 5}`, { a: b % 5 }, (inside) => inside.entry(note, conversation, { text: `asked ${b}` }))(tx);
      return;
    case 'frame':
    case 'checkpoint':
    case 'forget':
    case 'drop':
    case 'restart':
      return;
  }
}

/** A change of what was there, small beside it: text at the end, an item in the middle, a property, one of another kind. */
function payload(before: Json | undefined, a: number, b: number): Json {
  if (typeof before !== 'object' || before === null || !('text' in before))
    return { text: 'long '.repeat(200), items: [a], last: b };
  const { text, items, ...rest } = before as { readonly text: string; readonly items: readonly number[] };
  if (b % 7 === 0) return { items, text, ...rest };
  if (b % 7 === 1) return { text, items, ...rest, __proto__x: a, ['__proto__']: [b] };
  return {
    ...rest,
    text: b % 2 === 0 ? `${text}more ${a}` : text.slice(5),
    items: items.toSpliced(a % (items.length + 1), b % 2, b),
    last: b,
  };
}

export function pick<T>(items: readonly T[], n: number): T | undefined {
  return items.length === 0 ? undefined : items[n % items.length];
}
