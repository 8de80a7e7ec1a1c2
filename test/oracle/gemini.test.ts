/**
 * Every fixture session of Gemini CLI, read by a little script of its own from the bytes, against what the ledger has of it: the talk that
 * the program goes on with (its loader: the last record of an id counts, a rewrite replaces all), tokens once a message, title, folder.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: object;
  readonly functionResponse?: { readonly response: { readonly output: string } };
}
interface Said {
  readonly id: string;
  readonly type: string;
  readonly content: string | readonly Part[];
  readonly tokens?: { readonly input: number; readonly output: number; readonly cached: number };
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: object;
    readonly result: readonly Part[];
  }[];
}
type Line = Partial<Said> & {
  readonly sessionId?: string;
  readonly summary?: string;
  readonly messages?: readonly Said[];
  readonly $set?: { readonly messages?: readonly Said[]; readonly summary?: string };
};

interface Expected {
  readonly id: string;
  readonly title: string;
  readonly talk: readonly unknown[];
  readonly prompts: number;
  readonly tokens: readonly number[];
}

function wordsOf(content: Said['content']): string {
  return typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.thought === true ? [] : [part.text ?? ''])).join('');
}

function replay(file: string): Expected | undefined {
  const bytes = fs.readFileSync(file, 'utf8');
  const lines = file.endsWith('.json')
    ? [JSON.parse(bytes) as Line]
    : bytes
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
  let history = new Map<string, Said>();
  let summary: string | undefined;
  const tokens = new Map<string, NonNullable<Said['tokens']>>();
  const note = (message: Said): void => {
    history.set(message.id, message);
    if (message.tokens !== undefined) tokens.set(message.id, message.tokens);
  };
  for (const line of lines) {
    if (line.id !== undefined) note(line as Said);
    const all = line.$set?.messages ?? line.messages;
    if (all !== undefined) {
      history = new Map();
      for (const message of all) note(message);
    }
    summary = line.$set?.summary ?? line.summary ?? summary;
  }
  const talk = [...history.values()].flatMap(({ type, content, toolCalls = [] }): readonly unknown[] => {
    if (type === 'user')
      return typeof content !== 'string' && content.some((part) => part.functionResponse !== undefined)
        ? []
        : [['user', wordsOf(content)]];
    const results = toolCalls.map(({ id, result }) => ['toolResult', id, result[0]?.functionResponse?.response.output]);
    return [['assistant', wordsOf(content), toolCalls.map(({ id, name, args }) => [id, name, args])], ...results];
  });
  const prompts = [...history.values()].filter(
    ({ type, content }) => type === 'user' && wordsOf(content) !== '' && !wordsOf(content).startsWith('<session_context>'),
  );
  if (prompts.length === 0) return undefined;
  const sum = (pick: (each: NonNullable<Said['tokens']>) => number): number =>
    [...tokens.values()].reduce((total, each) => total + pick(each), 0);
  return {
    id: lines[0]?.sessionId ?? '',
    title: summary ?? wordsOf(prompts[0]?.content ?? ''),
    talk,
    prompts: prompts.length,
    tokens: [sum(({ input, cached }) => input - cached), sum(({ output }) => output), sum(({ cached }) => cached)],
  };
}

const root = path.join(fixtures, 'gemini');
const sessions = fs.readdirSync(root).flatMap((home) => {
  const chats = path.join(root, home, '.gemini/tmp/shop/chats');
  return fs.readdirSync(chats).map((name) => [home, name, replay(path.join(chats, name))] as const);
});

test.each(sessions)('%s %s is in the ledger as the program would go on with it', async (home, _, expected) => {
  await using ledger = new HomeLedger(path.join(root, home));
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  const count = new Set(sessions.filter(([other, , each]) => other === home && each !== undefined).map(([, , each]) => each?.id))
    .size;
  expect(ledger.ledger.threads.newest(10)).toHaveLength(count);
  if (expected === undefined) return;
  const row = findThread(ledger.ledger, expected.id);
  const context = await contextOf(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  const talk = context.map(({ message }) => {
    const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    if (message.role === 'toolResult') return ['toolResult', message.toolCallId, text];
    if (message.role !== 'assistant') return [message.role, text];
    return [
      'assistant',
      text,
      message.content.flatMap((block) => (block.type === 'toolCall' ? [[block.id, block.name, block.arguments]] : [])),
    ];
  });
  expect(talk).toEqual(expected.talk);
  expect(row).toMatchObject({
    title: expected.title,
    turns: expected.prompts,
    cwd: '/home/user/shop',
    surface: 'cli',
    source_gone: 0,
  });
  expect([row.usage_input, row.usage_output, row.usage_cache_read]).toEqual(expected.tokens);
  expect(ledger.ledger.warnings.count()).toBe(0);
});

test('the fixtures hold five sessions and a file that is none', () => {
  expect(sessions.map(([, , expected]) => expected !== undefined).filter(Boolean)).toHaveLength(5);
  expect(sessions).toHaveLength(6);
});
