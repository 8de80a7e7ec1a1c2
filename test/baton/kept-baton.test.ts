/** Batons that are kept in the ledger: grown as entries arrive, inherited by forks, made anew where they do not fit, the same as from cold. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { compileThread } from '../../server/drive/compile.ts';
import { grownBaton, isGrown } from '../../server/drive/kept-baton.ts';
import type { Ledger } from '../../server/ledger/ledger.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { BatonKeeper } from '../../server/main/baton-keeper.ts';
import { began } from './planted/beat.ts';
import { noise } from './planted/noise.ts';
import { PlantedHome } from './planted/planted-home.ts';
import type { PlantedSession } from './planted/session.ts';
import { claudeGerman } from './planted/sessions/claude-german.ts';
import { codexRust } from './planted/sessions/codex-rust.ts';

const options = {
  to: 'codex' as const,
  budget: null,
  now: began + 48 * 3_600_000,
  salt: 'salt',
  facts: () => Promise.resolve(null),
};

async function homeOf(session: PlantedSession): Promise<PlantedHome> {
  const home = await PlantedHome.of(session);
  onTestFinished(() => home[Symbol.asyncDispose]());
  return home;
}

/** As if nothing had been kept. */
async function cold(ledger: Ledger, thread: ThreadRow): Promise<unknown> {
  const db = new Sqlite(path.join(ledger.folder, 'ledger.db'));
  const rows = db.prepare('SELECT * FROM baton_states').all() as Record<string, unknown>[];
  db.prepare('DELETE FROM baton_states').run();
  const compiled = await compileThread(ledger, thread, options);
  db.prepare('DELETE FROM baton_states').run();
  const put = db.prepare('INSERT INTO baton_states VALUES (@session, @conversation, @version, @through, @state)');
  for (const row of rows) put.run(row);
  db.close();
  return compiled;
}

test('a state that grows a page at a time gives the packet that a cold one gives', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  let steps = 0;
  for (let more = true; more; steps++) ({ more } = await grownBaton(ledger, thread, { salt: 'salt', most: 17, keep: true }));
  expect(steps).toBeGreaterThan(4);
  expect(await isGrown(ledger, thread)).toBe(true);
  const { folded } = await grownBaton(ledger, thread, { salt: 'salt' });
  expect(folded).toBe(0);
  expect(await compileThread(ledger, thread, options)).toEqual(await cold(ledger, thread));
});

test('what is kept holds no secret of the session, and masks one that comes again', async () => {
  const { ledger: home, thread } = await homeOf(claudeGerman);
  await compileThread(home.ledger, thread, { ...options, keep: true });
  const kept = home.ledger.batonStates?.get(thread.session, thread.current_conversation);
  expect(kept?.through).toBeGreaterThan(100);
  for (const secret of claudeGerman.secrets) expect(kept?.state).not.toContain(secret);
});

test('a fork takes up the state of what it was forked from while that is not past the fork, and else begins anew', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  const engine = await ledger.engine(thread.session);
  const entries = engine.entries(thread.current_conversation, { limit: 1000 }).items.map((entry) => entry.id);
  const [early, late] = [entries[40] ?? 0, entries[90] ?? 0];
  await grownBaton(ledger, { ...thread, current_entry: early }, { salt: 'salt', keep: true });
  const fork = async (at: number): Promise<ThreadRow> => {
    const conversation = await engine.commit((tx) =>
      tx.createConversation({ parent: { conversationId: thread.current_conversation, at } }),
    );
    return { ...thread, current_conversation: conversation, current_entry: null };
  };
  const after = await fork(late);
  const grown = await grownBaton(ledger, after, { salt: 'salt', keep: true });
  expect(grown.folded).toBe(50);
  expect(await isGrown(ledger, after)).toBe(true);
  expect(await compileThread(ledger, after, options)).toEqual(await cold(ledger, after));
  const before = await fork(entries[20] ?? 0);
  expect((await grownBaton(ledger, before, { salt: 'salt' })).folded).toBe(21);
  // A fork of the fork finds it through both.
  const second = await engine.commit((tx) =>
    tx.createConversation({ parent: { conversationId: before.current_conversation, at: entries[20] ?? 0 } }),
  );
  expect((await grownBaton(ledger, { ...before, current_conversation: second }, { salt: 'salt' })).folded).toBe(21);
});

test('a thread whose head stands before what was kept is compiled of what it has', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  await compileThread(ledger, thread, { ...options, keep: true });
  const engine = await ledger.engine(thread.session);
  const head = engine.entries(thread.current_conversation, { limit: 1000 }).items[30]?.id ?? 0;
  const back = { ...thread, current_entry: head };
  const compiled = await compileThread(ledger, back, options);
  expect(compiled.baton.counts.entries).toBe(31);
  expect(compiled).toEqual(await cold(ledger, back));
});

test('damaged and foreign states are made anew', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  const first = await compileThread(ledger, thread, { ...options, keep: true });
  const db = new Sqlite(path.join(ledger.folder, 'ledger.db'));
  onTestFinished(() => void db.close());
  const place = ledger.batonStates?.place(thread.session, thread.current_conversation);
  for (const state of [
    Buffer.from([1, 2, 3]),
    Buffer.alloc(0),
    Buffer.from('\0{}'),
    Buffer.from('\0{"version":'),
    Buffer.from([99, 1]),
  ]) {
    db.prepare('UPDATE baton_states SET state = ?').run(state);
    expect(await compileThread(ledger, thread, options)).toEqual(first);
  }
  ledger.batonStates?.put(thread.session, thread.current_conversation, {
    version: 1,
    through: place?.through ?? 0,
    state: '{"version":1}',
  });
  expect(await compileThread(ledger, thread, options)).toEqual(first);
});

test('who may only read compiles from what is kept and keeps nothing', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const first = await compileThread(home.ledger, thread, options);
  await home.ledger.close();
  const { Ledger } = await import('../../server/ledger/ledger.ts');
  const reader = Ledger.open(home.folder, { readonly: true, now: 0, maySetAside: false });
  try {
    expect(await compileThread(reader, thread, { ...options, keep: true })).toEqual(first);
  } finally {
    await reader.close();
  }
});

test('the keeper brings up the batons of threads that are worked on, in bounded steps, and leaves idle ones and imports alone', async () => {
  const session = { ...codexRust, beats: [...codexRust.beats, ...noise(7, 900)] };
  const { ledger: home, thread } = await homeOf(session);
  const { ledger } = home;
  let now = thread.updated_at + 60_000;
  let steps = 0;
  const errors: unknown[] = [];
  const keeper = new BatonKeeper({
    ledger,
    salt: 'salt',
    quietly: (work) => {
      steps++;
      return home.ingest.quietly(work);
    },
    now: () => now,
    onError: (error) => errors.push(error),
    pauseMs: 3_600_000,
  });
  keeper.importing(true);
  keeper.committed(thread);
  await keeper.flush();
  expect([steps, await isGrown(ledger, thread)]).toEqual([0, false]);
  keeper.importing(false);
  await keeper.flush();
  expect(steps).toBeGreaterThan(1);
  expect(await isGrown(ledger, thread)).toBe(true);
  const idle = await homeOf(claudeGerman);
  now = idle.thread.updated_at + 7 * 3_600_000;
  keeper.committed(idle.thread);
  steps = 0;
  await keeper.flush();
  expect(steps).toBe(0);
  // A long thread is brought up however old it is.
  const old = new BatonKeeper({
    ledger: idle.ledger.ledger,
    salt: 'salt',
    quietly: (work) => work(),
    now: () => now,
    onError: (error) => errors.push(error),
    longEntries: idle.thread.entries,
  });
  old.committed(idle.thread);
  await old.flush();
  expect(await isGrown(idle.ledger.ledger, idle.thread)).toBe(true);
  await old.stop();
  await keeper.stop();
  expect(errors).toEqual([]);
  expect(fs.existsSync(ledger.folder)).toBe(true);
});

test('a keeper that begins brings up long threads that nobody has brought up, or another version has', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  const keeperOf = (longEntries: number): BatonKeeper => {
    const keeper = new BatonKeeper({
      ledger,
      salt: 'salt',
      quietly: (work) => work(),
      now: () => thread.updated_at + 90 * 86_400_000,
      onError: (error) => {
        throw error;
      },
      pauseMs: 3_600_000,
      longEntries,
    });
    onTestFinished(() => keeper.stop());
    return keeper;
  };
  const patient = keeperOf(thread.entries + 1);
  patient.start();
  await patient.flush();
  expect(await isGrown(ledger, thread)).toBe(false);
  const keeper = keeperOf(thread.entries);
  await keeper.flush();
  expect(await isGrown(ledger, thread)).toBe(false);
  keeper.start();
  await keeper.flush();
  expect(await isGrown(ledger, thread)).toBe(true);
  const made = ledger.batonStates?.get(thread.session, thread.current_conversation);
  if (made === undefined) throw new Error('Nothing was kept.');
  ledger.batonStates?.put(thread.session, thread.current_conversation, { ...made, version: 1, state: '{"version":1}' });
  expect(await isGrown(ledger, thread)).toBe(false);
  keeper.start();
  await keeper.flush();
  expect(ledger.batonStates?.get(thread.session, thread.current_conversation)).toEqual(made);
});

test('a thread that is worked on has its turn before long ones that were left', async () => {
  const { ledger: home, thread } = await homeOf({ ...codexRust, beats: [...codexRust.beats, ...noise(7, 900)] });
  const { ledger } = home;
  const errors: unknown[] = [];
  const steps: boolean[] = [];
  const now = thread.updated_at + 90 * 86_400_000;
  const keeper = new BatonKeeper({
    ledger,
    salt: 'salt',
    quietly: async (work) => {
      const more = await work();
      steps.push(await isGrown(ledger, thread));
      // There is nothing of it: it has one step.
      if (steps.length === 1) keeper.committed({ ...thread, number: thread.number + 1000, updated_at: now });
      return more;
    },
    now: () => now,
    onError: (error) => errors.push(error),
    pauseMs: 3_600_000,
    longEntries: thread.entries,
  });
  onTestFinished(() => keeper.stop());
  keeper.start();
  await keeper.flush();
  expect(steps.slice(0, 3)).toEqual([false, false, true]);
  expect(errors).toEqual([]);
});

test('long threads that cannot be looked for are told of, and the others are brought up', async () => {
  const { ledger: home, thread } = await homeOf(codexRust);
  const { ledger } = home;
  const errors: unknown[] = [];
  const db = new Sqlite(path.join(ledger.folder, 'ledger.db'));
  onTestFinished(() => void db.close());
  const keeper = new BatonKeeper({
    ledger,
    salt: 'salt',
    quietly: (work) => work(),
    now: () => thread.updated_at,
    onError: (error) => {
      errors.push(error);
      db.exec('ALTER TABLE lost RENAME TO threads');
    },
    pauseMs: 3_600_000,
  });
  onTestFinished(() => keeper.stop());
  keeper.committed(thread);
  keeper.start();
  db.exec('ALTER TABLE threads RENAME TO lost');
  await keeper.flush();
  expect(errors).toEqual([expect.objectContaining({ code: 'SQLITE_ERROR' })]);
  expect(await isGrown(ledger, thread)).toBe(true);
});
