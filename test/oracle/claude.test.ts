/**
 * The derived context of every fixture session against what Claude Code 2.1.332 sent to its model when it resumed that very
 * transcript: roles, texts, calls and results in order. Only what the program adds or leaves out by itself is made equal:
 * reminders and its own attribution text, news of background tasks (sent as system text), its line for an unanswered prompt,
 * the wording for a result that was never recorded, the older name of the Agent tool, the order of results in one answer,
 * thinking that it does not send again (that of other models).
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { interruptedResult } from '../../server/ledger/context.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

interface Sent {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}
type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const homes = readdirSync(path.join(fixtures, 'claude')).toSorted();
const sessions = homes.flatMap((home) => {
  const folder = path.join(fixtures, 'claude', home, 'expected-resume');
  return readdirSync(folder).map((file) => [home, file.replace('.json', ''), path.join(folder, file)] as const);
});

test.each(sessions)('%s %s derives the context that the program itself resumes with', async (home, session, file) => {
  await using ledger = new HomeLedger(path.join(fixtures, 'claude', home));
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  const row = findThread(ledger.ledger, session);
  if (row === undefined || row.current_conversation === null) throw new Error('the session is not in the ledger');
  const context = await contextOf(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  const expected = JSON.parse(readFileSync(file, 'utf8')) as { messages: readonly Sent[] };
  const derived = context.map(({ message }) => sentForm(message));
  const thinks = expected.messages.some((message) => message.content.some(isThinking));
  expect(plain(thinks ? derived : derived.map(withoutThinking))).toEqual(plain(expected.messages));
});

test('there is an oracle for every session of the fixtures', () => {
  expect(sessions).toHaveLength(22);
});

/** The message as the program's request has it. */
function sentForm(message: Message): Sent {
  switch (message.role) {
    case 'toolResult': {
      const [only] = message.content;
      const text =
        message.content.length === 0 ? '' : only?.type === 'text' && message.content.length === 1 ? only.text : undefined;
      return {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: message.toolCallId,
            content: text ?? message.content.map(block),
            is_error: message.isError,
          },
        ],
      };
    }
    case 'assistant':
      return { role: 'assistant', content: message.content.map(block) };
    case 'system':
    case 'user':
      return { role: 'user', content: message.content.map(block) };
  }
}

function block(part: Message['content'][number]): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      return { type: 'thinking', thinking: part.thinking, signature: part.signature };
    case 'toolCall':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.arguments };
    case 'image':
      return { type: 'image', source: { type: 'base64', data: part.data, media_type: part.mimeType } };
  }
}

/** Neighbours of one role are one message; what is the program's own doing is gone on both sides. */
function plain(messages: readonly Sent[]): readonly Sent[] {
  const out: { role: Sent['role']; content: Block[] }[] = [];
  for (const message of messages) {
    const content = message.content.flatMap(plainBlock);
    if (content.length === 0) continue;
    const last = out.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else out.push({ role: message.role, content });
  }
  // Results of one answer come in the order of completion from the program, in the order of the calls from the ledger.
  return out.map(({ role, content }) => ({
    role,
    content: [...content.filter(isResult).toSorted(byId), ...content.filter((part) => !isResult(part))],
  }));
}

const isThinking = (part: Block): boolean => part.type === 'thinking';
const withoutThinking = (message: Sent): Sent => ({ ...message, content: message.content.filter((part) => !isThinking(part)) });
const isResult = (part: Block): boolean => part.type === 'tool_result';
const byId = (a: Block, b: Block): number => String(a['tool_use_id']).localeCompare(String(b['tool_use_id']));
const unknownOutcome = /^\[Tool call interrupted: the session ended before/;

function plainBlock(part: Block): readonly Block[] {
  switch (part.type) {
    case 'text': {
      const text = plainText(part['text'] as string);
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'tool_use':
      return [part['name'] === 'Task' ? { ...part, name: 'Agent' } : part];
    case 'tool_result': {
      const content = plainResult(part['content']);
      return [{ type: 'tool_result', tool_use_id: part['tool_use_id'], content, is_error: part['is_error'] === true }];
    }
    default:
      return [part];
  }
}

function plainText(text: string): string {
  if (text.startsWith('<task-notification>') || text.trim() === 'No response requested.') return '';
  // The fixtures cut this reminder, so that it has no end.
  if (text.startsWith('<system-reminder>\nAttribution for git commits')) return '';
  const summary = text.startsWith('This session is being continued');
  return (summary ? text : text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>\n*/g, '')).trim();
}

function plainResult(content: unknown): unknown {
  if (typeof content === 'string') return content === interruptedResult || unknownOutcome.test(content) ? 'interrupted' : content;
  const blocks = content as readonly Block[];
  return blocks.length === 1 && blocks[0]?.type === 'text' ? blocks[0]['text'] : blocks;
}
