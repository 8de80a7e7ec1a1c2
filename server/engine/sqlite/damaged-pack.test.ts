/** What is damaged in a pack is said by name and with a code of SQLite's, and everything else is still read (engine specification 7.5). */
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, MainWrite } from '../records.ts';
import { end } from '../storage.ts';
import type { Storage } from '../storage.ts';
import { entryPack } from '../testing/packing.ts';
import { TempSession } from '../testing/session.ts';
import { DamagedPack } from './damaged-pack.ts';

const entries = Array.from({ length: 192 }, (_, i): Entry => {
  const id = i + 2;
  return { id, conversationId: 1, kind: 'note', key: `key ${id}`, content: { text: `entry ${id} `.repeat(1 + (id % 20)) } };
});

/** Three packs of 64; the damage is done to the second one. */
async function damaged(sql: string, ...parameters: readonly unknown[]) {
  const session = new TempSession(onTestFinished);
  const storage = session.store.session('session');
  await storage.commit({ kind: 'main', writes: [{ type: 'createConversation', conversation: { id: 1 } }] });
  const writes = entries.map((entry): MainWrite => ({ type: 'entry', entry }));
  const packs = [0, 64, 128].map((at) => entryPack(entries.slice(at, at + 64)));
  await storage.commit({ kind: 'main', writes }, undefined, packs);
  expect(session.db.prepare(sql).run(...parameters).changes).toBe(1);
  await storage.close();
  session.reopenFile();
  return { session, storage: session.store.session('session') };
}

const reads: Readonly<Record<string, (storage: Storage) => unknown>> = {
  everything: (storage) => storage.readEntries({ conversationId: 1, limit: end }),
  'an entry': (storage) => storage.getEntries([100]),
};
const contentsOf = 'UPDATE engine_pack_contents SET';
const kinds: readonly (readonly [string, string])[] = [
  ['contents that are cut off', `${contentsOf} contents = substr(contents, 1, length(contents) - 9) WHERE pack = 2`],
  ['contents that are empty', `${contentsOf} contents = x'' WHERE pack = 2`],
  [
    'contents of another pack',
    `${contentsOf} contents = (SELECT contents FROM engine_pack_contents WHERE pack = 3) WHERE pack = 2`,
  ],
  ['contents that are nothing of the kind', `${contentsOf} contents = randomblob(500) WHERE pack = 2`],
  ['another size', `${contentsOf} size = size - 1 WHERE pack = 2`],
  ['a size of gigabytes', `${contentsOf} size = 9007199254740991 WHERE pack = 2`],
  ['a codec that nobody knows', `${contentsOf} codec = 77 WHERE pack = 2`],
  ['contents that are too few', `${contentsOf} codec = 0, size = 2, contents = CAST('{}' AS BLOB) WHERE pack = 2`],
  ['headers that are cut off', `${contentsOf} headers = substr(headers, 1, 20) WHERE pack = 2`],
  ['headers of another pack', `${contentsOf} headers = (SELECT headers FROM engine_pack_contents WHERE pack = 1) WHERE pack = 2`],
  ['no contents at all', 'DELETE FROM engine_pack_contents WHERE pack = 2'],
];

test.each(kinds)('%s are damage that is said by name, and the rest is read [7.5-14]', async (_what, sql) => {
  const { storage } = await damaged(sql);
  for (const read of Object.values(reads)) {
    const failure = ((): unknown => {
      try {
        return read(storage);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(DamagedPack);
    expect(failure).toMatchObject({ code: expect.stringMatching(/^SQLITE_CORRUPT/u) as string });
  }
  const others = [...entries.slice(0, 64), ...entries.slice(128)];
  expect([...storage.getEntries(others.map(({ id }) => id)).values()]).toEqual(others);
  expect(storage.readEntries({ conversationId: 1, limit: end, through: 65 }).items).toEqual(entries.slice(0, 64));
  expect(storage.readEntries({ conversationId: 1, limit: 63, before: end }).items).toEqual(entries.slice(129).toReversed());
});

test('a content that is no JSON is damage of that entry alone [7.5-14]', async () => {
  const lines = Buffer.from(
    entries
      .slice(64, 128)
      .map(({ id, content }) => (id === 100 ? '{"text":' : JSON.stringify(content)))
      .join('\n'),
  );
  const { storage } = await damaged(`${contentsOf} codec = 0, size = ?, contents = ? WHERE pack = 2`, lines.length, lines);
  expect(() => storage.getEntries([100])).toThrow(DamagedPack);
  expect([...storage.getEntries([99, 101]).values()]).toEqual([entries[97], entries[99]]);
  expect(storage.getEntryHeaders([100]).get(100)?.key).toBe('key 100');
});

test('any bit of a pack that changes is damage, or changes nothing [7.5-14]', async () => {
  const { session } = await damaged('UPDATE engine_pack_contents SET size = size WHERE pack = 2');
  const read = session.db.prepare<[], Buffer>('SELECT contents FROM engine_pack_contents WHERE pack = 2').pluck();
  const change = 'UPDATE engine_pack_contents SET contents = ? WHERE pack = 2';
  const contents = read.get() ?? Buffer.alloc(0);
  let damages = 0;
  for (let at = 0; at < contents.length; at += 11) {
    const changed = Buffer.from(contents);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    session.db.prepare(change).run(changed);
    session.reopenFile();
    const storage = session.store.session('session');
    try {
      expect(storage.getEntries([100]).get(100)).toEqual(entries[98]);
    } catch (error) {
      if (!(error instanceof DamagedPack)) throw error;
      damages++;
    }
  }
  expect(damages).toBeGreaterThan((contents.length / 11) * 0.9);
});

test('packing does not go past a damaged pack that it would fill up: it says so and changes nothing [7.5-14]', async () => {
  const { session, storage } = await damaged('UPDATE engine_pack_contents SET size = size WHERE pack = 2');
  await storage.commit({
    kind: 'main',
    writes: Array.from({ length: 30 }, (_, i): MainWrite => {
      return { type: 'entry', entry: { id: 194 + i, conversationId: 1, kind: 'note', content: i } };
    }),
  });
  session.store.pack('session', { most: 999 });
  session.db.exec("UPDATE engine_pack_contents SET contents = x'00' WHERE pack = 3");
  await storage.commit({
    kind: 'main',
    writes: Array.from({ length: 30 }, (_, i): MainWrite => {
      return { type: 'entry', entry: { id: 224 + i, conversationId: 1, kind: 'note', content: i } };
    }),
  });
  await storage.close();
  session.reopenFile();
  expect(() => session.store.pack('session', { most: 999 })).toThrow(DamagedPack);
  expect(session.db.prepare('SELECT count(*) FROM engine_entries').pluck().get()).toBe(30);
});
