/**
 * Random histories against the plain model of the specification: forks of forks, heads, edits, values, lists, deletions,
 * commits that fail. After every commit every read must agree, on the open handle and on the file opened again.
 */
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, sessionList, sessionValue } from './address.ts';
import type { ConversationHandle } from './conversation.ts';
import { Engine } from './engine.ts';
import type { Address, Id, MainWrite } from './records.ts';
import { end } from './storage.ts';
import type { CommitBatch } from './records.ts';
import type { Storage } from './storage.ts';
import { backends } from './testing/backends.ts';
import type { Backend } from './testing/backends.ts';
import { edit, entryKinds, note, reset, silent, summary, taskKinds } from './testing/kinds.ts';
import { Model } from './testing/model.ts';
import type { Tx } from './tx.ts';
import type { ConversationEvent, ConversationView } from './view.ts';
import type { WatchHandle } from './watch.ts';

interface Action {
  readonly type:
    | 'create'
    | 'fork'
    | 'note'
    | 'silent'
    | 'summary'
    | 'reset'
    | 'edit'
    | 'set'
    | 'unset'
    | 'append'
    | 'remove'
    | 'clear'
    | 'delete';
  /** Picks among what there is. */
  readonly a: number;
  readonly b: number;
}
interface Step {
  readonly actions: readonly Action[];
  readonly fails: boolean;
  readonly probe: number;
}

const action = fc.record<Action>({
  type: fc.oneof<fc.WeightedArbitrary<Action['type']>[]>(
    { weight: 6, arbitrary: fc.constantFrom('note', 'silent', 'edit', 'set', 'append') },
    { weight: 3, arbitrary: fc.constantFrom('fork', 'summary', 'remove', 'unset') },
    { weight: 1, arbitrary: fc.constantFrom('create', 'reset', 'clear', 'delete') },
  ),
  a: fc.nat(),
  b: fc.nat(),
});
const step = fc.record<Step>({
  actions: fc.array(action, { minLength: 1, maxLength: 6 }),
  fails: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  probe: fc.nat(),
});
const history = fc.array(step, { minLength: 4, maxLength: 14 });

/** Storage that keeps the batches it was given, for the model to apply. */
function recorded(storage: Storage, batches: (readonly MainWrite[])[]): Storage {
  const commit = async (batch: CommitBatch, within?: () => void) => {
    const written = await storage.commit(batch, within);
    if (batch.kind === 'main') batches.push(batch.writes);
    return written;
  };
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'commit') return commit;
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

function pick<T>(items: readonly T[], n: number): T | undefined {
  return items.length === 0 ? undefined : items[n % items.length];
}

/** The addresses that histories use, of every scope and policy. */
function addresses(conversation: Id): { readonly values: readonly Address[]; readonly lists: readonly Address[] } {
  const policies = [true, false].flatMap((rewind) => [{ rewind }, { rewind, key: 'k' }]);
  return {
    values: [sessionValue('v'), ...policies.map((policy) => bound(conversationValue('v', policy), conversation))],
    lists: [sessionList('l'), ...policies.map((policy) => bound(conversationList('l', policy), conversation))],
  };
}

/** Turns picks into writes that are valid in the state before the commit. */
function perform(tx: Tx, model: Model, { type, a, b }: Action): void {
  const conversation = pick(model.live, a);
  if (type === 'create' || conversation === undefined) {
    tx.createConversation();
    return;
  }
  const { values, lists } = addresses(conversation);
  const transcript = model.transcript(conversation);
  switch (type) {
    case 'fork': {
      const at = pick([{ id: 0 }, ...transcript], b)?.id ?? 0;
      const fork = tx.createConversation({ parent: { conversationId: conversation, at } });
      tx.entry(note, fork, { text: `in fork ${b}` });
      return;
    }
    case 'note':
      tx.entry(note, conversation, { text: `text ${b}` }, b % 3 === 0 ? `key ${b % 5}` : undefined);
      return;
    case 'silent':
      tx.entry(silent, conversation, { text: `silent ${b}` });
      return;
    case 'summary': {
      const before = model.newestHead(conversation, Infinity);
      const least = before === undefined ? 0 : model.retainedFrom(before);
      const from = pick(
        transcript.filter((entry) => entry.id >= least),
        b,
      )?.id;
      tx.entry(summary, conversation, { text: `sum ${b}`, ...(from === undefined ? {} : { retainFrom: from }) });
      return;
    }
    case 'reset':
      tx.entry(reset, conversation, { why: 'reset' });
      return;
    case 'edit': {
      const target = pick(transcript, b)?.id;
      if (target !== undefined) tx.entry(edit, conversation, b % 2 === 0 ? { target } : { target, replacement: `edited ${b}` });
      return;
    }
    case 'set':
      tx.value(pick(values, b) ?? sessionValue('v')).set({ n: b });
      return;
    case 'unset':
      tx.value(pick(values, b) ?? sessionValue('v')).delete();
      return;
    case 'append':
      tx.list(pick(lists, b) ?? sessionList('l')).append({ n: b });
      return;
    case 'remove': {
      const addr = pick(lists, b) ?? sessionList('l');
      const element = pick(model.list(addr), b);
      if (element !== undefined) tx.list(addr).remove(element.id);
      return;
    }
    case 'clear':
      tx.list(pick(lists, b) ?? sessionList('l')).clear();
      return;
    case 'delete':
      return;
  }
}

/** Rewindable state comes before entries, and a second head of one commit could pick a place that the first one passed. */
function ordered(actions: readonly Action[]): readonly Action[] {
  const isState = ({ type }: Action) =>
    type === 'set' || type === 'unset' || type === 'append' || type === 'remove' || type === 'clear';
  const isHead = ({ type }: Action) => type === 'summary' || type === 'reset';
  const head = actions.find(isHead);
  return [...actions.filter(isState), ...actions.filter((one) => !isState(one) && (!isHead(one) || one === head))];
}

function compare(engine: Engine<string>, model: Model, probe: number): void {
  expect(engine.lastSeq).toBe(model.lastSeq);
  expect(engine.conversations().items.map((c) => c.id)).toEqual(model.live);
  for (const conversation of model.live) {
    const transcript = model.transcript(conversation);
    const at = pick(transcript, probe)?.id ?? 0;
    const limit = 1 + (probe % 7);

    const up = [];
    for (let page = engine.entries(conversation, { limit }); ; page = engine.entries(conversation, { limit, after: page.next })) {
      up.push(...page.items);
      if (page.next === undefined) break;
    }
    expect(up).toEqual(transcript);
    const down = [];
    for (
      let page = engine.entryHeaders(conversation, { limit, before: end });
      ;
      page = engine.entryHeaders(conversation, { limit, before: page.next })
    ) {
      down.push(...page.items.map((entry) => entry.id));
      if (page.next === undefined) break;
    }
    expect(down).toEqual(transcript.map((entry) => entry.id).toReversed());

    const key = `key ${probe % 5}`;
    const isWanted = (entry: { kind: string; key?: string; id: Id }) =>
      entry.kind === 'note' && entry.key === key && entry.id <= at;
    expect(engine.entries(conversation, { limit: 99, kind: 'note', key, through: at }).items).toEqual(
      transcript.filter(isWanted),
    );
    expect(engine.entries(conversation, { limit: 99, kind: 'edit', from: at }).items).toEqual(
      transcript.filter((e) => e.kind === 'edit' && e.id >= at),
    );
    expect(engine.countEntries(conversation)).toBe(transcript.length);
    expect(engine.countEntries(conversation, at)).toBe(transcript.filter((entry) => entry.id >= at).length);
    expect(engine.countEntries(conversation, undefined, at)).toBe(transcript.filter((entry) => entry.id <= at).length);
    expect(engine.newestHead(conversation, at)?.id).toBe(model.newestHead(conversation, at)?.id);
    expect(contextOf(engine.contextEntries(conversation))).toEqual(model.context(conversation, Infinity));
    expect(contextOf(engine.contextEntries(conversation, at))).toEqual(model.context(conversation, at));

    const { values, lists } = addresses(conversation);
    for (const addr of values) {
      expect(engine.readValue(addr)).toEqual(model.value(addr));
      if (addr.rewind) expect(engine.readValue(addr, at)).toEqual(model.value(addr, at));
    }
    for (const addr of lists) {
      expect(engine.readList(addr).items).toEqual(model.list(addr));
      expect(engine.readList(addr, { before: end, limit: 2 }).items).toEqual(model.list(addr).toReversed().slice(0, 2));
      if (addr.rewind) expect(engine.readList(addr, { at, limit }).items).toEqual(model.list(addr, at).slice(0, limit));
    }
  }
}

function contextOf(entries: readonly { readonly entry: { readonly id: Id }; readonly messages: readonly string[] }[]) {
  return entries.map(({ entry, messages }) => ({ id: entry.id, messages }));
}

async function play(backend: Backend, steps: readonly Step[], reopens: boolean): Promise<void> {
  const session = backend.open(onTestFinished);
  const batches: (readonly MainWrite[])[] = [];
  const open = async () => Engine.open<string>(recorded(session.storage, batches), { entryKinds, taskKinds });
  const model = new Model();
  let engine = await open();
  const handles = new Map<Id, ConversationHandle<string>>();
  const watches = new Map<Id, WatchHandle<ConversationView, ConversationEvent>>();

  for (const { actions, fails, probe } of steps) {
    const plan = (tx: Tx) => {
      for (const one of ordered(actions)) perform(tx, model, one);
      for (const { type, a } of actions) if (type === 'delete' && model.live.length > 3 && a % 4 === 0) deleteOne(tx, model, a);
      if (fails) throw new Error('the plan failed');
    };
    if (fails) await expect(engine.commit(plan)).rejects.toThrow('the plan failed');
    else await engine.commit(plan);
    for (const writes of batches.splice(0)) model.apply(writes);
    if (reopens) {
      await session.reopen();
      engine = await open();
      handles.clear();
    }
    compare(engine, model, probe);
    for (const conversation of model.live) {
      const handle = handles.get(conversation) ?? engine.conversation(conversation);
      if (handle === undefined) throw new Error('a conversation of the model is not there');
      handles.set(conversation, handle);
      expect(contextOf(handle.contextEntries())).toEqual(model.context(conversation, Infinity));
    }
    if (!reopens) {
      for (const [conversation, watch] of watches) {
        if (model.deleted.has(conversation)) continue;
        const fresh = await engine.watch(conversation, { tail: 5, values: addresses(conversation).values });
        expect({ ...watch.view, readAt: 0 }).toEqual({ ...fresh.view, readAt: 0 });
        fresh.unsubscribe();
      }
      for (const conversation of model.live) {
        if (watches.has(conversation)) continue;
        const watch = await engine.watch(conversation, { tail: 5, values: addresses(conversation).values });
        watch.start(() => undefined);
        watches.set(conversation, watch);
      }
    }
  }
}

function deleteOne(tx: Tx, model: Model, a: number): void {
  const conversation = pick(model.live, a);
  if (conversation !== undefined) tx.deleteConversation(conversation);
}

test.each(backends)(
  'on $name any history reads as the specification says, on warm handles and by watchers too [2.2-2] [2.2-11] [2.4-3] [7.2-6] [7.2-7] [10.1-13]',
  async (backend) => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => play(backend, steps, false)),
      { seed: 7, numRuns: 24 },
    );
  },
);

test.each(backends)(
  'on $name a session that is opened again after every commit reads the same [2.2-9] [10.1-13]',
  async (backend) => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => play(backend, steps, true)),
      { seed: 11, numRuns: 6 },
    );
  },
);
