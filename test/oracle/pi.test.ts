/**
 * The derived context of every fixture session against what pi 1.6.0 sent to its model (as OpenAI chat messages) when it resumed that
 * very file: roles, texts, calls and results in order. Made equal is only: pi's system prompt; its frames around summaries of
 * compactions and branches; its wording for a result that is not there; results without their call, which it sends although providers
 * refuse them; prompts that are two entries here because pi put a skill or a file in front of the person's words; the form of thinking.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { interruptedResult } from '../../server/ledger/context.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

/** A message of the request. */
interface Sent {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content:
    string | null | readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}
/** What both are brought to. Neighbouring user messages are one. */
interface Plain {
  readonly role: Sent['role'];
  readonly text: string;
  readonly images: readonly string[];
  readonly calls: readonly unknown[];
  readonly answers: string | undefined;
}

const folder = path.join(fixtures, 'pi');
const sessions = readdirSync(folder)
  .toSorted()
  .filter((home) => readdirSync(path.join(folder, home)).includes('expected-resume'))
  .flatMap((home) => {
    const answers = path.join(folder, home, 'expected-resume');
    return readdirSync(answers).map((file) => [home, file.replace('.json', ''), path.join(answers, file)] as const);
  });

/** A parent that is not there: pi gives its model only what follows, the ledger keeps the talk together. */
const gap = '01a2ee00-0000-7000-8000-000000000004';

test.each(sessions)('%s %s derives the context that the program itself resumes with', async (home, session, file) => {
  await using ledger = new HomeLedger(path.join(folder, home));
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  const row = findThread(ledger.ledger, session);
  if (row === undefined) throw new Error('the session is not in the ledger');
  const context = await contextOf(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  const derived = joined(context.flatMap(({ message }) => fromLedger(message)));
  const { messages } = JSON.parse(readFileSync(file, 'utf8')) as { readonly messages: readonly Sent[] };
  const expected = joined(withCalls(messages).map(fromRequest));
  expect(session === gap ? derived.slice(-expected.length) : derived).toEqual(expected);
  if (session === gap)
    expect(derived.map((message) => message.text)).toEqual(['lost to pi', 'lost answer', 'after the gap', 'seen']);
});

test('there is an oracle for every session of pi in the fixtures', () => {
  expect(sessions).toHaveLength(32);
});

function fromLedger(message: Message): readonly Plain[] {
  const base = { text: '', images: [], calls: [], answers: undefined };
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ ...base, role: 'user', text: text(message.content), images: images(message) }];
    case 'toolResult': {
      const said = text(message.content);
      return [
        { ...base, role: 'tool', text: said === interruptedResult ? 'No result provided' : said, answers: message.toolCallId },
      ];
    }
    case 'assistant':
      return [
        {
          ...base,
          role: 'assistant',
          text: text(message.content),
          calls: message.content.flatMap((block) => (block.type === 'toolCall' ? [[block.id, block.name, block.arguments]] : [])),
        },
      ];
  }
}

function text(blocks: Message['content']): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function images(message: Message): readonly string[] {
  return message.content.flatMap((block) =>
    block.type === 'image' ? [`data:${block.mimeType};base64,${block.data ?? ''}`] : [],
  );
}

function fromRequest(message: Sent): Plain {
  const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? []);
  return {
    role: message.role,
    text: unframed(parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n')),
    images: parts.flatMap((part) => ('image_url' in part && part.image_url !== undefined ? [part.image_url.url] : [])),
    calls: (message.tool_calls ?? []).map((call) => [
      call.id,
      call.function.name,
      JSON.parse(call.function.arguments) as unknown,
    ]),
    answers: message.tool_call_id,
  };
}

const frames = [
  /^The conversation history before this point was compacted into the following summary:\n\n<summary>\n([\s\S]*)\n<\/summary>$/,
  /^The following is a summary of a branch that this conversation came back from:\n\n<summary>\n([\s\S]*)<\/summary>$/,
];
function unframed(said: string): string {
  for (const frame of frames) {
    const inner = frame.exec(said)?.[1];
    if (inner !== undefined) return inner;
  }
  return said;
}

function withCalls(messages: readonly Sent[]): readonly Sent[] {
  const calls = new Set(messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id)));
  return messages.filter(({ tool_call_id: id }) => id === undefined || calls.has(id));
}

function joined(messages: readonly Plain[]): readonly Plain[] {
  const out: Plain[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    const said = message.role === 'user' ? message.text.replaceAll(/\s+/g, ' ').trim() : message.text;
    if (message.role === 'user' && last?.role === 'user')
      out[out.length - 1] = { ...last, text: `${last.text} ${said}`.trim(), images: [...last.images, ...message.images] };
    else out.push({ ...message, text: said });
  }
  return out;
}
