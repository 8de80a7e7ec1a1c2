/** State by its scope: session, conversation, scratch; values and lists; state that plugins build on them (engine specification 4). */
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bound, conversationList, conversationValue, scratchList, scratchValue, sessionList, sessionValue } from './address.ts';
import type { Engine } from './engine.ts';
import type { Address, Id, Value } from './records.ts';
import { addressKey } from './storage.ts';
import { note, record, work } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

const plan = conversationValue<string>('plan', { rewind: true });

async function started() {
  const session = new TempSession(onTestFinished);
  const engine = await session.engine();
  const root = await engine.root();
  const say = async (text: string) => root.commit((tx) => tx.entry(note, { text }));
  const task = async () => root.commit((tx) => tx.task(work, { state: { step: 1 } }));
  return { session, engine, root, say, task };
}

test('session state is one for every conversation and every fork [4.1-1]', async () => {
  const { engine, root, say } = await started();
  const name = sessionValue<string>('name');
  const at = await say('one');
  await engine.value(name).set('shop');
  const fork = await root.fork(at);
  expect(fork.value(name).get()).toBe('shop');
  await fork.value(name).set('market');
  expect([root.value(name).get(), engine.value(name).get()]).toEqual(['market', 'market']);
});

test('a declared address takes the conversation of whoever uses it [4.1-4]', async () => {
  const { engine, root } = await started();
  const other = await root.fork('start');
  const seen = conversationList<string>('seen', { rewind: false });
  await root.value(plan).set('of the root');
  await other.commit((tx) => {
    tx.value(plan).set('of the other');
    tx.list(seen).append('first');
    tx.in(root.id).list(seen).append('in the root');
  });
  expect([root.value(plan).get(), other.value(plan).get()]).toEqual(['of the root', 'of the other']);
  expect(engine.readValue(bound(plan, other.id))).toBe('of the other');
  expect([root.list(seen).read().items, other.list(seen).read().items]).toMatchObject([
    [{ value: 'in the root' }],
    [{ value: 'first' }],
  ]);
});

test('one name in every scope is as many addresses, and none reaches another [4.1-6]', async () => {
  const { engine, root, task } = await started();
  const other = (await root.fork('start')).id;
  const [one, two] = [await task(), await task()];
  const addresses: readonly Value<number>[] = [
    sessionValue('name'),
    sessionValue('name', 'key'),
    ...[root.id, other].flatMap((id) => [true, false].map((rewind) => bound(conversationValue<number>('name', { rewind }), id))),
  ];
  const scratch = [one, two].map((id) => bound(scratchValue<number>('name'), id));
  for (const [i, addr] of addresses.entries()) await engine.commit((tx) => tx.value(addr).set(i));
  await engine.scratch(one, (sc) => sc.value(scratchValue<number>('name')).set(100));
  expect([...addresses, ...scratch].map((addr) => engine.readValue(addr))).toEqual([0, 1, 2, 3, 4, 5, 100, undefined]);
});

test('session and scratch state that would rewind is rejected [4.1-6]', async () => {
  const { engine, task } = await started();
  const id = await task();
  const before = engine.lastSeq;
  const session: Address = { scope: { session: true }, namespace: 'name', rewind: true };
  const scratch: Address = { scope: { scratch: id }, namespace: 'name', rewind: true };
  await expect(engine.commit((tx) => tx.value(session).set(1))).rejects.toMatchObject({ code: 'scope' });
  await expect(engine.commit((tx) => tx.list(session).append(1))).rejects.toMatchObject({ code: 'scope' });
  await expect(engine.scratch(id, (sc) => sc.value(scratch).set(1))).rejects.toMatchObject({ code: 'scope' });
  expect(engine.lastSeq).toBe(before);
});

test('the key of an address is equal exactly for equal scope, policy, namespace and key [9.4-14]', () => {
  const text = fc.constantFrom('', 'a', 'b', 's', 'a","b', '["s",0,"a"]', ':');
  const scope = fc.oneof(
    fc.constant<Address['scope']>({ session: true }),
    fc.integer({ min: 1, max: 3 }).map((conversation): Address['scope'] => ({ conversation })),
    fc.integer({ min: 1, max: 3 }).map((scratch): Address['scope'] => ({ scratch })),
  );
  const address = fc
    .record({ scope, rewind: fc.boolean(), namespace: text, key: fc.option(text, { nil: undefined }) })
    .map(({ key, ...rest }): Address => (key === undefined ? rest : { ...rest, key }));
  const parts = ({ scope: of, rewind, namespace, key }: Address) => [
    Object.entries(of),
    rewind,
    namespace,
    key === undefined,
    key,
  ];
  fc.assert(
    fc.property(address, address, (one, other) => {
      expect(addressKey(one) === addressKey(other)).toBe(JSON.stringify(parts(one)) === JSON.stringify(parts(other)));
      expect(addressKey(JSON.parse(JSON.stringify(one)) as Address)).toBe(addressKey(one));
    }),
    { seed: 94, numRuns: 2000 },
  );
});

test('an address made anew after a restart finds what was stored under an equal one [4.1-7]', async () => {
  const { session, root } = await started();
  const make = () => ({
    value: conversationValue<object>('state', { rewind: true, key: 'a' }),
    list: conversationList<number>('moves', { rewind: false }),
    name: sessionValue<string>('name'),
  });
  const { value, list, name } = make();
  await root.commit((tx) => {
    tx.value(value).set({ n: 1 });
    tx.list(list).append(7);
    tx.value(name).set('shop');
  });
  session.reopenFile();
  const again = await (await session.engine()).root();
  const fresh = make();
  expect([again.value(fresh.value).get(), again.list(fresh.list).read().items[0]?.value, again.value(fresh.name).get()]).toEqual([
    { n: 1 },
    7,
    'shop',
  ]);
});

test('a value is absent, set, another, absent again [4.2-1]', async () => {
  const { root } = await started();
  for (const addr of [plan, conversationValue<string>('sticky', { rewind: false }), sessionValue<string>('name')]) {
    const value = root.value(addr);
    const seen = [value.get()];
    await value.set('a');
    seen.push(value.get());
    await value.set('b');
    seen.push(value.get());
    await value.delete();
    seen.push(value.get());
    await value.set('c');
    seen.push(value.get());
    expect(seen).toEqual([undefined, 'a', 'b', undefined, 'c']);
  }
});

test('what a writer or a reader does to its object afterwards changes nothing that is stored [4.1-5]', async () => {
  const { engine, root, task } = await started();
  const state = conversationValue<{ n: number[] }>('state', { rewind: true });
  const list = sessionList<{ n: number[] }>('list');
  const scratch = scratchValue<{ n: number[] }>('state');
  const id = await task();
  const written = { n: [1] };
  const entry = await root.commit((tx) => {
    tx.value(state).set(written);
    tx.list(list).append(written);
    return tx.entry(note, { text: 'x', written } as { text: string });
  });
  await engine.scratch(id, (sc) => sc.value(scratch).set(written));
  written.n.push(2);
  const reads = (): readonly unknown[] => [
    root.value(state).get(),
    root.list(list).read().items[0]?.value,
    engine.readValue(bound(scratch, id)),
    engine.getEntry(entry)?.content,
    engine.entries(root.id, { limit: 1 }).items[0]?.content,
  ];
  const { n } = root.value(state).get() ?? { n: [] };
  try {
    n.push(3);
  } catch {
    // A backend may hand out what nobody can change.
  }
  const stored = { n: [1] };
  expect(reads()).toEqual([stored, stored, stored, { text: 'x', written: stored }, { text: 'x', written: stored }]);
});

test('a child that was initialized by copying has what was copied, and looks nowhere else [4.4-5]', async () => {
  const { engine, root } = await started();
  const other = conversationValue<string>('other', { rewind: true });
  await root.value(plan).set('copied');
  await root.value(other).set('not copied');
  const child = await root.commit((tx) => {
    const id = tx.createConversation();
    tx.whole.task(record, { conversationId: root.id, state: { what: 'child' }, owns: [id] });
    tx.in(id)
      .value(plan)
      .set(tx.value(plan).get() ?? '');
    return id;
  });
  const handle = engine.conversation(child);
  expect(handle?.snapshot()?.parent).toBeUndefined();
  expect([handle?.value(plan).get(), handle?.value(other).get()]).toEqual(['copied', undefined]);
  await root.value(plan).set('changed');
  await handle?.value(plan).delete();
  expect([root.value(plan).get(), handle?.value(plan).get()]).toEqual(['changed', undefined]);
});

interface Checkpoint {
  readonly through: Id;
  readonly sum: number;
}
const checkpoint = conversationValue<Checkpoint>('sum', { rewind: true });
const deltas = conversationList<number>('deltas', { rewind: true });

/** As a plugin does it: the checkpoint that is visible there, and the deltas behind it. */
function hydrate(engine: Engine<string>, conversation: Id, at?: Id): number {
  const { through, sum } = engine.readValue(bound(checkpoint, conversation), at) ?? { through: 0, sum: 0 };
  const query = { after: through, ...(at === undefined ? {} : { at }) };
  return engine.readList(bound(deltas, conversation), query).items.reduce((total, { value }) => total + value, sum);
}

test('a checkpoint and the deltas behind it give the state as of any entry, and in forks [4.5-1]', async () => {
  const steps = fc.array(fc.record({ add: fc.integer({ min: -9, max: 9 }), checkpoints: fc.boolean(), forks: fc.boolean() }), {
    minLength: 4,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { engine, root } = await started();
      const expected: { readonly conversation: Id; readonly at: Id; readonly sum: number }[] = [];
      let [conversation, sum] = [root.id, 0];
      for (const { add, checkpoints, forks } of all) {
        const at: Id = await engine.commit((tx) => {
          const through = tx.list(bound(deltas, conversation)).append(add);
          if (checkpoints) tx.value(bound(checkpoint, conversation)).set({ through, sum: sum + add });
          return tx.entry(note, conversation, { text: String(add) });
        });
        sum += add;
        expected.push({ conversation, at, sum });
        if (forks) {
          const source = expected[Math.floor(expected.length / 2)] ?? { conversation, at, sum };
          ({ id: conversation } = await engine.fork(source.conversation, source.at));
          ({ sum } = source);
        }
        expect(hydrate(engine, conversation)).toBe(sum);
      }
      for (const one of expected) expect(hydrate(engine, one.conversation, one.at)).toBe(one.sum);
    }),
    { seed: 45, numRuns: 12 },
  );
});

test('scratch has many addresses, survives a restart, and is neither rewound nor inherited [4.1-3] [4.6-1]', async () => {
  const { session, engine, root, say, task } = await started();
  const [frames, seen] = [scratchList<string>('frames'), scratchValue<number>('seen', 'a')];
  const [id, other] = [await task(), await task()];
  await engine.scratch(id, (sc) => {
    sc.list(frames).append('one');
    sc.list(frames).append('two');
    sc.value(seen).set(2);
  });
  const at = await say('after');
  await engine.scratch(id, (sc) => sc.list(frames).append('three'));
  session.reopenFile();
  const again = await session.engine();
  const read = (owner: Id) => [
    again.readList(bound(frames, owner)).items.map(({ value }) => value),
    again.readValue(bound(seen, owner)),
  ];
  expect([read(id), read(other)]).toEqual([
    [['one', 'two', 'three'], 2],
    [[], undefined],
  ]);
  expect(() => again.readValue(bound(seen, id), at)).toThrow(expect.objectContaining({ code: 'notRewindable' }));
  expect(() => again.readList(bound(frames, id), { at })).toThrow(expect.objectContaining({ code: 'notRewindable' }));
  const fork = await again.fork(root.id, at);
  expect(again.tasks({ conversationIds: [fork.id], limit: 9 }).items).toEqual([]);
  expect(again.entries(root.id, { limit: 9 }).items.map((entry) => entry.id)).toEqual([at]);
});

test('settling takes the scratch with it: before it both are there, after it neither [4.6-2]', async () => {
  const { session, engine, root, task } = await started();
  const frames = scratchList<string>('frames');
  const id = await task();
  await engine.scratch(id, (sc) => sc.list(frames).append('one'));
  const crash = () => {
    throw new Error('the process ended');
  };
  await expect(root.commit((tx) => tx.settle(id, 'done'), { within: crash })).rejects.toThrow('the process ended');
  session.reopenFile();
  const before = await session.engine();
  expect([before.inspect().start.length, before.readList(bound(frames, id)).items.length]).toEqual([1, 1]);
  await before.commit((tx) => tx.settle(id, 'done'));
  session.reopenFile();
  const after = await session.engine();
  expect([after.liveTasks().length, after.readList(bound(frames, id)).items.length]).toEqual([0, 0]);
});

test('a new attempt clears the scratch of the old one and is what is then read [4.6-6]', async () => {
  const { engine, task } = await started();
  const [frames, seen] = [scratchList<string>('frames'), scratchValue<number>('seen')];
  const id = await task();
  await engine.scratch(id, (sc) => {
    sc.list(frames).append('old');
    sc.value(seen).set(1);
  });
  await engine.scratch(id, (sc) => {
    sc.list(frames).clear();
    sc.value(seen).delete();
  });
  await engine.scratch(id, (sc) => sc.list(frames).append('new'));
  expect(engine.readList(bound(frames, id)).items.map(({ value }) => value)).toEqual(['new']);
  expect(engine.readValue(bound(seen, id))).toBeUndefined();
});
