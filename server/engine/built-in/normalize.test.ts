/** Exchanges of a projected context: order, repair and what is left out (engine specification 2.2). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContextEntry } from '../context.ts';
import { answered, inShort, resultOf, said } from '../testing/talk.ts';
import type { Message } from './messages.ts';
import { exchangesOf, missingResultText, normalizeExchanges } from './normalize.ts';

function context(messages: readonly Message[]): readonly ContextEntry<Message>[] {
  return messages.map((message, i) => ({
    entry: { id: i + 1, conversationId: 1, kind: message.role, content: null },
    messages: [message],
  }));
}

const user = (text: string): Message => ({ role: 'user', ...said(text) });
const assistant = (...args: Parameters<typeof answered>): Message => ({ role: 'assistant', ...answered(...args) });
const result = (...args: Parameters<typeof resultOf>): Message => ({ role: 'toolResult', ...resultOf(...args) });
const remark: Message = { role: 'system', content: [{ type: 'text', text: 'a job is done' }] };

function short(messages: readonly Message[]): readonly string[] {
  return normalizeExchanges(context(messages)).map(inShort);
}

test('results come right behind their calls, in the order of the calls [2.2-7]', () => {
  expect(short([user('look'), assistant('both', ['a', 'b']), remark, result('b'), user('wait'), result('a')])).toEqual([
    'user: look',
    'assistant: both [a b]',
    'a: result of a',
    'b: result of b',
    'system: a job is done',
    'user: wait',
  ]);
});

test('a missing result is supplied as an error, and belongs to no entry [2.2-7]', () => {
  const messages = [assistant('both', ['a', 'b']), result('b'), user('go on')];
  expect(short(messages)).toEqual(['assistant: both [a b]', `a: ${missingResultText}`, 'b: result of b', 'user: go on']);
  expect(exchangesOf(context(messages))[1]).toMatchObject({
    entry: undefined,
    message: { role: 'toolResult', toolName: 'read', isError: true },
  });
  expect(exchangesOf(context(messages)).map(({ entry }) => entry)).toEqual([1, undefined, 2, 3]);
});

test('a result without a call, before its call or beyond the first is left out [2.2-7]', () => {
  expect(short([result('a'), assistant('calls', ['a']), result('a', 'first'), result('a', 'second'), result('z')])).toEqual([
    'assistant: calls [a]',
    'a: first',
  ]);
});

test('what ended in an error or was aborted is left out, with what answers it [2.2-8]', () => {
  expect(
    short([
      user('look'),
      assistant('x', ['a'], 'error'),
      result('a'),
      assistant('y', ['b'], 'aborted'),
      result('b'),
      user('again'),
    ]),
  ).toEqual(['user: look', 'user: again']);
  expect(short([assistant('cut at the limit', ['a'], 'length'), result('a')])).toEqual([
    'assistant: cut at the limit [a]',
    'a: result of a',
  ]);
});

test('a call id that is used again gets the result behind its own call [2.2-7]', () => {
  expect(
    short([
      assistant('one', ['c']),
      user('no'),
      assistant('two', ['c']),
      result('c', 'second'),
      assistant('three', ['c', 'c']),
      result('c', 'x'),
      result('c', 'y'),
    ]),
  ).toEqual([
    'assistant: one [c]',
    `c: ${missingResultText}`,
    'user: no',
    'assistant: two [c]',
    'c: second',
    'assistant: three [c c]',
    'c: x',
    'c: y',
  ]);
});

test('a message of nothing is left out, and an entry may have several messages', () => {
  const several = [
    { entry: { id: 1, conversationId: 1, kind: 'x', content: null }, messages: [assistant('calls', ['a']), result('a')] },
  ];
  expect(normalizeExchanges(several).map(inShort)).toEqual(['assistant: calls [a]', 'a: result of a']);
  expect(short([{ role: 'assistant', content: [] }, user('hello')])).toEqual(['user: hello']);
});

const id = fc.constantFrom('a', 'b', 'c');
const message = fc.oneof(
  fc.constantFrom(user('hello'), remark),
  fc
    .tuple(
      fc.array(id, { maxLength: 3 }),
      fc.constantFrom('toolUse' as const, 'stop' as const, 'error' as const, 'aborted' as const),
    )
    .map(([calls, ends]) => assistant('says', calls, ends)),
  id.map((call) => result(call)),
);

test('in any context every call is followed by one result each and nothing is lost that a model takes [2.2-7] [2.2-8]', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 24, size: 'max' }), (random) => {
      const messages = random.map((one, i) => (one.role === 'toolResult' ? result(one.toolCallId, `recorded ${i}`) : one));
      const before = JSON.stringify(messages);
      const placed = exchangesOf(context(messages));
      const out = placed.map((one) => one.message);

      const taken = messages.filter((one) => one.role !== 'toolResult' && !isFailed(one));
      expect(out.filter(({ role }) => role !== 'toolResult')).toEqual(taken);
      const expected = out.flatMap((one) =>
        one.role === 'toolResult' ? [] : [one.role, ...callIds(one).map((call) => `result ${call}`)],
      );
      expect(out.map((one) => (one.role === 'toolResult' ? `result ${one.toolCallId}` : one.role))).toEqual(expected);

      const recorded = placed.filter(({ message: one, entry }) => one.role === 'toolResult' && entry !== undefined);
      expect(new Set(recorded.map(({ entry }) => entry)).size).toBe(recorded.length);
      let owner = 0;
      for (const { message: one, entry } of placed) {
        if (one.role === 'assistant') owner = entry ?? 0;
        if (one.role === 'toolResult' && entry !== undefined) expect(entry).toBeGreaterThan(owner);
      }
      for (const [i, one] of messages.entries()) {
        if (one.role !== 'toolResult' || recorded.some(({ entry }) => entry === i + 1)) continue;
        // Left out: by then every call of its id has one.
        const calls = messages
          .slice(0, i)
          .flatMap((m) => (isFailed(m) ? [] : callIds(m)))
          .filter((c) => c === one.toolCallId);
        const used = recorded.filter(
          (r) => (r.entry ?? 0) <= i && r.message.role === 'toolResult' && r.message.toolCallId === one.toolCallId,
        );
        expect(used).toHaveLength(calls.length);
      }
      expect(normalizeExchanges(context(out))).toEqual(out);
      expect(JSON.stringify(messages)).toBe(before);
    }),
    { seed: 3, numRuns: 500 },
  );
});

function isFailed(one: Message): boolean {
  return one.role === 'assistant' && (one.stopReason === 'error' || one.stopReason === 'aborted');
}

function callIds(one: Message): readonly string[] {
  return one.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
}
