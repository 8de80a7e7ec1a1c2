/** One conversation told by files of different quality: only the best is read, and a better one that comes later takes the place. */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { search } from '../../server/ledger/search.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { fidelityOf } from '../../server/main/thread-view.ts';
import { answer, AntigravityHome, bytes, callOf, int, message, prompt, text } from '../antigravity-home.ts';
import { HomeLedger } from '../home-ledger.ts';

const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const at = '2026-11-30T00:53:20Z';
const asked = {
  step_index: 0,
  source: 'USER_EXPLICIT',
  type: 'USER_INPUT',
  status: 'DONE',
  created_at: at,
  content: '<USER_REQUEST>\nGo on.\n</USER_REQUEST>',
};
const short = {
  step_index: 1,
  source: 'MODEL',
  type: 'PLANNER_RESPONSE',
  status: 'DONE',
  created_at: at,
  content: 'A long… (truncated)',
};
const long = { ...short, content: 'A long answer about gulls.' };

interface Seen {
  readonly fidelity: string;
  readonly kinds: readonly string[];
  readonly texts: readonly string[];
  readonly counts: readonly number[];
  readonly conversations: number;
}

async function see(home: HomeLedger): Promise<Seen> {
  const row = findThread(home.ledger, id);
  const native = home.ledger.natives.byNativeId('antigravity', id);
  const entries = await allEntries(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return {
    fidelity: fidelityOf(native),
    kinds: entries.map(({ kind }) => kind),
    texts: entries.flatMap(({ kind, content }) =>
      kind === 'user' || kind === 'assistant'
        ? content.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        : [],
    ),
    counts: [row.turns, row.entries],
    conversations: home.ledger.branches.bySession(row.session).length,
  };
}

async function found(home: HomeLedger, words: string): Promise<number> {
  return search(home.ledger, { words, limit: 20 }).hits.length;
}

test('a better file takes the place of a worse one: nothing is there, counted or found twice, and what stands beside is kept', async () => {
  using antigravity = new AntigravityHome();
  antigravity.transcript(id, 'cut', [asked, short]);
  antigravity.file(`brain/${id}/task.md`, '- [x] Count gulls\n- [ ] Count terns\n');
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect(await see(home)).toEqual({
    fidelity: 'truncated',
    kinds: ['user', 'assistant', 'turn', 'plan'],
    texts: ['Go on.', 'A long… (truncated)'],
    counts: [1, 4],
    conversations: 1,
  });

  antigravity.transcript(id, 'full', [asked, long]);
  await home.catchUp();
  await home.catchUp();
  expect(await see(home)).toEqual({
    fidelity: 'transcript',
    kinds: ['user', 'assistant', 'turn', 'plan'],
    texts: ['Go on.', 'A long answer about gulls.'],
    counts: [1, 4],
    conversations: 1,
  });
  expect([await found(home, 'truncated'), await found(home, 'gulls')]).toEqual([0, 2]);

  antigravity.store(id, [prompt(0, 'Go on.'), answer(1, 'A long answer about gulls.')]);
  await home.catchUp();
  await home.catchUp();
  const whole = {
    fidelity: 'native',
    kinds: ['user', 'assistant', 'turn', 'plan'],
    texts: ['Go on.', 'A long answer about gulls.'],
    counts: [1, 4],
    conversations: 1,
  };
  expect(await see(home)).toEqual(whole);
  const { usage_input, usage_output, usage_cache_read } = findThread(home.ledger, id);
  expect([usage_input, usage_output, usage_cache_read]).toEqual([100, 10, 40]);

  // The worse files live on beside it and change nothing.
  antigravity.transcript(id, 'full', [asked, long, { ...asked, step_index: 2 }]);
  fs.rmSync(antigravity.transcript(id, 'cut', [asked]));
  await home.catchUp();
  antigravity.store(id, [prompt(2, 'And terns?'), answer(3, 'Two.')]);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(await see(home)).toMatchObject({ texts: [...whole.texts, 'And terns?', 'Two.'], counts: [2, 7], conversations: 1 });
});

test('what is read in one pass is read from the best file at once', async () => {
  using antigravity = new AntigravityHome();
  antigravity.store(id, [prompt(0, 'Go on.'), answer(1, 'Done.')]);
  antigravity.transcript(id, 'full', [asked, long]);
  antigravity.transcript(id, 'cut', [asked, short]);
  antigravity.file(`brain/${id}/walkthrough.md`, '# Walkthrough\n');
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect((await see(home)).kinds).toEqual(['user', 'assistant', 'turn', 'notice']);
  const row = findThread(home.ledger, id);
  const engine = await home.ledger.engine(row.session);
  expect(engine.entries(row.current_conversation, { after: 0, limit: 100 }).items).toHaveLength(4);
});

test('an encrypted conversation is listed, and is replaced by its transcript when there is one', async () => {
  using antigravity = new AntigravityHome();
  const sealed = antigravity.file(`conversations/${id}.pb`, '\u0001garbage\u0002');
  fs.utimesSync(sealed, 1_796_000_000, 1_796_000_000);
  antigravity.file(`implicit/${id}.pb`, 'garbage');
  antigravity.file('antigravity-oauth-token', 'never read');
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect(await see(home)).toMatchObject({ fidelity: 'listed', kinds: ['notice'], counts: [0, 1] });
  expect(findThread(home.ledger, id).updated_at).toBe(1_796_000_000_000);
  expect(JSON.stringify(home.committed)).not.toMatch(/garbage|never read/);
  antigravity.transcript(id, 'full', [asked, long]);
  await home.catchUp();
  expect(await see(home)).toMatchObject({ fidelity: 'transcript', kinds: ['user', 'assistant', 'turn'], counts: [1, 3] });
});

test('a store whose kind becomes known is read in the place of what was only listed', async () => {
  using antigravity = new AntigravityHome();
  antigravity.store(id, [prompt(0, 'Go on.'), answer(1, 'Done.')]);
  antigravity.file(`brain/${id}/task.md`, '- [ ] Count gulls\n');
  const change = (sql: string): void => {
    const db = new Sqlite(path.join(antigravity.root, 'conversations', `${id}.db`));
    db.exec(sql);
    db.close();
  };
  change('ALTER TABLE steps ADD COLUMN tomorrow integer');
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect(await see(home)).toMatchObject({ fidelity: 'artifacts', kinds: ['notice', 'plan'], counts: [0, 2] });
  change('ALTER TABLE steps DROP COLUMN tomorrow');
  await home.catchUp();
  await home.catchUp();
  expect(await see(home)).toMatchObject({
    fidelity: 'native',
    kinds: ['user', 'assistant', 'turn', 'plan'],
    counts: [1, 4],
    conversations: 1,
  });
  antigravity.file(`brain/${id}/task.md`, '- [x] Count gulls\n');
  await home.catchUp();
  expect((await see(home)).kinds).toEqual(['user', 'assistant', 'turn', 'plan', 'plan']);
});

test('steps are given once they are settled, in order, and models by the names that generations have', async () => {
  using antigravity = new AntigravityHome();
  antigravity.store(id, [prompt(0, 'Go on.'), answer(1, 'I am…', { status: 2 })], { models: new Map([[1, 'Gemini 3 Pro']]) });
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect((await see(home)).texts).toEqual(['Go on.']);
  antigravity.store(id, [answer(1, 'I am done.')]);
  await home.catchUp();
  expect((await see(home)).texts).toEqual(['Go on.', 'I am done.']);
  expect(findThread(home.ledger, id).model).toBe('Gemini 3 Pro');
  // An answer that was left unfinished is settled once the person spoke again.
  antigravity.store(id, [answer(2, 'half', { status: 2 }), prompt(3, 'Again.')]);
  await home.catchUp();
  expect((await see(home)).texts).toEqual(['Go on.', 'I am done.', 'half', 'Again.']);
});

test('an undo begins another line from before what was undone', async () => {
  using antigravity = new AntigravityHome();
  antigravity.store(id, [prompt(0, 'One.'), answer(1, 'First.'), prompt(2, 'Wrong.'), answer(3, 'Bad.')]);
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  antigravity.undo(id, 2);
  antigravity.store(id, [prompt(2, 'Right.', { at: 1_796_001_000 })]);
  await home.catchUp();
  expect(await see(home)).toMatchObject({ texts: ['One.', 'First.', 'Right.'], conversations: 2 });
});

test('a conversation that another one started is its subagent, whichever is read first', async () => {
  using antigravity = new AntigravityHome();
  const child = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const call = callOf('c1', 'invoke_subagent', { Task: 'Count.' });
  const result = { idx: 2, type: 132, call, field: 140, body: bytes(2, text(1, `{"conversationId":"${child}"}`)) };
  antigravity.store(id, [prompt(0, 'Go on.'), answer(1, 'I ask.', { calls: [call] }), result]);
  antigravity.store(child, [prompt(0, 'Count.'), answer(1, 'Five.')], { root: id });
  antigravity.summary(child, 'Counting', id);
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect(home.ledger.threads.newest(10).filter((row) => row.child === 0)).toHaveLength(1);
  const native = home.ledger.natives.byNativeId('antigravity', child);
  expect(native?.thread).toBe(findThread(home.ledger, id).number);
  const entries = await allEntries(
    home.ledger,
    native?.session ?? '',
    home.ledger.branches.byNative(native?.number ?? 0)[0]?.conversation ?? 0,
  );
  expect(entries.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'turn']);
});

test('the same id on two surfaces is two conversations, and a store of an unknown kind is listed', async () => {
  using antigravity = new AntigravityHome();
  antigravity.store(id, [prompt(0, 'On the terminal.'), answer(1, 'Yes.')]);
  const desktop = path.join(antigravity.home, '.gemini/antigravity/conversations');
  fs.mkdirSync(desktop, { recursive: true });
  fs.copyFileSync(path.join(antigravity.root, 'conversations', `${id}.db`), path.join(desktop, `${id}.db`));
  const other = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  antigravity.store(other, [{ ...prompt(0, 'x'), field: 19, body: message(int(1, 1)) }]);
  const db = new Sqlite(path.join(antigravity.root, 'conversations', `${other}.db`));
  db.exec('ALTER TABLE steps ADD COLUMN tomorrow integer');
  db.close();
  await using home = new HomeLedger(antigravity.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const rows = home.ledger.threads.newest(10);
  expect(rows.map((row) => row.surface).toSorted()).toEqual(['cli', 'cli', 'desktop']);
  expect(fidelityOf(home.ledger.natives.byNativeId('antigravity', other))).toBe('listed');
  expect(home.ledger.natives.byNativeId('antigravity', `desktop:${id}`)).toBeDefined();
});
