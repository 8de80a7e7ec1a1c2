/** The writer of conversations: the database that real ones have the schema of, fields that come back byte for byte, totality. */
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { databasesIn } from '../../server/main/databases.ts';
import { shuttles } from '../registry.ts';
import type { Environment, WriteRequest } from '../contract/shuttle.ts';
import { fingerprintOf, isKnownSummaries, recordedFingerprint } from './store/schema.ts';
import { decode, encode } from './store/wire.ts';
import type { WireMessage } from './store/wire.ts';
import { pathOfUri, uriOfPath } from './uri.ts';
import { antigravityWrite } from './write.ts';

const fixture = path.join(import.meta.dirname, '../../test/fixtures/antigravity/home/.gemini');
const databases = databasesIn('');
const linux: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';

function write(request: Partial<WriteRequest> = {}, environment = linux) {
  const common = {
    messages: [],
    baton: 'The baton.',
    title: 'A title',
    cwd: '/home/user/shop',
    nativeId: id,
    now: 1_796_000_000_123,
  };
  return antigravityWrite.write({ ...common, ...request }, environment, undefined, databases);
}

interface Rows {
  readonly steps: readonly {
    readonly idx: number;
    readonly step_type: number;
    readonly status: number;
    readonly metadata: Buffer;
    readonly step_payload: Buffer;
  }[];
  readonly about: Buffer;
  readonly trajectory: unknown;
}
function rowsOf(bytes: Uint8Array): Rows {
  return databases.read(bytes, (tables) => ({
    steps: tables.all(
      'SELECT idx, step_type, status, metadata, step_payload FROM steps ORDER BY idx',
    ) as unknown as Rows['steps'],
    about: tables.all("SELECT data FROM trajectory_metadata_blob WHERE id = 'main'")[0]?.['data'] as Buffer,
    trajectory: tables.all('SELECT * FROM trajectory_meta'),
  }));
}

test('the database has the schema that was recorded of real ones, statement by statement', () => {
  const { bytes } = write();
  expect(databases.read(bytes, fingerprintOf)).toBe(recordedFingerprint);
  expect(databases.read(bytes, (tables) => tables.all('PRAGMA integrity_check'))).toEqual([{ integrity_check: 'ok' }]);
});

test('the conversations and the index of the fixture are those that are known; the desktop app’s index is the same', () => {
  for (const [root, uuid] of [
    ['antigravity-cli', id],
    ['antigravity', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  ] as const) {
    const store = databases.look(path.join(fixture, root, 'conversations', `${uuid}.db`), fixture, fingerprintOf);
    expect([root, store]).toEqual([root, recordedFingerprint]);
    expect(databases.look(path.join(fixture, root, 'conversation_summaries.db'), fixture, isKnownSummaries)).toBe(true);
  }
});

test('every stored message of the fixture is decoded and encoded to the same bytes, down to its innermost', () => {
  const db = new Sqlite(path.join(fixture, 'antigravity-cli/conversations', `${id}.db`), { readonly: true });
  const blobs = [
    ...(db.prepare('SELECT step_payload AS data FROM steps').all() as { readonly data: Buffer }[]),
    ...(db.prepare('SELECT metadata AS data FROM steps').all() as { readonly data: Buffer }[]),
    ...(db.prepare('SELECT data FROM trajectory_metadata_blob').all() as { readonly data: Buffer }[]),
  ].map(({ data }) => data);
  db.close();
  let messages = 0;
  const again = (message: WireMessage, bytes: Uint8Array): void => {
    messages++;
    expect(Buffer.compare(encode(message.fields), bytes)).toBe(0);
    for (const field of message.fields) {
      const inner = field.wire === 2 ? decode(field.value) : undefined;
      if (inner !== undefined && field.wire === 2 && inner.fields.length > 0) again(inner, field.value);
    }
  };
  for (const bytes of blobs) {
    const message = decode(bytes);
    expect(message).toBeDefined();
    if (message !== undefined) again(message, bytes);
  }
  expect(messages).toBeGreaterThan(60);
});

test('a call is an answer with the call and a generic step with its result, which names the call', () => {
  const { bytes } = write({
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'SECRET', signature: 'SIGN' },
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'a/b', name: 'Bash', arguments: { command: 'ls', timeout: 5 } },
        ],
      },
      {
        role: 'toolResult',
        toolCallId: 'a/b',
        toolName: 'Bash',
        content: [{ type: 'text', text: 'no such file' }],
        isError: true,
      },
    ],
  });
  const { steps, about, trajectory } = rowsOf(bytes);
  expect(steps.map(({ idx, step_type, status }) => [idx, step_type, status])).toEqual([
    [0, 14, 3],
    [1, 14, 3],
    [2, 15, 3],
    [3, 132, 7],
  ]);
  const [, , asked, answered] = steps.map(({ step_payload: payload }) => decode(payload));
  const call = asked?.sub(20)?.sub(7);
  expect([call?.str(1), call?.str(2), call?.str(3), call?.str(9)]).toEqual([
    'a_b',
    'Bash',
    '{"command":"ls","timeout":5}',
    'Bash',
  ]);
  expect(asked?.sub(20)?.num(12)).toBe(10);
  expect(answered?.sub(5)?.sub(4)?.str(1)).toBe('a_b');
  expect(
    answered
      ?.sub(140)
      ?.subs(1)
      .map((entry) => [entry.str(1), entry.str(2)]),
  ).toEqual([
    ['command', '"ls"'],
    ['timeout', '5'],
  ]);
  expect(answered?.sub(140)?.sub(2)?.str(1)).toBe('no such file');
  for (const [index, { metadata, step_payload: payload }] of steps.entries()) {
    expect(Buffer.compare(decode(payload)?.bytes(5) ?? Buffer.alloc(0), metadata)).toBe(0);
    const time = decode(metadata)?.sub(1);
    expect((time?.num(1) ?? 0) * 1000 + (time?.num(2) ?? 0) / 1e6).toBe(1_796_000_000_120 + index);
  }
  const main = decode(about);
  expect(main?.fields.map(({ number }) => number)).toEqual([2, 6, 18]);
  expect([main?.str(6), main?.str(18)]).toEqual([id, 'default-cli-project']);
  expect(trajectory).toEqual([
    { trajectory_id: expect.not.stringMatching(id) as string, cascade_id: id, trajectory_type: 4, source: 17 },
  ]);
  expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/SECRET|SIGN\b/u);
});

test('its files stand where the program looks for them, also on Windows', () => {
  const windows = write({ cwd: 'C:\\Users\\user\\shop' }, { platform: 'win32', home: 'C:\\Users\\user', variables: {} });
  expect(windows.path).toBe(`C:\\Users\\user\\.gemini\\antigravity-cli\\conversations\\${id}.db`);
  expect(windows.beside?.folder).toBe(`C:\\Users\\user\\.gemini\\antigravity-cli\\brain\\${id}`);
  expect(windows.beside?.values['workspace_uris']).toBe('["file:///C:/Users/user/shop"]');
  const found = shuttles.find(({ harness }) => harness === 'antigravity')?.find.roots(linux)[0];
  expect(found?.matches(path.posix.relative(found.path, write().path))).toBe(true);
});

test('paths become URIs that are read as the same paths', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (parts) => {
      const folder = `/${parts.map((part) => part.replaceAll(/[/\n\0]/gu, '_')).join('/')}`.slice(0, 300).toWellFormed();
      if (!folder.startsWith('//') && !/^\/[A-Za-z]:/u.test(folder)) expect(pathOfUri(uriOfPath(folder))).toBe(folder);
    }),
    { seed: 8, numRuns: 300 },
  );
  for (const folder of ['C:\\Users\\my shop', '\\\\server\\share\\shop', '/']) expect(pathOfUri(uriOfPath(folder))).toBe(folder);
});

test('the same request gives the same bytes, and no baton and no prompt still begin with the person', () => {
  const empty = write({ baton: '', messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }] });
  expect(rowsOf(empty.bytes).steps.map(({ step_type: type }) => type)).toEqual([14, 15]);
  const hash = (): string => createHash('sha256').update(write().bytes).digest('hex');
  expect(hash()).toBe(hash());
  expect(() => write({ nativeId: '../../etc/passwd' })).toThrow('UUID');
});
