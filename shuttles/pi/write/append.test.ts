import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { Message } from '../../contract/message.ts';
import type { AppendedSession, ExistingSession } from '../../contract/shuttle.ts';
import {
  chained,
  fixtures,
  header,
  jsonl,
  message,
  readRecords,
  recordsOf,
  sessionFiles,
  sessionId,
  sessionPath,
} from '../fixture-records.ts';
import { piAppend } from './append.ts';

const environment = { platform: 'linux', home: '/home/user', variables: {} } as const;
const now = Date.UTC(2026, 10, 30);
const baton = '# Since you last drove\n- The cart was written.';
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const meanwhile: readonly Message[] = [
  { role: 'user', content: [text('Write the cart.')] },
  { role: 'assistant', content: [{ type: 'toolCall', id: 'call_1', name: 'Bash', arguments: { command: 'echo cart' } }] },
  { role: 'toolResult', toolCallId: 'call_1', toolName: 'Bash', content: [text('cart')], isError: false },
  { role: 'assistant', content: [text('It is there.')] },
];
const answered = message(
  'assistant',
  [text('Listed.'), { type: 'toolCall', id: 'call_1', name: 'bash', arguments: { command: 'ls' } }],
  {
    provider: 'anthropic',
    model: 'opus',
    stopReason: 'toolUse',
  },
);
const rows = [
  { type: 'model_change', provider: 'anthropic', modelId: 'sonnet' },
  message('user', 'List the files.'),
  answered,
  message('toolResult', [text('a.js')], { toolCallId: 'call_1', toolName: 'bash', isError: false }),
];
const file = (head: object = header, more: readonly object[] = rows): Buffer => Buffer.from(jsonl([head, ...chained(more)]));

function existing(bytes: Buffer, rest: Partial<ExistingSession> = {}): ExistingSession {
  const head = bytes.subarray(0, 256 * 1024);
  return { nativeId: sessionId, path: sessionPath, size: bytes.length, head, tail: bytes.subarray(-8 * 1024 * 1024), ...rest };
}

function append(session: ExistingSession, messages: readonly Message[] = meanwhile, given = baton): AppendedSession {
  return piAppend.append({ messages, baton: given, title: 'Shop', cwd: '/home/user/shop', now, existing: session }, environment);
}

function appendedRows(session: ExistingSession, messages?: readonly Message[]): readonly JsonObject[] {
  const appended = append(session, messages);
  if (!appended.ok) throw new Error(appended.refusal);
  expect(Buffer.from(appended.bytes).toString('utf8').endsWith('}\n')).toBe(true);
  return recordsOf(appended.bytes).map((record) => (record.ok ? record.value : {}));
}

test('what came meanwhile stands behind the last record, the note of it first, and the person’s model last', () => {
  const bytes = file();
  const made = appendedRows(existing(bytes));
  expect(made.map((row) => row['customType'] ?? (row['message'] as JsonObject | undefined)?.['role'] ?? row['type'])).toEqual([
    'loom.origin',
    'user',
    'user',
    'assistant',
    'toolResult',
    'assistant',
    'model_change',
  ]);
  expect(made[0]?.['parentId']).toBe('00000004');
  for (const [index, row] of made.slice(1).entries()) expect(row['parentId']).toBe(made[index]?.['id']);
  expect(made[1]).toMatchObject({ message: { content: [text(baton)] }, loom: { kind: 'baton' } });
  expect(made.at(-1)).toMatchObject({ provider: 'anthropic', modelId: 'opus' });
});

test('an id of a call that the session has already gets another name', () => {
  const made = appendedRows(existing(file()));
  expect(JSON.stringify(made[3])).toContain('"id":"call_1-2"');
  expect(made[4]).toMatchObject({ message: { toolCallId: 'call_1-2' } });
});

test('Loom’s reader reads the whole as one session that went on', () => {
  const bytes = file();
  const appended = append(existing(bytes));
  if (!appended.ok) throw new Error(appended.refusal);
  const whole = readRecords(sessionPath, recordsOf(Buffer.concat([bytes, appended.bytes])));
  const before = readRecords(sessionPath, recordsOf(bytes));
  expect(whole.entries.slice(0, before.entries.length)).toEqual(before.entries);
  expect(whole.entries.slice(before.entries.length).map((entry) => [entry.kind, entry.trust])).toEqual([
    ['user', 'loom'],
    ['user', 'user'],
    ['assistant', 'model'],
    ['tool_result', 'tool'],
    ['assistant', 'model'],
    ['turn', 'harness'],
  ]);
  expect(whole.facts.model).toBe('opus');
  const names = new Map(
    whole.outputs.flatMap((output) => (output.type === 'mark' ? output.keys.map((key) => [key, output.after] as const) : [])),
  );
  let last: string | null = null;
  for (const { place, keys } of whole.entries) {
    const after: string | null = place.kind === 'after' ? place.key : null;
    expect(after === null ? null : (names.get(after) ?? after)).toBe(last);
    last = keys[0] ?? null;
  }
});

test('times go on behind the newest record even when the clock is behind it', () => {
  const late = file(
    header,
    rows.map((row) => ({ ...row, timestamp: '2027-01-01T00:00:00.000Z' })),
  );
  expect(appendedRows(existing(late))[0]?.['timestamp']).toBe('2027-01-01T00:00:00.001Z');
  expect(appendedRows(existing(file())).at(-1)?.['timestamp']).toBe('2026-11-30T00:00:00.000Z');
});

test('in a file whose middle is not seen, ids cannot come again', () => {
  const long = file(header, [
    ...rows,
    ...Array.from({ length: 90 }, (_, n) => message('user', `${n} ${'x'.repeat(100_000)}`)),
    ...rows.slice(1),
  ]);
  expect(long.length).toBeGreaterThan(8.5 * 1024 * 1024);
  const made = appendedRows(existing(long));
  for (const row of made) expect(row['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(made[0]?.['parentId']).toBe((4 + 90 + 3).toString(16).padStart(8, '0'));
  expect(JSON.stringify(made)).toContain(`"id":"call_1-${(4 + 90 + 3).toString(16).padStart(8, '0')}"`);
  const gap = file(header, [...rows, message('user', 'y'.repeat(9 * 1024 * 1024))]);
  expect(append(existing(gap))).toEqual({ ok: false, refusal: expect.stringContaining('too long to be looked at') as string });
});

test('every session of pi that the real programs left can be gone on with, and comes out as one line', () => {
  const whole = sessionFiles(fixtures).filter((path) => !path.includes('handmade') && !path.includes('/.omp/'));
  expect(whole.length).toBeGreaterThan(10);
  for (const path of whole) {
    const bytes = readFileSync(path);
    const head = JSON.parse(bytes.toString('utf8').split('\n')[0] ?? '') as { id: string; version?: number };
    const appended = append(existing(bytes, { nativeId: head.id, path }));
    expect(appended.ok, path).toBe(head.version === 3);
    if (!appended.ok) continue;
    const all = [...recordsOf(bytes), ...recordsOf(appended.bytes)].map((record) => (record.ok ? record.value : {}));
    const ids = all.slice(1).map((row) => row['id']);
    expect(new Set(ids).size, path).toBe(ids.length);
  }
});

test.each<[string, Buffer, Partial<ExistingSession>, string]>([
  ['a torn end', file().subarray(0, -1), {}, 'not ended'],
  ['no bytes', Buffer.alloc(0), {}, 'not ended'],
  ['version 2', file({ ...header, version: 2 }), {}, 'version 2'],
  ['version 4', file({ ...header, version: 4 }), {}, 'version 4'],
  ['no version', file({ type: 'session', id: sessionId }), {}, 'version 1'],
  ['another session', file({ ...header, id: 'another' }), {}, 'another session'],
  ['a title slot of omp', Buffer.concat([Buffer.from('{"type":"title","v":1}\n'), file()]), {}, 'does not begin'],
  ['a file of omp', file(), { path: '/home/user/.omp/agent/sessions/-shop/x.jsonl' }, 'omp'],
  ['a byte order mark', Buffer.concat([Buffer.from('\uFEFF'), file()]), {}, 'does not begin'],
  ['no session', Buffer.from('{"a":1}\n'), {}, 'does not begin'],
  ['a header alone', file(header, []), {}, 'damaged or too long'],
  ['a damaged last line', Buffer.concat([file(), Buffer.from('oops\n')]), {}, 'damaged'],
  ['a last record without an id', Buffer.concat([file(), Buffer.from('{"type":"message"}\n')]), {}, 'damaged'],
  ['one id twice', Buffer.concat([file(), Buffer.from(jsonl([...chained(rows)].slice(-1)))]), {}, 'same id'],
])('%s is refused, in a sentence', (_, bytes, rest, words) => {
  const appended = append(existing(bytes, rest));
  expect(appended.ok).toBe(false);
  expect(!appended.ok && appended.refusal).toContain(words);
  expect(!appended.ok && appended.refusal).toMatch(/^[A-Z].*\.$/);
});

test('a session that is nearly full leaves less room, and what was left out is said', () => {
  const full = file(header, [...rows, message('user', 'word '.repeat(200_000))]);
  const messages = Array.from({ length: 40 }, (_, n): readonly Message[] => [
    { role: 'user', content: [text(`prompt ${n}`)] },
    { role: 'assistant', content: [text('yes '.repeat(1500))] },
  ]).flat();
  const [roomy, tight] = [append(existing(file()), messages), append(existing(full), messages)];
  expect(roomy.ok && roomy.warnings).toEqual([]);
  expect(tight.ok && tight.warnings[0]).toMatch(/oldest \d+ of 80 turns/);
  expect(tight.ok && Buffer.from(tight.bytes).toString()).toContain('prompt 39');
  expect(tight.ok && Buffer.from(tight.bytes).toString()).toContain('earlier turns are left out here');
});

test('any bytes at all give bytes or a refusal', () => {
  const part = fc.oneof(
    fc.constant(header as object),
    fc.constantFrom<object>(...chained(rows)),
    fc.dictionary(fc.constantFrom('type', 'id', 'parentId', 'message', 'timestamp', 'provider', 'modelId'), fc.jsonValue()),
  );
  const bytes = fc.oneof(
    fc.array(part, { maxLength: 8 }).map((list) => Buffer.from(jsonl([header, ...list]))),
    fc
      .array(
        fc.oneof(
          part.map((row) => `${JSON.stringify(row)}\n`),
          fc.string(),
        ),
        { maxLength: 8 },
      )
      .map((list) => Buffer.from(list.join(''))),
    fc.uint8Array({ maxLength: 200 }).map((list) => Buffer.from(list)),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      const appended = append(existing(given));
      if (!appended.ok) {
        expect(appended.refusal).toMatch(/^[A-Z].*\.$/);
        return;
      }
      const [first] = recordsOf(appended.bytes);
      expect(first?.ok).toBe(true);
      expect(given.toString('utf8')).toContain(JSON.stringify(first?.ok === true && first.value['parentId']));
    }),
    { seed: 11, numRuns: 400 },
  );
});
