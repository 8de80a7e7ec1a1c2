/** The reducer of views: pure, proportional, and a conforming receiver of delta operations (engine specification 9.4). */
import { track } from '@earendil-works/chord/delta';
import type { Op } from '@earendil-works/chord/delta';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchValue, sessionValue } from './address.ts';
import type { Address, Json } from './records.ts';
import { applyEvent, applyEvents, applySessionEvent } from './reducer.ts';
import { addressKey } from './storage.ts';
import type { ConversationEvent, ConversationView, SessionView } from './view.ts';

const task = { id: 3, conversationId: 1, kind: 'work', status: 'pending', state: null, after: [] };
const empty: ConversationView = {
  conversation: { id: 1 },
  entries: [],
  tail: 3,
  context: [],
  tasks: [],
  inbox: [],
  values: {},
  previews: {},
  deleted: false,
  faulted: false,
  closed: false,
  readAt: 1,
};
const noted = (id: number): ConversationEvent => ({
  type: 'entry',
  entry: { id, conversationId: 1, kind: 'note', content: { text: String(id) } },
  inContext: true,
  seq: id,
});
const output = (ops: readonly Op[], seq = 9): ConversationEvent => ({ type: 'task_output', task: 3, ops, seq });
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test.each<[string, Json, readonly Op[], Json]>([
  ['r replaces the whole', { a: 1 }, [['r', ['new']]], ['new']],
  ['s sets a property', { a: { b: 1 } }, [['s', ['a', 'b'], [2]]], { a: { b: [2] } }],
  [
    's sets an element, one behind the end too',
    { a: [1] },
    [
      ['s', ['a', 0], 2],
      ['s', ['a', 1], 3],
    ],
    { a: [2, 3] },
  ],
  ['d deletes a property', { a: 1, b: 2 }, [['d', ['a']]], { b: 2 }],
  ['a appends to a string', { a: ['x'] }, [['a', ['a', 0], 'yz']], { a: ['xyz'] }],
  ['t takes UTF-16 units from the front', { a: '😀ab' }, [['t', ['a'], 3]], { a: 'b' }],
  ['p splices', { a: [1, 2, 3] }, [['p', ['a'], 1, 1, ['x', 'y']]], { a: [1, 'x', 'y', 3] }],
  ['p splices a root', [1, 2], [['p', [], 0, 1, []]], [2]],
  ['m reorders: the new i is the old permutation[i]', { a: ['x', 'y', 'z'] }, [['m', ['a'], [2, 0, 1]]], { a: ['z', 'x', 'y'] }],
  [
    'operations apply in order',
    { a: 'ab' },
    [
      ['t', ['a'], 1],
      ['a', ['a'], 'c'],
      ['r', { b: '' }],
      ['a', ['b'], 'd'],
    ],
    { b: 'd' },
  ],
])('%s [9.4-11] [9.4-13]', (_name, before, ops, after) => {
  const view: ConversationView = { ...empty, previews: { 3: before } };
  const folded = applyEvent(view, output(ops));
  expect(folded.previews).toEqual({ 3: after });
  expect(view.previews).toEqual({ 3: before });
});

test.each<[string, readonly Op[]]>([
  ['a path that is not there', [['a', ['gone'], 'x']]],
  ['text appended to a number', [['a', ['n'], 'x']]],
  ['a path into a prototype', [['s', ['__proto__', 'polluted'], true]]],
  ['an element far behind the end', [['s', ['list', 9], 1]]],
  ['a verb that nobody knows', [['z', ['n']] as unknown as Op]],
])('%s does not fit, is refused, and leaves the view as it was', (_name, ops) => {
  const view = applyEvent(empty, output([['r', { n: 1, list: [] }]]));
  const before = asJson(view);
  expect(() => applyEvent(view, output(ops))).toThrow();
  expect(view).toEqual(before);
  expect('polluted' in {}).toBe(false);
});

interface Mutation {
  readonly verb: 'set' | 'unset' | 'text' | 'window' | 'push' | 'splice' | 'sort' | 'whole' | 'length';
  readonly at: number;
  readonly value: Json;
}
interface State {
  text: string;
  list: Json[];
  map: Record<string, Json>;
}
const mutation = fc.record<Mutation>({
  verb: fc.constantFrom('set', 'unset', 'text', 'text', 'window', 'push', 'splice', 'sort', 'whole', 'length'),
  at: fc.nat(9),
  value: fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
});

function mutate(tracker: { state: State }, { verb, at, value }: Mutation): void {
  const { state } = tracker;
  switch (verb) {
    case 'set':
      state.map[`key ${at % 4}`] = value;
      break;
    case 'unset':
      delete state.map[`key ${at % 4}`];
      break;
    case 'text':
      state.text += `${at}😀`;
      break;
    case 'window':
      state.text = `${state.text.slice(at)}more ${at}`;
      break;
    case 'push':
      state.list.push(value, at);
      break;
    case 'splice':
      state.list.splice(at % (state.list.length + 1), at % 3, value);
      break;
    case 'sort':
      state.list.reverse();
      break;
    case 'whole':
      if (at === 0) tracker.state = { text: 'anew', list: [value], map: {} };
      else state.map = { only: value };
      break;
    case 'length':
      state.list.length = Math.min(state.list.length, at);
      break;
  }
}

test('whatever a task does to its preview, its operations fold to the same value, as JSON too [9.4-11] [9.4-13] [9.4-20]', () => {
  const verbs = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.array(mutation, { maxLength: 5 }), { minLength: 1, maxLength: 20 }), (commits) => {
      const tracker = track<State>({ text: '', list: [], map: {} });
      let [here, there] = [empty, empty];
      for (const mutations of [[], ...commits]) {
        for (const one of mutations) mutate(tracker, one);
        const ops = tracker.flush();
        for (const [verb] of ops) verbs.add(verb);
        if (ops.length === 0) continue;
        const before = asJson(here);
        const kept = here;
        here = applyEvent(here, output(ops));
        there = applyEvent(there, asJson(output(ops)));
        expect(kept).toEqual(before);
        expect(here.previews[3]).toEqual(tracker.target);
        expect(there).toEqual(here);
      }
    }),
    { seed: 5, numRuns: 200 },
  );
  expect([...verbs].toSorted()).toEqual(['a', 'd', 'p', 'r', 's', 't']);
});

test('folding one by one and folding a commit at once is the same, and no earlier view changes [9.4-13]', () => {
  const value = bound(conversationValue<string>('v', { rewind: true }), 1);
  const events: ConversationEvent[] = [
    noted(2),
    { type: 'task_start', task, seq: 3 },
    output([['r', { text: '' }]], 3),
    { type: 'task_update', task: { ...task, status: 'running' }, previous: task, seq: 4 },
    output([['a', ['text'], 'x']], 5),
    { type: 'value', addr: value, value: 'set', seq: 6 },
    { type: 'inbox', items: [{ id: 7, value: { mode: 'steer', message: 'now' } }], seq: 7 },
    noted(8),
    noted(9),
    { type: 'context', ids: [9], seq: 10 },
    noted(11),
    { type: 'value', addr: value, value: undefined, seq: 12 },
    { type: 'task_end', task, seq: 13 },
    { type: 'deleted', seq: 14 },
    { type: 'fault', reason: 'lagging', seq: 15 },
    { type: 'closed', seq: 16 },
  ];
  const views = [empty];
  const copies = [asJson(empty)];
  for (const event of events) {
    const next = applyEvent(views.at(-1) ?? empty, event);
    views.push(next);
    copies.push(asJson(next));
  }
  expect(views).toEqual(copies);
  expect(applyEvents(empty, events)).toEqual(views.at(-1));
  expect(applyEvents(asJson(empty), asJson(events))).toEqual(views.at(-1));
  expect(views.at(-1)).toMatchObject({
    context: [9, 11],
    entries: [{ id: 8 }, { id: 9 }, { id: 11 }],
    tasks: [],
    inbox: [{ id: 7 }],
    values: {},
    previews: {},
    deleted: true,
    faulted: true,
    closed: true,
    readAt: 16,
  });
  expect(views[7]).toMatchObject({
    previews: { 3: { text: 'x' } },
    values: { [addressKey(value)]: 'set' },
    tasks: [{ status: 'running' }],
  });
});

test('what an event does not touch is the same object afterwards [9.4-13]', () => {
  const before = applyEvents(empty, [
    noted(2),
    { type: 'task_start', task, seq: 3 },
    output([['r', { big: { deep: [1] }, text: '' }]]),
  ]);
  const after = applyEvent(before, output([['a', ['text'], 'x']]));
  expect(after.tasks).toBe(before.tasks);
  expect(after.entries).toBe(before.entries);
  expect(after.values).toBe(before.values);
  expect(after.inbox).toBe(before.inbox);
  const big = (view: ConversationView) => (view.previews[3] as { big: Json }).big;
  expect(big(after)).toBe(big(before));
});

test('an append to a long context copies none of it: many kept views of 100,000 ids take the memory of a few [9.4-13]', () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => i + 2);
  const views: ConversationView[] = [{ ...empty, context: ids, readAt: 100_001 }];
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 300; i++) views.push(applyEvent(views.at(-1) ?? empty, noted(100_002 + i)));
  // A copy for each would be 240 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
  expect(views[1]?.context).toHaveLength(100_001);
  expect(views.at(-1)?.context).toHaveLength(100_300);
  expect(views.at(-1)?.context.at(-1)).toBe(100_301);
});

test('views of the session fold likewise, and what is told and not kept changes nothing but the position [9.4-17]', () => {
  const view: SessionView = { conversations: [{ id: 1 }], values: {}, faulted: false, closed: false, readAt: 1 };
  const created = applySessionEvent(view, { type: 'conversation', conversation: { id: 2 }, change: 'created', seq: 2 });
  const deleted = applySessionEvent(created, { type: 'conversation', conversation: { id: 1 }, change: 'deleted', seq: 3 });
  const reported = applySessionEvent(deleted, { type: 'report', error: { name: 'Error', message: 'no' }, seq: 3 });
  const name = sessionValue<string>('name');
  const named = applySessionEvent(reported, { type: 'value', addr: name, value: 'shop', seq: 4 });
  expect(view.conversations).toEqual([{ id: 1 }]);
  expect(created.conversations).toEqual([{ id: 1 }, { id: 2 }]);
  expect(reported).toEqual({ ...deleted, conversations: [{ id: 2 }] });
  expect(named).toEqual({ ...reported, values: { [addressKey(name)]: 'shop' }, readAt: 4 });
  expect(applySessionEvent(named, { type: 'value', addr: name, value: undefined, seq: 5 }).values).toEqual({});
});

test('an address has one key, equal exactly for equal scope, namespace, key and policy [9.4-14]', () => {
  const scope = fc.oneof(
    fc.constant({ session: true as const }),
    fc.nat(3).map((conversation) => ({ conversation })),
    fc.nat(3).map((scratch) => ({ scratch })),
  );
  const word = fc.constantFrom('', 'a', 'b', 'a.b', '"', ',', 'null', '["s"]', 'a","b');
  const address: fc.Arbitrary<Address> = fc
    .tuple(scope, word, fc.option(word, { nil: undefined }), fc.boolean())
    .map(([where, namespace, key, rewind]) => ({ scope: where, namespace, rewind, ...(key === undefined ? {} : { key }) }));
  const canonical = ({ scope: where, namespace, key, rewind }: Address) =>
    JSON.stringify({ where, namespace, key: key ?? null, rewind });
  fc.assert(
    fc.property(address, address, (a, b) => {
      expect(addressKey(a) === addressKey(b)).toBe(canonical(a) === canonical(b));
      expect(addressKey(asJson(a))).toBe(addressKey(a));
    }),
    { seed: 2, numRuns: 2000 },
  );
  expect(addressKey(bound(scratchValue('v'), 1))).not.toBe(addressKey(bound(conversationList('v', { rewind: false }), 1)));
});
