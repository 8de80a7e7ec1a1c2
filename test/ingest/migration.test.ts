/** A ledger of an older Loom, with real content, tells after the update what it told before. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ledgerFile } from '../../server/ledger/database.ts';
import { hashOf } from '../../server/ledger/place-block.ts';
import { PlacedNames } from '../../server/ledger/placed-names.ts';
import { ledgerVersion } from '../../server/ledger/schema.ts';
import { search } from '../../server/ledger/search.ts';
import { told } from '../fixtures/ledgers/told.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

type FormerKey = Readonly<Record<'hash' | 'session' | 'conversation' | 'entry', bigint>>;

const former = path.join(fixtures, 'ledgers');
const unpacked = (name: string): Buffer => brotliDecompressSync(fs.readFileSync(path.join(former, name)));

test('a ledger of version 5 has its threads, entries, hits, archive, names of records and what a person agreed to', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-former-'));
  const file = ledgerFile(folder);
  fs.writeFileSync(file, unpacked('version-5.db.br'));
  const before = new Sqlite(file, { readonly: true });
  expect(before.pragma('user_version', { simple: true })).toBe(5);
  const keys = before.prepare('SELECT hash, session, conversation, entry FROM record_keys').safeIntegers().all() as FormerKey[];
  const aliases = before.prepare('SELECT count(*) FROM aliases').pluck().get();
  const packs = before.prepare('SELECT count(*) FROM engine_packs').pluck().get();
  before.close();
  expect([keys.length, aliases, packs].every((count) => Number(count) > 0)).toBe(true);
  const expected = JSON.parse(unpacked('version-5.json.br').toString()) as Readonly<
    Record<'conversations' | 'archive' | 'found', unknown>
  >;
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-home-'));
  {
    await using made = new HomeLedger(home, {}, 'linux', { folder });
    const { ledger } = made;
    expect(JSON.parse(JSON.stringify(await told(ledger, search)))).toEqual(expected);
    expect(ledger.consents.all()).toMatchObject([{ folder: '/home/user/shop', from: 'claude', to: 'codex' }]);
    expect(ledger.conflicts?.openOf(1)).toMatchObject([{ native: 1, first_entry: 2, entries: 3 }]);
    expect(ledger.stops?.of(1)).toMatchObject({ reason: 'limit', text: 'Usage limit reached' });
    expect(ledger.keys.damaged()).toEqual({ rows: 0, threads: [] });
    expect(ledger.integrity()).toBe('ok');
    // Their files are gone: everything is kept.
    await made.catchUp();
    expect(made.faults).toEqual([]);
    const still = (await told(ledger, search)) as typeof expected;
    expect([still.conversations, still.archive, still.found]).toEqual([expected.conversations, expected.archive, expected.found]);
  }
  const after = new Sqlite(file, { readonly: true });
  expect(after.pragma('user_version', { simple: true })).toBe(ledgerVersion);
  expect(after.prepare("SELECT detail FROM audit WHERE action = 'made'").pluck().all()).toEqual(['for a test']);
  const names = new PlacedNames(after, { name: 'key', moves: false });
  for (const { hash, session, conversation, entry } of keys)
    expect(names.get(hashOf(hash))).toMatchObject({
      owner: Number(session),
      conversation: Number(conversation),
      entry: Number(entry),
    });
  after.close();
  for (const made of [folder, home]) fs.rmSync(made, { recursive: true, force: true });
});
