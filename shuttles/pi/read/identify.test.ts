import { expect, test } from 'vitest';
import type { NativeRecord, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { header, jsonl, noSidecars, recordsOf, sessionId, sessionPath, sidecarsOf } from '../fixture-records.ts';
import { piReader } from './reader.ts';

const folder = '/home/user/.pi/agent/sessions/--home-user-shop--';
const prompt = { type: 'message', id: 'a1', parentId: null, message: { role: 'user', content: 'hello' } };

function identify(
  rows: readonly object[] | string,
  path = sessionPath,
  sidecars: Sidecars = noSidecars,
): SourceIdentity | undefined {
  const records: readonly NativeRecord[] = recordsOf(Buffer.from(typeof rows === 'string' ? rows : jsonl(rows)));
  return piReader.identify(path, records, sidecars);
}

test('the header names the session, also behind a title and with a byte order mark', () => {
  expect(identify([header, prompt])).toEqual({ nativeId: sessionId, part: sessionId, needs: [] });
  expect(identify([{ type: 'title', v: 1, title: 'x' }, header, prompt])?.nativeId).toBe(sessionId);
  expect(identify(`\uFEFF${jsonl([header])}`)?.nativeId).toBe(sessionId);
});

test('versions 1 to 4 of the header are all read', () => {
  for (const version of [undefined, 1, 2, 3, 4]) expect(identify([{ ...header, version }, prompt])?.nativeId).toBe(sessionId);
});

test('the id of the header counts, not that of the name; the file then is a part of its own', () => {
  expect(identify([{ ...header, id: 'chosen-id' }], `${folder}/renamed.jsonl`)).toEqual({
    nativeId: 'chosen-id',
    part: 'renamed',
    needs: [],
  });
});

test('a file without a header is told by its name, when pi’s records are in it', () => {
  expect(identify([prompt])?.nativeId).toBe(sessionId);
  expect(identify(`{broken header\n${jsonl([prompt])}`)?.nativeId).toBe(sessionId);
  expect(identify([{ some: 'log' }])).toBeUndefined();
  expect(identify([prompt], `${folder}/notes.jsonl`)).toBeUndefined();
  expect(identify('')).toBeUndefined();
});

test('an id that cannot be one is not believed', () => {
  for (const id of ['--help', '../../etc', 'a b', '']) expect(identify([{ ...header, id }, prompt])?.nativeId).toBe(sessionId);
});

test('a fork needs its parent, which the file’s name tells; the path is never opened', () => {
  const asked: string[] = [];
  const parent = '01a2ee00-0000-7000-8000-0000000000bb';
  const path = `/etc/secrets/2026-11-02T09-00-00-000Z_${parent}.jsonl`;
  const identity = identify([{ ...header, parentSession: path }], sessionPath, sidecarsOf({}, asked));
  expect(identity).toEqual({
    nativeId: sessionId,
    part: sessionId,
    needs: [parent, `2026-11-02T09-00-00-000Z_${parent}`],
    facts: { forkedFrom: parent },
  });
  expect(asked).toEqual([]);
  expect(identify([{ ...header, version: undefined, branchedFrom: path }])?.facts).toEqual({ forkedFrom: parent });
  // omp also writes the id itself.
  expect(identify([{ ...header, parentSession: parent }])?.facts).toEqual({ forkedFrom: parent });
});

test('a parent whose name tells no id is asked in this folder and its neighbour of the parent’s name, and nowhere else', () => {
  const asked: string[] = [];
  const files = {
    '/home/user/.pi/agent/sessions/--home-user-api--/mine.jsonl': jsonl([{ ...header, id: 'the-parent' }]),
    '/elsewhere/--home-user-api--/mine.jsonl': jsonl([{ ...header, id: 'a-trap' }]),
  };
  const named = { ...header, parentSession: '/elsewhere/--home-user-api--/mine.jsonl' };
  const identity = identify([named], sessionPath, sidecarsOf(files, asked));
  expect(identity).toMatchObject({ needs: ['the-parent', 'mine'], facts: { forkedFrom: 'the-parent' } });
  expect(asked).toEqual([`${folder}/mine.jsonl`, '/home/user/.pi/agent/sessions/--home-user-api--/mine.jsonl']);
  for (const parentSession of ['/x/../../y/..jsonl', 'C:\\x\\..\\-.jsonl', '/x/', '..'])
    expect(identify([{ ...header, parentSession }], sessionPath, sidecarsOf(files))?.facts).toBeUndefined();
});

test('the folder of a session without a header is that of its neighbours, when they agree and their folder is this one', () => {
  const neighbour = (cwd: string): string => jsonl([{ ...header, id: 'n', cwd }]);
  const one = sidecarsOf({ [`${folder}/a.jsonl`]: neighbour('/home/user/shop'), [`${folder}/b.jsonl`]: neighbour('/srv/moved') });
  expect(identify([prompt], sessionPath, one)?.facts).toEqual({ startCwd: '/home/user/shop', cwd: '/home/user/shop' });
  const both = sidecarsOf({
    [`${folder}/a.jsonl`]: neighbour('/home/user/shop'),
    [`${folder}/b.jsonl`]: neighbour('/home/user-shop'),
  });
  expect(identify([prompt], sessionPath, both)?.facts).toBeUndefined();
});
