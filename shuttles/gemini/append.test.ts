/** Going on with a session of the program's own: only bytes behind its end, every earlier call with its one result, and refusals. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../contract/json.ts';
import type { Message } from '../contract/message.ts';
import type { AppendedSession, Environment, ExistingSession } from '../contract/shuttle.ts';
import { RecordCutter } from '../kit/records.ts';
import { pairsIn, resumedTurns, rewrittenBy } from './fixture-program.ts';
import { fixtures, header, noSidecars, said, sessionFiles, sessionId, sessionPath } from './fixture-records.ts';
import { geminiReader } from './read/reader.ts';
import { geminiAppend } from './write/append.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const baton = '# Since you last drove\nThe cart is done.';
const now = Date.UTC(2026, 11, 1);
const messages: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Write the cart' }] },
  { role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name: 'Bash', arguments: { command: 'echo cart' } }] },
  { role: 'toolResult', toolCallId: 'c1', toolName: 'Bash', content: [{ type: 'text', text: 'cart' }], isError: false },
  { role: 'assistant', content: [{ type: 'text', text: 'It is there.' }] },
];

function existingOf(text: string, nativeId: string, file = sessionPath): ExistingSession {
  const bytes = Buffer.from(text);
  return {
    nativeId,
    path: file,
    size: bytes.length,
    head: bytes.subarray(0, 256 * 1024),
    tail: bytes.subarray(-8 * 1024 * 1024),
  };
}
function append(existing: ExistingSession, programVersion = '0.61.0'): AppendedSession {
  const request = { existing, messages, baton, title: '', cwd: '/home/user/shop', now, programVersion };
  return geminiAppend.append(request, environment);
}
function added(existing: ExistingSession, programVersion?: string): string {
  const made = append(existing, programVersion);
  if (!made.ok) throw new Error(made.refusal);
  return Buffer.from(made.bytes).toString('utf8');
}
const line = (value: JsonObject): string => `${JSON.stringify(value)}\n`;

const real = sessionFiles(fixtures)
  .map((file) => ({ file, text: fs.readFileSync(file, 'utf8') }))
  .filter(({ file, text }) => file.endsWith('.jsonl') && text.includes('"gemini"') && text.includes('"kind":"main"'))
  .map(({ file, text }) => ({ name: path.basename(file), file, text, id: /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? '' }));

test.each(real)('$name goes on with what came meanwhile, once and last, also when it is resumed again', ({ text, id, file }) => {
  const behind = added(existingOf(text, id, file));
  let whole = text + behind;
  const first = resumedTurns(whole);
  const words = first.map(({ parts }) => JSON.stringify(parts)).join('\n');
  for (const each of ['Since you last drove', 'Write the cart', 'echo cart', 'It is there.'])
    expect(words.split(each)).toHaveLength(2);
  expect(first.at(-1)?.parts).toEqual([{ text: 'It is there.' }]);
  for (let resumes = 0; resumes < 3; resumes++) {
    const turns = resumedTurns(whole);
    expect(turns.map(({ parts }) => parts)).toEqual(first.map(({ parts }) => parts));
    for (const { calls, responses } of pairsIn(turns)) expect(responses).toEqual(calls);
    whole += rewrittenBy(whole);
  }
});

test.each(real)('$name: for Loom’s reader the new lines tell what is new and nothing again', ({ text, id, file }) => {
  const records = new RecordCutter(0).feed(Buffer.from(text));
  const identity = geminiReader.identify(file, records.slice(0, 64), noSidecars) ?? { nativeId: id, part: '', needs: [] };
  const before = geminiReader.read(geminiReader.start(identity, file), records);
  const known = new Set(before.outputs.flatMap((output) => ('keys' in output ? output.keys : [])));
  const behind = new RecordCutter(Buffer.byteLength(text)).feed(Buffer.from(added(existingOf(text, id, file))));
  const { outputs } = geminiReader.read(before.state, behind);
  const entries = outputs.filter((output) => output.type === 'entry');
  expect(entries.map(({ kind }) => kind)).toEqual(['user', 'user', 'assistant', 'tool_result', 'assistant']);
  for (const { keys } of entries) for (const key of keys) expect(known.has(key)).toBe(false);
  const [first] = entries;
  expect(first?.kind === 'user' && first.content.origin).toBe('loom');
  expect(first?.place.kind === 'after' && first.place.key !== null && known.has(first.place.key)).toBe(true);
});

const start = line(header) + line(said('user', 'u1', 'Go.')) + line(said('gemini', 'g1', 'Gone.'));

test('a session without calls gets nothing but what is new', () => {
  const lines = added(existingOf(start, sessionId)).trimEnd().split('\n');
  expect(lines.map((one) => Object.keys(JSON.parse(one) as JsonObject)[0])).toEqual(['id', 'id', 'id', 'id', 'id', '$set']);
});

test('the history is put in place of itself only for a program that does so too', () => {
  const call = { id: 'c', name: 'glob', args: {}, status: 'success' };
  const answered = { ...call, result: [{ functionResponse: { id: 'c', name: 'glob', response: { output: 'x' } } }] };
  const recorded = start + line(said('gemini', 'g2', '', { toolCalls: [answered] }));
  const rewritten = recorded.replace('\n', `\n${line({ $set: { messages: [] } })}`);
  const has = (text: string, version: string): boolean => added(existingOf(text, sessionId), version).includes('"paired"');
  expect([has(recorded, '0.61.0'), has(recorded, '1.0.0'), has(recorded, '0.42.0'), has(recorded, '')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(has(rewritten, '')).toBe(true);
});

test('what Loom does not know whole it refuses, in one sentence', () => {
  const refusals = [
    existingOf(start, sessionId, sessionPath.replace('.jsonl', '.json')),
    existingOf(start.slice(0, -1), sessionId),
    existingOf(`${start}{"torn\n`, sessionId),
    existingOf(start, 'ffffffff-0000-4000-8000-000000000000'),
    existingOf(line({ ...header, kind: 'subagent' }) + line(said('user', 'u1', 'Go.')), sessionId),
    { ...existingOf(start, sessionId), size: 20 * 1024 * 1024 },
    existingOf('', sessionId),
  ].map((existing) => {
    const made = append(existing);
    return made.ok ? '' : made.refusal;
  });
  for (const refusal of refusals) expect(refusal).toMatch(/^The (?:session|file|last record)[^.]*(?: \(8 MiB\))?[^.]*\.$/);
});

/** Histories as the program may leave them: results recorded once, twice, late or never, by any of its versions. */
const anyHistory = fc
  .array(
    fc.record({
      calls: fc.integer({ min: 0, max: 3 }),
      recorded: fc.boolean(),
      told: fc.constantFrom(0, 1, 2),
      inContent: fc.boolean(),
      asked: fc.boolean(),
    }),
    { maxLength: 6 },
  )
  .map((steps) =>
    steps.flatMap(({ calls, recorded, told, inContent, asked }, step): readonly JsonObject[] => {
      const made = Array.from({ length: calls }, (_, n) => ({ id: `c${step}-${n}`, name: 'glob', args: { pattern: '*' } }));
      const responses = made.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: `out ${id}` } } }));
      const toolCalls = made.map((one, n) => ({
        ...one,
        status: 'success',
        ...(recorded ? { result: [responses[n] ?? null] } : {}),
      }));
      const parts = [{ text: `step ${step}` }, ...made.map((functionCall) => ({ functionCall }))];
      return [
        said('gemini', `g${step}`, inContent ? parts : `step ${step}`, calls === 0 ? {} : { toolCalls }),
        ...Array.from({ length: calls === 0 ? 0 : told }, (_, n) => said('user', `r${step}-${n}`, responses)),
        ...(asked ? [said('user', `u${step}`, `prompt ${step}`)] : []),
      ];
    }),
  );

test('of any history every call has its one result afterwards, and no word is lost', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const text = line(header) + line(said('user', 'u', 'Go.')) + history.map(line).join('');
      const whole = text + added(existingOf(text, sessionId));
      const turns = resumedTurns(whole);
      for (const { calls, responses } of pairsIn(turns)) expect(responses.toSorted()).toEqual(calls.toSorted());
      expect(resumedTurns(whole + rewrittenBy(whole)).map(({ parts }) => parts)).toEqual(turns.map(({ parts }) => parts));
      const words = JSON.stringify(turns.map(({ parts }) => parts));
      const all = history.flatMap((message) => JSON.stringify(message).match(/step \d|prompt \d|out c\d-\d/g) ?? []);
      for (const each of new Set(all)) expect(words).toContain(each);
      expect(words.split('"text":"step').length - 1).toBe(history.filter(({ type }) => type === 'gemini').length);
    }),
    { seed: 12, numRuns: 300 },
  );
});
