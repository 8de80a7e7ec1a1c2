/** What an engine's readers and callers see of persistence that waits, fails or loses its reply, on every backend (engine specification 3.3, 10.2). */
import { expect, onTestFinished, test } from 'vitest';
import { sessionValue } from './address.ts';
import { Engine } from './engine.ts';
import { UncertainPersistence } from './errors.ts';
import { keyed } from './request.ts';
import type { Storage } from './storage.ts';
import { backends } from './testing/backends.ts';
import { entryKinds, note, taskKinds, work } from './testing/kinds.ts';
import { withCommit } from './testing/storages.ts';

const openEngine = (storage: Storage): Promise<Engine<string>> => Engine.open(storage, { entryKinds, taskKinds });

test.each(backends)(
  'on $name readers see the old complete state while persistence waits, then all of the new one [10.2-1] [3.1-3] [3.3-4]',
  async (backend) => {
    const session = backend.open(onTestFinished);
    let gate: PromiseWithResolvers<void> | undefined;
    const engine = await openEngine(
      withCommit(session.storage, async (_batch, commit) => {
        await gate?.promise;
        return commit();
      }),
    );
    const root = (await engine.root()).id;
    const name = sessionValue<string>('name');
    gate = Promise.withResolvers<void>();
    let reply: number | undefined;
    const constructed = Promise.withResolvers<void>();
    const committing = engine
      .commit((tx) => {
        tx.value(name).set('new');
        const id = tx.entry(note, root, { text: 'new' });
        tx.task(work, { conversationId: root, state: { step: 1 } });
        constructed.resolve();
        return id;
      })
      .then((id) => (reply = id));
    await constructed.promise;
    await new Promise((resolve) => void setImmediate(resolve));
    const look = () => [engine.readValue(name), engine.countEntries(root), engine.liveTasks().length, reply];
    const seq = engine.lastSeq;
    expect(look()).toEqual([undefined, 0, 0, undefined]);
    gate.resolve();
    await committing;
    expect([look(), engine.lastSeq]).toEqual([['new', 1, 1, seq + 2], seq + 3]);
  },
);

test.each(backends.filter(({ name }) => name !== 'memory'))(
  'on $name a commit that was durable when its reply was lost is there at reopening, and its keyed retry gives the same id [10.2-2] [3.4-2]',
  async (backend) => {
    const session = backend.open(onTestFinished);
    let losesReply = false;
    const losing = (storage: Storage): Storage =>
      withCommit(storage, async (_batch, commit) => {
        const written = await commit();
        if (losesReply) throw new UncertainPersistence(new Error('the reply was lost'));
        return written;
      });
    let engine = await openEngine(losing(session.storage));
    const root = (await engine.root()).id;
    const ask = keyed('req-42', { text: 'hello' }, (tx) => tx.entry(note, root, { text: 'hello' }));
    losesReply = true;
    await expect(engine.commit(ask)).rejects.toBeInstanceOf(UncertainPersistence);
    losesReply = false;
    engine = await openEngine(losing(await session.reopen()));
    const [kept] = engine.entries(root, { limit: 9 }).items;
    const seq = engine.lastSeq;
    expect(kept?.content).toEqual({ text: 'hello' });
    expect([await engine.commit(ask), engine.lastSeq]).toEqual([kept?.id, seq]);
  },
);
