/** A session of Gemini CLI as it is written: records that come again, rewinds, rewrites of the history, compressions, resumes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { JsonObject } from '../../shuttles/contract/json.ts';
import { header, said, sessionId } from '../../shuttles/gemini/fixture-records.ts';
import { HomeLedger } from '../home-ledger.ts';

class Session implements AsyncDisposable {
  readonly file: string;
  readonly ledger: HomeLedger;
  readonly #home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-gemini-'));

  constructor() {
    const chats = path.join(this.#home, '.gemini/tmp/shop/chats');
    fs.mkdirSync(chats, { recursive: true });
    this.file = path.join(chats, 'session-2026-09-10T09-00-ec6ed4ea.jsonl');
    fs.writeFileSync(this.file, `${JSON.stringify(header)}\n`);
    this.ledger = new HomeLedger(this.#home);
  }

  /** Appends and reads. The texts of the current line. */
  async append(...values: readonly JsonObject[]): Promise<readonly string[]> {
    fs.appendFileSync(this.file, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    await this.ledger.catchUp();
    expect(this.ledger.faults).toEqual([]);
    return this.texts();
  }

  async texts(): Promise<readonly string[]> {
    const row = findThread(this.ledger.ledger, sessionId);
    const entries = await allEntries(this.ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
    return entries.map((entry) => {
      if (entry.kind === 'tool_result') return `result ${entry.content.toolCallId}`;
      if (entry.kind !== 'user' && entry.kind !== 'assistant') return entry.kind;
      return entry.content.content
        .map((block) => (block.type === 'text' ? block.text : block.type === 'toolCall' ? `call ${block.id}` : block.type))
        .join();
    });
  }

  async context(): Promise<readonly string[]> {
    const row = findThread(this.ledger.ledger, sessionId);
    const messages = await contextOf(this.ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
    return messages.map(({ message }) =>
      message.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(),
    );
  }

  lines(): number {
    return this.ledger.ledger.branches.bySession(findThread(this.ledger.ledger, sessionId).session).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger[Symbol.asyncDispose]();
    fs.rmSync(this.#home, { recursive: true, force: true });
  }
}

const done = (id: string): JsonObject => ({
  id,
  name: 'glob',
  args: {},
  status: 'success',
  result: [{ functionResponse: { id, name: 'glob', response: { output: 'x' } } }],
});
const running = (id: string): JsonObject => ({ id, name: 'glob', args: {}, status: 'executing' });

test('calls of one answer that end in another order than they began stand on one line, and a resume that repeats all adds nothing', async () => {
  await using session = new Session();
  await session.append(said('user', 'u1', 'Go.'), said('gemini', 'g1', '', { toolCalls: [running('a'), running('b')] }));
  await session.append(said('gemini', 'g1', '', { toolCalls: [running('a'), done('b')] }));
  await session.append(said('gemini', 'g1', '', { toolCalls: [done('a'), done('b')] }));
  const g1 = said('gemini', 'g1', '', { toolCalls: [done('a'), done('b')] });
  const all = await session.append(said('gemini', 'g2', 'Done.'));
  expect(all).toEqual(['Go.', 'call a', 'call b', 'result b', 'result a', 'Done.']);
  const again = await session.append(
    { $set: { messages: [said('user', 'u1', [{ text: 'Go.' }]), g1, said('gemini', 'g2', [{ text: 'Done.' }])] } },
    said('user', 'u2', 'More.'),
  );
  expect(again).toEqual([...all, 'More.']);
  expect(session.lines()).toBe(1);
});

test('a rewind leaves a line and begins another, also one to the very first prompt and one behind a rewrite', async () => {
  await using session = new Session();
  await session.append(
    said('user', 'u1', 'One.'),
    said('gemini', 'g1', '1'),
    said('user', 'u2', 'Two.'),
    said('gemini', 'g2', '2'),
  );
  expect(await session.append({ $rewindTo: 'u2' }, said('user', 'u3', 'Three.'))).toEqual(['One.', '1', 'Three.']);
  await session.append(
    { $set: { messages: [said('user', 'u1', 'One.'), said('gemini', 'g1', '1'), said('user', 'u3', 'Three.')] } },
    said('gemini', 'g3', '3'),
  );
  expect(await session.append({ $rewindTo: 'u3' }, said('user', 'u4', 'Four.'))).toEqual(['One.', '1', 'Four.']);
  expect(await session.append({ $rewindTo: 'u1' }, said('user', 'u5', 'Five.'))).toEqual(['Five.']);
  expect(session.lines()).toBe(4);
});

test('a compression is a summary in place: the model goes on from it and from what is retained', async () => {
  await using session = new Session();
  const kept = [said('user', 'u2', 'Two.'), said('gemini', 'g2', '2')];
  await session.append(said('user', 'u1', 'One.'), said('gemini', 'g1', '1'), ...kept);
  const summary = said('user', 's1', [{ text: '<state_snapshot>\nSo far.\n</state_snapshot>' }]);
  const rewrite = { $set: { messages: [summary, said('gemini', 'k1', 'Got it.'), ...kept] } };
  const texts = await session.append(rewrite, said('user', 'u3', 'Three.'), said('gemini', 'g3', '3'));
  expect(texts).toEqual(['One.', '1', 'Two.', '2', 'summary', 'Got it.', 'Three.', '3']);
  expect(session.lines()).toBe(1);
  expect((await session.context()).toSorted()).toEqual(
    ['<state_snapshot>\nSo far.\n</state_snapshot>', 'Got it.', 'Two.', '2', 'Three.', '3'].toSorted(),
  );
  const resumed = {
    $set: {
      messages: [summary, said('gemini', 'k1', 'Got it.'), ...kept, said('user', 'u3', 'Three.'), said('gemini', 'g3', '3')],
    },
  };
  expect(await session.append(resumed, said('user', 'u4', 'Four.'))).toEqual([...texts, 'Four.']);
  expect(session.lines()).toBe(1);
});

test('other words under the same id begin a line from before them', async () => {
  await using session = new Session();
  await session.append(said('user', 'u1', 'One.'), said('gemini', 'g1', 'Wrong.'));
  expect(await session.append(said('gemini', 'g1', 'Right.'), said('user', 'u2', 'Two.'))).toEqual(['One.', 'Right.', 'Two.']);
  expect(session.lines()).toBe(2);
});

test('results that are masked in a rewrite stay whole here', async () => {
  await using session = new Session();
  const texts = await session.append(said('user', 'u1', 'Go.'), said('gemini', 'g1', 'Ok.', { toolCalls: [done('a')] }));
  const masked = { ...done('a'), result: [{ functionResponse: { id: 'a', name: 'glob', response: { output: '[masked]' } } }] };
  expect(
    await session.append({
      $set: { messages: [said('user', 'u1', 'Go.'), said('gemini', 'g1', 'Ok.', { toolCalls: [masked] })] },
    }),
  ).toEqual(texts);
  expect(session.lines()).toBe(1);
});

test('a whole file of older versions that is written again adds what is new, and its file as lines is the same session', async () => {
  await using session = new Session();
  const { ledger, file } = session;
  fs.rmSync(file);
  const legacy = file.replace(/l$/, '');
  const write = (lastUpdated: string, messages: readonly JsonObject[]): void =>
    fs.writeFileSync(legacy, JSON.stringify({ ...header, lastUpdated, messages }));
  const first = [said('user', 'u1', 'One.'), said('gemini', 'g1', 'Ok.')];
  write('2026-09-10T09:01:00.000Z', first);
  await ledger.catchUp();
  const second = [said('user', 'u1', 'One.'), said('gemini', 'g1', 'Ok.', { toolCalls: [done('a')] })];
  write('2026-09-10T09:02:00.000Z', second);
  await ledger.catchUp();
  expect(await session.texts()).toEqual(['One.', 'Ok.', 'call a', 'result a']);
  expect(await session.append(header, ...second, said('user', 'u2', 'Two.'))).toEqual([
    'One.',
    'Ok.',
    'call a',
    'result a',
    'Two.',
  ]);
  expect(session.lines()).toBe(1);
  expect(findThread(ledger.ledger, sessionId)).toMatchObject({ turns: 2, entries: 5 });
});

test('what the program deletes of itself is kept', async () => {
  await using session = new Session();
  const texts = await session.append(said('user', 'u1', 'One.'), said('gemini', 'g1', '1'));
  fs.rmSync(session.file);
  await session.ledger.catchUp();
  expect(await session.texts()).toEqual(texts);
  expect(findThread(session.ledger.ledger, sessionId).source_gone).toBe(1);
});
