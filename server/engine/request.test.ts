/** Request keys: a second try of a commit gives what the first gave (engine specification 3.4, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { UncertainPersistence } from './errors.ts';
import type { CommitBatch } from './records.ts';
import { keyed } from './request.ts';
import type { Storage } from './storage.ts';
import { note } from './testing/kinds.ts';
import { TempSession } from './testing/session.ts';

test('the same request with the same input is done once [3.4-2] [3.4-3]', async () => {
  const engine = await new TempSession(onTestFinished).engine();
  const root = (await engine.root()).id;
  const ask = async (text: string, tag: string) =>
    engine.commit(keyed('req-42', { text, tag }, (tx) => tx.entry(note, root, { text })));
  const first = await ask('hello', 'a');
  expect(await ask('hello', 'a')).toBe(first);
  expect(await engine.commit(keyed('req-42', { tag: 'a', text: 'hello' }, () => 0))).toBe(first);
  expect(engine.countEntries(root)).toBe(1);
  await expect(ask('other', 'a')).rejects.toMatchObject({ code: 'keyReused' });
  expect(engine.countEntries(root)).toBe(1);
});

test('when the batch is durable and the reply is lost, the second try gives the same id [3.4-1] [10.2-2]', async () => {
  const session = new TempSession(onTestFinished);
  const real = session.store.session('session');
  const root = (await (await session.engine(real)).root()).id;
  const forgetful: Storage = new Proxy(real, {
    get: (target, property) => {
      if (property === 'commit')
        return async (batch: CommitBatch) => {
          await target.commit(batch);
          throw new UncertainPersistence(new Error('no reply'));
        };
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const plan = keyed('req-1', 'hello', (tx) => tx.entry(note, root, { text: 'hello' }));
  await expect((await session.engine(forgetful)).commit(plan)).rejects.toBeInstanceOf(UncertainPersistence);
  session.reopenFile();
  const again = await session.engine();
  const id = await again.commit(plan);
  expect(again.countEntries(root)).toBe(1);
  expect(again.getEntry(note, id)?.content.text).toBe('hello');
});

test('a request that failed was not made', async () => {
  const engine = await new TempSession(onTestFinished).engine();
  const fail = keyed('req-1', 1, (): number => {
    throw new Error('no');
  });
  await expect(engine.commit(fail)).rejects.toThrow('no');
  expect(await engine.commit(keyed('req-1', 2, () => 5))).toBe(5);
});
