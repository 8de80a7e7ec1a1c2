/** Public reports about sessions of Gemini CLI and Antigravity (test/cases/NN-…): what each `check` says must come out of the ledger. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { fidelityOf } from '../../server/main/thread-view.ts';
import { cases, HomeLedger } from '../home-ledger.ts';

interface Check {
  readonly activeChainFirst: readonly string[];
  readonly mustNotBeActive: readonly string[];
  readonly mustContain: readonly string[];
  readonly mustNotContain: readonly string[];
  readonly sessions: number;
  readonly toolCalls: number;
  readonly usageOnce: { readonly input: number; readonly output: number };
  readonly topLevelSessions: number;
  readonly childSessions: number;
  readonly readable: number;
  readonly listedOnly: number;
}

async function read(number: string): Promise<{ readonly home: HomeLedger; readonly check: Check; readonly threads: readonly ThreadRow[] }> {
  const name = fs.readdirSync(cases).find((candidate) => candidate.startsWith(`${number}-`));
  if (name === undefined) throw new Error(`no case ${number}`);
  const folder = path.join(cases, name);
  const { check } = JSON.parse(fs.readFileSync(path.join(folder, 'case.json'), 'utf8')) as { readonly check: Check };
  const home = new HomeLedger(path.join(folder, 'home'));
  await home.catchUp();
  expect(home.faults).toEqual([]);
  return { home, check, threads: home.ledger.threads.newest(100) };
}

function transcript(home: HomeLedger, thread: ThreadRow | undefined): Promise<readonly LedgerEntry[]> {
  if (thread === undefined) throw new Error('no such thread');
  return allEntries(home.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
}

function said(entries: readonly LedgerEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'user' && entry.content.origin === 'typed') || entry.kind === 'assistant'
      ? entry.content.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

test('51: records of a message are one, a rewrite replaces, a rewind cuts, and a whole file of older versions is read', async () => {
  const { home, check, threads } = await read('51');
  await using _ = home;
  expect(threads).toHaveLength(check.sessions);
  expect(threads.map(({ title }) => title).toSorted()).toEqual(['Bird count', 'From a snapshot.', 'Legacy single JSON.']);
  const birds = threads.find(({ title }) => title === 'Bird count');
  const entries = await transcript(home, birds);
  expect(said(entries)).toEqual(check.activeChainFirst);
  for (const text of check.mustNotBeActive) expect(said(entries)).not.toContain(text);
  const calls = entries.flatMap((entry) => (entry.kind === 'assistant' ? entry.content.content.filter(({ type }) => type === 'toolCall') : []));
  expect(calls).toHaveLength(check.toolCalls);
  expect({ input: birds?.usage_input, output: birds?.usage_output }).toEqual(check.usageOnce);
});

test('52: the full id counts, files without a word are none, and a helper belongs to its session', async () => {
  const { home, check, threads } = await read('52');
  await using _ = home;
  expect(threads.filter(({ child }) => child === 0)).toHaveLength(check.topLevelSessions);
  const children = threads.flatMap(({ number }) => home.ledger.natives.byThread(number).filter(({ child_of }) => child_of !== null));
  expect(children).toHaveLength(check.childSessions);
  const texts = (await Promise.all(threads.map((thread) => transcript(home, thread)))).flatMap(said);
  for (const text of check.mustContain) expect(texts).toContain(text);
});

test('68: what can be read is, what cannot is listed without guessed text', async () => {
  const { home, check, threads } = await read('68');
  await using _ = home;
  const fidelities = threads.map(({ current_native }) => fidelityOf(home.ledger.natives.byNumber(current_native ?? 0)));
  expect(fidelities.filter((fidelity) => fidelity === 'truncated')).toHaveLength(check.readable);
  expect(fidelities.filter((fidelity) => fidelity === 'artifacts' || fidelity === 'listed')).toHaveLength(check.listedOnly);
  const entries = (await Promise.all(threads.map((thread) => transcript(home, thread)))).flat();
  for (const text of check.mustContain) expect(said(entries)).toContain(text);
  for (const text of check.mustNotContain) expect(JSON.stringify(entries)).not.toContain(text);
  // Nothing but printable text: no bytes of an encrypted file.
  // eslint-disable-next-line no-control-regex -- those are the characters to look for
  expect(JSON.stringify(entries)).not.toMatch(/[\u0000-\u001F\uFFFD]/u);
});
