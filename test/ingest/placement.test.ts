import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { HomeLedger } from '../home-ledger.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import { assistantRow, call, line, resultRow, sessionId, TestHome, userRow, uuid } from './claude-session.ts';

async function read(home: TestHome): Promise<{ texts: string[]; branches: number; context: string[]; turns: number }> {
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const [thread] = ledger.ledger.threads.newest(10);
  if (thread === undefined) throw new Error('no thread');
  const entries = await allEntries(ledger.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
  const context = await contextOf(ledger.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
  const text = (blocks: readonly { readonly type: string }[]): string =>
    blocks.map((block) => ('text' in block ? String(block.text) : 'id' in block ? `<${String(block.id)}>` : '')).join('');
  return {
    texts: entries.flatMap((entry) =>
      entry.kind === 'user' || entry.kind === 'assistant' || entry.kind === 'tool_result' ? [text(entry.content.content)] : [],
    ),
    branches: ledger.ledger.branches.bySession(thread.session).length,
    context: context.map(({ message }) => text(message.content)),
    turns: thread.turns,
  };
}

/** Returns once a new file would be younger than `file`: the clock of a file system moves in steps. */
function untilLaterThan(file: string): void {
  const probe = `${file}.probe`;
  const born = fs.statSync(file).birthtimeMs;
  do {
    fs.rmSync(probe, { force: true });
    fs.writeFileSync(probe, '');
  } while (fs.statSync(probe).birthtimeMs <= born);
  fs.rmSync(probe);
}

test('parallel results that came in another order than their calls stay one branch, and the context has them in call order', async () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'go'),
    assistantRow(2, 1, [call('a')], 'm'),
    assistantRow(3, 2, [call('b')], 'm'),
    resultRow(4, 3, 'b', 'result b'),
    resultRow(5, 2, 'a', 'result a'),
    assistantRow(6, 5, 'done'),
  );
  const { branches, context } = await read(home);
  expect(branches).toBe(1);
  expect(context).toEqual(['go', '<a><b>', 'result a', 'result b', 'done']);
});

test('a second continuation of an earlier record becomes a fork, and the newest leaf is where the thread goes on', async () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'one'),
    assistantRow(2, 1, 'first'),
    userRow(3, 2, 'wrong way'),
    assistantRow(4, 3, 'lost'),
    userRow(5, 2, 'right way'),
    assistantRow(6, 5, 'found'),
  );
  const { branches, texts } = await read(home);
  expect(branches).toBe(2);
  expect(texts).toEqual(['one', 'first', 'right way', 'found']);
});

test('last-prompt names the branch, although another one was written to later', async () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'one'),
    assistantRow(2, 1, 'first'),
    userRow(3, 2, 'kept'),
    assistantRow(4, 3, 'kept answer'),
    userRow(5, 2, 'other'),
    assistantRow(6, 5, 'other answer'),
    line({ type: 'last-prompt', lastPrompt: 'kept', leafUuid: uuid(3), sessionId }),
  );
  expect((await read(home)).texts).toEqual(['one', 'first', 'kept', 'kept answer']);
});

test('an explicit head in the middle of a branch ends the context there', async () => {
  using home = new TestHome();
  home.write(
    userRow(1, null, 'one'),
    assistantRow(2, 1, 'first'),
    userRow(3, 2, 'two'),
    assistantRow(4, 3, 'second'),
    line({ type: 'last-prompt', lastPrompt: 'one', leafUuid: uuid(2), explicit: true, sessionId }),
  );
  expect((await read(home)).context).toEqual(['one', 'first']);
});

test('a fork file with copied records shares its entries and is a thread of its own', async () => {
  using home = new TestHome();
  const shared = [userRow(1, null, 'one'), assistantRow(2, 1, 'first')];
  home.write(...shared, userRow(3, 2, 'original goes on'));
  untilLaterThan(home.file);
  const other = '6baaea07-d3e0-4173-9e63-d58b3998a4c4';
  fs.writeFileSync(
    path.join(home.folder, `${other}.jsonl`),
    [...shared, userRow(11, 2, 'fork goes on'), assistantRow(12, 11, 'there')].join('').replaceAll(sessionId, other),
  );
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const threads = ledger.ledger.threads.newest(10);
  expect(new Set(threads.map((thread) => thread.session)).size).toBe(1);
  const original = findThread(ledger.ledger, sessionId);
  const fork = findThread(ledger.ledger, other);
  // The copy was written last and is read first; the older file is the original all the same.
  expect([original.entries, original.turns, original.parent_thread]).toEqual([3, 2, null]);
  expect([fork.entries, fork.turns, fork.parent_thread]).toEqual([2, 1, original.id]);
  const prompts = async (thread: typeof fork): Promise<string[]> =>
    (await allEntries(ledger.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined)).flatMap(
      (entry) => (entry.kind === 'user' ? entry.content.content.map((block) => ('text' in block ? block.text : '')) : []),
    );
  expect(await prompts(original)).toEqual(['one', 'original goes on']);
  expect(await prompts(fork)).toEqual(['one', 'fork goes on']);
});

test('a record whose parent was never written is bridged to what stands before it', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'), userRow(4, 3, 'after the gap'), assistantRow(5, 4, 'second'));
  const { branches, texts } = await read(home);
  expect(branches).toBe(1);
  expect(texts).toEqual(['one', 'first', 'after the gap', 'second']);
});
