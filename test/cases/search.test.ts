import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../../server/ledger/ledger.ts';
import { reindexSome } from '../../server/ledger/reindex.ts';
import { search } from '../../server/ledger/search.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { entryKinds } from '../../server/ledger/kinds.ts';
import type { SearchHit, SearchParams } from '../../server/protocol/requests.ts';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import { makeFormer } from '../former-ledger.ts';
import { cases, copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

test('case 21: every piece of a prompt with special characters is found by typing it, and no query throws', async () => {
  await using home = new HomeLedger(path.join(cases, '21-search-special-characters/home'));
  await home.catchUp();
  const [thread] = home.ledger.threads.newest(10);
  if (thread === undefined) throw new Error('the case has no thread');
  const entries = await allEntries(home.ledger, thread.session, thread.current_conversation);
  const prompts = entries.flatMap((entry) => (entry.kind === 'user' ? entry.content.content.map((block) => ('text' in block ? block.text : '')) : []));
  expect(prompts.length).toBeGreaterThanOrEqual(2);
  for (const prompt of prompts)
    for (const piece of prompt.split(/\s+/u).filter((part) => /[\p{L}\p{N}]/u.test(part))) {
      const { hits, hint } = search(home.ledger, { words: piece, limit: 20 });
      expect(hits.length, piece).toBeGreaterThan(0);
      expect(hint).toBeNull();
    }
  for (const words of ['', '  ', 'AND', '"', '*', '( ) :', 'NOT', '^', "'"]) {
    const { hits, hint } = search(home.ledger, { words, limit: 20 });
    if (!/[\p{L}\p{N}]/u.test(words)) expect([hits.length, typeof hint], words).toEqual([0, 'string']);
  }
});

test('case 21: no query of the list is an error, and none that stands in a prompt finds nothing', async () => {
  await using home = new HomeLedger(path.join(cases, '21-search-special-characters/home'));
  await home.catchUp();
  const [thread] = home.ledger.threads.newest(1);
  const entries = await allEntries(home.ledger, thread?.session ?? '', thread?.current_conversation ?? 0);
  const said = entries.map((entry) => JSON.stringify(entry.content).toLowerCase()).join('\n');
  const queries = JSON.parse(fs.readFileSync(path.join(cases, '21-search-special-characters/queries.json'), 'utf8')) as string[];
  expect(queries.length).toBeGreaterThan(30);
  for (const words of queries) {
    const { hits, hint } = search(home.ledger, { words, limit: 20 });
    if (!/[\p{L}\p{N}]/u.test(words)) expect([hits.length, typeof hint], words).toEqual([0, 'string']);
    else if (said.includes(JSON.stringify(words).slice(1, -1).toLowerCase())) expect(hits.length, words).toBeGreaterThan(0);
  }
  for (const limit of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5])
    expect(search(home.ledger, { words: 'multi-agent', limit }).hits).toHaveLength(1);
});

/** A home with sessions of two harnesses in several folders. */
function mixedHome(): string {
  const home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  fs.cpSync(path.join(fixtures, 'claude/05-subagents'), home, { recursive: true });
  fs.cpSync(path.join(fixtures, 'codex/11-tui-daemon-two-clients'), home, { recursive: true });
  return home;
}
const ids = (hits: readonly SearchHit[]): readonly string[] => hits.map(({ thread, entry }) => `${thread} ${entry}`).toSorted();

test('harness, folder, kind and time part what is found, and nothing falls between', async () => {
  await using home = new HomeLedger(mixedHome());
  await home.catchUp();
  const found = async (more: Partial<SearchParams> = {}): Promise<readonly SearchHit[]> =>
    search(home.ledger, { words: 'the*', limit: 1000, ...more }).hits;
  const all = await found();
  const harnesses = await Promise.all(harnessIds.map((harness) => found({ harness })));
  expect(harnesses.filter((hits) => hits.length > 0).length).toBeGreaterThan(1);
  expect(ids(harnesses.flat())).toEqual(ids(all));
  const kinds = await Promise.all(Object.keys(entryKinds).map((kind) => found({ kind })));
  expect(kinds.filter((hits) => hits.length > 0).length).toBeGreaterThan(2);
  expect(ids(kinds.flat())).toEqual(ids(all));
  const folders = [...new Set(home.ledger.threads.newest(1000).map(({ cwd }) => cwd))];
  expect(ids((await Promise.all(folders.map((cwd) => found({ cwd })))).flat())).toEqual(ids(all));
  expect(await found({ cwd: '/home/user/nowhere' })).toEqual([]);
  const times = all.flatMap(({ at }) => (at === null ? [] : [at])).toSorted((a, b) => a - b);
  expect(times.length).toBe(all.length);
  const middle = times[Math.floor(times.length / 2)] ?? 0;
  const [early, late] = [await found({ until: middle }), await found({ since: middle })];
  expect(Math.min(early.length, late.length)).toBeGreaterThan(0);
  expect(ids([...early, ...late])).toEqual(ids(all));
  expect(early.every(({ at }) => at !== null && at < middle)).toBe(true);
  const [first] = all;
  const inThread = await found({ thread: first?.thread ?? '' });
  expect(ids(inThread)).toEqual(ids(all.filter(({ thread }) => thread === first?.thread)));
  expect(inThread.map(({ entry }) => entry)).toEqual(inThread.map(({ entry }) => entry).toSorted((a, b) => b - a));
});

test.for([1, 2] as const)('a ledger of version %i opens; its index is made anew in parts, and finds the same when done', async (version) => {
  const home = mixedHome();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const words = ['the*', 'tool', 'read', 'a'];
  const all = async (ledger: Ledger) => {
    const found: (readonly SearchHit[])[] = [];
    for (const word of words) found.push(search(ledger, { words: word, limit: 1000 }).hits);
    return found;
  };
  const open = () => new HomeLedger(home, {}, 'linux', { folder });
  const first = open();
  await first.catchUp();
  const before = await all(first.ledger);
  expect(before.every((hits) => hits.length > 0)).toBe(true);
  await first[Symbol.asyncDispose]();
  makeFormer(folder, version);

  // A reader beside the older owner changes nothing and says why it finds nothing.
  const reader = Ledger.open(folder, { readonly: true, now: 0, maySetAside: false });
  const refused = search(reader, { words: 'the', limit: 20 });
  expect([refused.hits, refused.hint]).toEqual([[], expect.stringContaining('older Loom')]);
  expect(reader.threads.newest(1)).toHaveLength(1);
  await reader.close();

  const second = open();
  const waiting = second.ledger.documents.left();
  expect(waiting).toBeGreaterThan(20);
  await second.catchUp();
  const [none] = await all(second.ledger);
  expect(none).toEqual([]);
  expect(reindexSome(second.ledger, 10)).toBe(true);
  expect(second.ledger.documents.left()).toBe(waiting - 10);
  expect(search(second.ledger, { words: 'the', limit: 20 }).hint).toMatch(/made anew/u);
  await second[Symbol.asyncDispose]();

  const third = open();
  expect(third.ledger.documents.left()).toBe(waiting - 10);
  while (reindexSome(third.ledger, 7));
  expect(search(third.ledger, { words: 'the', limit: 20 }).hint).toBeNull();
  const after = await all(third.ledger);
  const plain = (found: readonly (readonly SearchHit[])[]) =>
    found.map((hits) => hits.map(({ thread, entry, snippet, score }) => `${thread} ${entry} ${score} ${snippet}`).toSorted());
  expect(plain(after)).toEqual(plain(before));
  await third[Symbol.asyncDispose]();
});

test('a conversation that is taken out while it waits for the index is not found later', async () => {
  const home = mixedHome();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const first = new HomeLedger(home, {}, 'linux', { folder });
  await first.catchUp();
  await first[Symbol.asyncDispose]();
  makeFormer(folder, 1);
  await using second = new HomeLedger(home, {}, 'linux', { folder });
  const [row] = second.ledger.documents.unindexed(1);
  if (row === undefined) throw new Error('nothing waits for the index');
  // A part of it is indexed already.
  expect(reindexSome(second.ledger, 5)).toBe(true);
  second.ledger.transact(() => second.ledger.documents.remove(row.thread, row.session, row.conversation));
  while (reindexSome(second.ledger, 100));
  const id = second.ledger.threads.byNumber(row.thread)?.id;
  for (const words of ['the*', 'a']) {
    const { hits } = search(second.ledger, { words, limit: 1000 });
    expect(hits.filter(({ thread, conversation }) => thread === id && conversation === row.conversation)).toEqual([]);
  }
});
