/** Damage inside the ledger's own rows: a search answers with everything else, and `loom doctor --deep` names the threads that are hurt. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ledgerFile } from '../../server/ledger/database.ts';
import type { Ledger } from '../../server/ledger/ledger.ts';
import { search } from '../../server/ledger/search.ts';
import type { SearchResult } from '../../server/protocol/requests.ts';
import { packChecks } from '../../server/main/commands/doctor-packs.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

/** Two threads that both say `the`, with their entries in packs. */
async function packed(): Promise<HomeLedger> {
  const home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  fs.cpSync(path.join(fixtures, 'codex/11-tui-daemon-two-clients'), home, { recursive: true });
  const made = new HomeLedger(home);
  await made.catchUp();
  while (made.ledger.packIdle(Number.MAX_SAFE_INTEGER, 1000));
  return made;
}

function damage({ folder }: HomeLedger, sql: string, ...parameters: readonly unknown[]): void {
  const other = new Sqlite(ledgerFile(folder));
  expect(other.prepare(sql).run(...parameters).changes).toBeGreaterThan(0);
  other.close();
}

function searched(ledger: Ledger, thread?: string): SearchResult & { readonly damaged: readonly string[] } {
  const damaged: string[] = [];
  const params = { words: 'the*', limit: 1000, ...(thread === undefined ? {} : { thread }) };
  const result = search(ledger, params, { onDamaged: (threads) => damaged.push(...threads) });
  return { ...result, damaged };
}

/** Of the thread of that number. */
const contents = 'pack IN (SELECT p.pack FROM engine_packs p JOIN engine_sessions s USING (session) WHERE s.name = ?)';
const kinds: readonly (readonly [string, string, 'session' | 'number'])[] = [
  [
    'contents that are cut off',
    `UPDATE engine_pack_contents SET contents = substr(contents, 1, 20) WHERE ${contents}`,
    'session',
  ],
  ['contents that are gone', `DELETE FROM engine_pack_contents WHERE ${contents}`, 'session'],
  ['headers that are none', `UPDATE engine_pack_contents SET headers = x'ffff' WHERE ${contents}`, 'session'],
  ['documents that are cut off', 'UPDATE documents SET packed = substr(packed, 1, 1) WHERE thread = ?', 'number'],
  ['documents that are nothing of the kind', "UPDATE documents SET packed = x'80ff80ff80ff80ff80ff' WHERE thread = ?", 'number'],
  ['documents of entries that are not there', "UPDATE documents SET packed = x'01c0843d0102' WHERE thread = ?", 'number'],
];

test.each(kinds)('with %s a search finds everything else and tells whose the damage is', async (_what, sql, of) => {
  await using home = await packed();
  const { ledger } = home;
  const whole = searched(ledger);
  expect([whole.damaged, whole.hint]).toEqual([[], null]);
  const [hurt, other] = ledger.threads
    .newest(2)
    .map((row) => ({ row, hits: whole.hits.filter(({ thread }) => thread === row.id) }));
  if (hurt === undefined || other === undefined) throw new Error('no threads');
  expect(Math.min(hurt.hits.length, other.hits.length)).toBeGreaterThan(0);
  expect(hurt.row.session).not.toBe(other.row.session);
  damage(home, sql, hurt.row[of]);
  const { hits, hint, damaged } = searched(ledger);
  expect(hits.map(({ entry, snippet }) => [entry, snippet])).toEqual(other.hits.map(({ entry, snippet }) => [entry, snippet]));
  expect(damaged).toEqual([hurt.row.id]);
  expect(hint).toContain('loom doctor --deep');
  expect(searched(ledger, hurt.row.id)).toMatchObject({ hits: [], damaged: [hurt.row.id] });
  expect(searched(ledger, other.row.id)).toMatchObject({ damaged: [], hint: null });
});

test.each(kinds.slice(0, 5))(
  'with %s `loom doctor --deep` names the thread, and says nothing of the others',
  async (_what, sql, of) => {
    await using home = await packed();
    const { ledger } = home;
    const [before] = packChecks(ledger, true);
    expect(before).toMatchObject({
      id: 'packs',
      ok: true,
      detail: expect.stringMatching(/^(\d+) of \1 packs .*none of them damaged$/u) as string,
    });
    const [hurt, other] = ledger.threads.newest(2);
    if (hurt === undefined || other === undefined) throw new Error('no threads');
    damage(home, sql, hurt[of]);
    const [check] = packChecks(ledger, true);
    expect(check).toMatchObject({ ok: false, detail: expect.stringContaining(hurt.id) as string });
    expect(check?.detail).not.toContain(other.id);
  },
);

test('`loom doctor --deep` tells of damage in the names of records, which costs what reads on nothing but those', async () => {
  await using home = await packed();
  const { ledger } = home;
  while (ledger.mergeKeys(1));
  const deep = () => packChecks(ledger, true).find(({ id }) => id === 'keys');
  expect(deep()).toMatchObject({ ok: true });
  expect(packChecks(ledger, false).map(({ id }) => id)).toEqual(['packs']);
  damage(home, 'UPDATE key_blocks SET packed = substr(packed, 1, length(packed) - 5)');
  damage(home, "UPDATE alias_blocks SET packed = x'08'");
  expect(deep()).toMatchObject({ ok: false, detail: expect.stringContaining('2 rows') as string });
  fs.cpSync(path.join(fixtures, 'claude/09-forks'), home.home, { recursive: true });
  await home.catchUp();
  while (ledger.mergeKeys(1));
  expect(ledger.keys.lost).toBe(2);
  expect(deep()).toMatchObject({ ok: true });
  expect(home.faults).toEqual([]);
});
