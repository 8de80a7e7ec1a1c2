/**
 * One thread over what other programs imported: Codex makes a thread of its own from a session of Claude Code and says so in a file beside
 * it. The copy is no work of anybody's; what a person then says in it goes on with the one thread.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { search } from '../../server/ledger/search.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { isListed } from '../../server/main/list.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

const claudeId = '3b0e7c1a-1111-4222-8333-444455556666';
const codexId = '01a22a6b-4a54-71c2-a2a8-ff0257504cc1';
const made = path.join(fixtures, 'codex-native-import');

class ImportHome implements Disposable {
  readonly home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-import-'));
  readonly origin = this.#file('.claude/projects/-home-user-shop', `${claudeId}.jsonl`);
  readonly copy = this.#file('.codex/sessions/2026/11/30', `rollout-2026-11-30T03-06-44-${codexId}.jsonl`);
  readonly list = this.#file('.codex', 'external_agent_session_imports.json');

  writeOrigin(): void {
    fs.copyFileSync(path.join(made, 'claude-source-handmade.jsonl'), this.origin);
  }
  writeCopy(): void {
    fs.copyFileSync(path.join(made, 'rollout-from-claude.jsonl'), this.copy);
  }
  writeList(): void {
    const record = { source_path: this.origin, imported_thread_id: codexId, imported_at: 1_796_008_004 };
    fs.writeFileSync(this.list, JSON.stringify({ records: [record], detected_connector_records: [] }));
  }
  /** A person goes on in Codex. */
  goOn(text: string): void {
    const at = '2026-11-30T04:00:00.000Z';
    const turn = '01a22a9c-1111-7222-8333-444455556666';
    const message = (role: string, type: string, words: string): object => ({
      timestamp: at,
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type, text: words }] },
    });
    const lines = [
      { timestamp: at, type: 'event_msg', payload: { type: 'task_started', turn_id: turn } },
      message('user', 'input_text', text),
      message('assistant', 'output_text', 'It is right now.'),
      { timestamp: at, type: 'event_msg', payload: { type: 'task_complete', turn_id: turn } },
    ];
    fs.appendFileSync(this.copy, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  [Symbol.dispose](): void {
    fs.rmSync(this.home, { recursive: true, force: true });
  }
  #file(folder: string, name: string): string {
    fs.mkdirSync(path.join(this.home, folder), { recursive: true });
    return path.join(this.home, folder, name);
  }
}

function listed(ledger: HomeLedger): readonly ThreadRow[] {
  return ledger.ledger.threads.newest(100).filter((row) => isListed(row, false));
}
function only(ledger: HomeLedger): ThreadRow {
  const [row, ...others] = listed(ledger);
  if (row === undefined || others.length > 0) throw new Error(`one thread was expected, not ${listed(ledger).length}`);
  return row;
}
async function prompts(ledger: HomeLedger, row: ThreadRow): Promise<readonly string[]> {
  const entries = await allEntries(ledger.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return entries.flatMap((entry) => (entry.kind === 'user' ? entry.content.content.map((block) => ('text' in block ? block.text : '')) : []));
}

test('a session and its import are one thread, which stays where it was and is found once', async () => {
  using files = new ImportHome();
  files.writeOrigin();
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  const before = only(home);
  files.writeList();
  files.writeCopy();
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const row = only(home);
  expect(row).toEqual(before);
  expect(home.ledger.natives.byThread(row.number).map(({ harness }) => harness)).toEqual(['claude', 'codex']);
  for (const id of [claudeId, codexId]) expect(findThread(home.ledger, id).id).toBe(row.id);
  const { hits } = search(home.ledger, { words: 'added twice', limit: 10 });
  expect(hits).toHaveLength(1);
});

test.each([
  ['together', ['origin', 'copy', 'list']],
  ['one by one, the list last as Codex writes it', ['origin', '', 'copy', '', 'list']],
  ['one by one, the list first', ['list', '', 'origin', '', 'copy']],
] as const)('who goes on with an import in Codex goes on with the thread; the files came %s', async (_, order) => {
  using files = new ImportHome();
  await using home = new HomeLedger(files.home);
  for (const step of order) {
    if (step === 'origin') files.writeOrigin();
    else if (step === 'copy') files.writeCopy();
    else if (step === 'list') files.writeList();
    else await home.catchUp();
  }
  await home.catchUp();
  expect(only(home)).toMatchObject({ harness: 'claude', turns: 1, title: 'Why is the cart total wrong?' });
  files.goOn('And with two items?');
  await home.catchUp();
  const row = only(home);
  expect(row).toMatchObject({ harness: 'codex', turns: 2, title: 'Why is the cart total wrong?', cwd: '/home/user/shop' });
  expect(await prompts(home, row)).toEqual(['Why is the cart total wrong?', 'And with two items?']);
  expect(search(home.ledger, { words: 'added twice', limit: 10 }).hits).toHaveLength(1);
  expect(search(home.ledger, { words: 'two items', limit: 10 }).hits.map(({ thread }) => thread)).toEqual([row.id]);
});

test('an import whose list came after a person had gone on keeps every word', async () => {
  using files = new ImportHome();
  await using home = new HomeLedger(files.home);
  files.writeOrigin();
  files.writeCopy();
  files.goOn('And with two items?');
  await home.catchUp();
  expect(listed(home)).toHaveLength(2);
  files.writeList();
  await home.catchUp();
  const row = only(home);
  expect(await prompts(home, row)).toEqual(['Why is the cart total wrong?', 'And with two items?']);
  expect(row).toMatchObject({ harness: 'codex', turns: 2 });
  await home.catchUp();
  expect(only(home)).toEqual(row);
  expect(search(home.ledger, { words: 'two items', limit: 10 }).hits).toHaveLength(1);
});

test('an import whose origin is gone is a thread of its own that says what it is', async () => {
  using files = new ImportHome();
  files.writeList();
  files.writeCopy();
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(only(home)).toMatchObject({ harness: 'codex', imported_from: `claude:${claudeId}`, turns: 0 });
});

test('a list that names an id as its own origin, or nonsense, changes nothing', async () => {
  using files = new ImportHome();
  files.writeCopy();
  const odd = { source_path: `/x/${codexId}.jsonl`, imported_thread_id: codexId };
  fs.writeFileSync(files.list, JSON.stringify({ records: [odd, 1, null, { imported_thread_id: 5 }] }));
  await using home = new HomeLedger(files.home);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(only(home).harness).toBe('codex');
});

test('the home in which Codex itself imported and went on is one thread', async () => {
  const copy = copyHome(path.join(fixtures, 'codex/13-claude-import-by-codex'));
  await using home = new HomeLedger(copy);
  await home.catchUp();
  const row = only(home);
  expect(home.ledger.natives.byThread(row.number)).toHaveLength(2);
  expect(row).toMatchObject({ harness: 'codex', title: 'What is the price in price.js?' });
  fs.rmSync(copy, { recursive: true });
});
