/**
 * The ledger of every fixture home of OpenClaw against what a few lines of script count in the same bytes: threads with their folders and
 * titles, prompts and whose they are, tokens, results, the active path. The script knows nothing of the shuttle: it selects rows, unpacks
 * them with Node's own zstd and follows the rules of the format.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';
import { copiedDatabase } from '../openclaw-home.ts';

interface Event {
  readonly type: string;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd?: string;
  readonly message?: {
    readonly role: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
    readonly provider?: string;
    readonly toolCallId?: string;
    readonly usage?: { readonly input: number; readonly output: number };
    readonly provenance?: { readonly kind: string };
    readonly __openclaw?: { readonly senderIsOwner?: boolean; readonly senderName?: string };
  };
}
interface Session {
  readonly id: string;
  readonly events: readonly Event[];
}

const mark = '__openclaw';
const folder = path.join(fixtures, 'openclaw');
const [local, gateway, legacy] = [
  'oc-01-2026.9.6-local',
  'oc-02-2026.9.6-telegram-gateway',
  'oc-03-2026.6.11-legacy-jsonl',
] as const;
const agent = (home: string): string => path.join(folder, home, '.openclaw/agents/main');

function ofRows(home: string): readonly Session[] {
  using copy = copiedDatabase(path.join(agent(home), 'agent/openclaw-agent.sqlite'));
  const rows = copy.tables.all('SELECT session_id, event_json, event_zstd FROM transcript_events ORDER BY session_id, seq');
  const sessions = new Map<string, Event[]>();
  for (const { session_id: id, event_json: json, event_zstd: zstd } of rows) {
    const text = typeof json === 'string' ? json : zstdDecompressSync(zstd as Uint8Array).toString('utf8');
    sessions.set(String(id), [...(sessions.get(String(id)) ?? []), JSON.parse(text) as Event]);
  }
  return [...sessions].map(([id, events]) => ({ id, events }));
}

function ofFiles(home: string): readonly Session[] {
  const sessions = path.join(agent(home), 'sessions');
  return readdirSync(sessions)
    .filter((name) => name.includes('.jsonl'))
    .map((name) => ({
      id: name.slice(0, 36),
      events: readFileSync(path.join(sessions, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Event),
    }));
}

const sessions: readonly (readonly [string, Session])[] = [
  ...[local, gateway].flatMap((home) => ofRows(home).map((session) => [home, session] as const)),
  ...ofFiles(legacy).map((session) => [legacy, session] as const),
];

function textOf(event: Event): string {
  const content = event.message?.content ?? '';
  return typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');
}

/** The words alone: the folder that the editor's bridge puts in front is no part of them. */
const words = (event: Event): string => textOf(event).replace(/^\[Working directory: .*\]\n\n/, '');
const isUser = ({ message }: Event): boolean => message?.role === 'user';
const isSaid = (event: Event): boolean => isUser(event) && event.message?.provenance?.kind !== 'inter_session';

async function ledgerOf(
  home: HomeLedger,
  id: string,
): Promise<{ readonly row: ThreadRow; readonly entries: readonly LedgerEntry[] }> {
  const row = findThread(home.ledger, id);
  if (row === undefined) throw new Error(`${id} is not in the ledger`);
  return { row, entries: await allEntries(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined) };
}

test('every session of the homes is a thread, and what was deleted in the app is none', async () => {
  expect(sessions).toHaveLength(8);
  for (const name of [local, gateway, legacy]) {
    await using home = new HomeLedger(path.join(folder, name));
    await home.catchUp();
    expect(home.faults).toEqual([]);
    expect(home.ledger.threads.newest(100)).toHaveLength(sessions.filter(([other]) => other === name).length);
  }
});

test.each(sessions)('%s: folder, title, prompts, tokens and times are those of the bytes ($id)', async (name, session) => {
  await using home = new HomeLedger(path.join(folder, name));
  await home.catchUp();
  const { row } = await ledgerOf(home, session.id);
  const [header] = session.events;
  const said = session.events.filter(isSaid);
  const used = session.events.flatMap(({ message }) => message?.usage ?? []);
  const isGroup = said.some((event) => /in (?:the )?group/.test(textOf(event)));
  expect(row).toMatchObject({
    harness: 'openclaw',
    cwd: header?.cwd,
    title: isGroup ? 'Shop Crew' : words(said[0] ?? { type: '', id: '', timestamp: '' }),
    turns: said.length,
    usage_input: used.reduce((sum, { input }) => sum + input, 0),
    usage_output: used.reduce((sum, { output }) => sum + output, 0),
    created_at: Date.parse(header?.timestamp ?? ''),
    automation: 0,
    archived: session.id.startsWith('396a8e74') ? 1 : 0,
    model: 'mock-1',
  });
});

test.each(sessions)('%s: who said what, in order, with results behind their calls ($id)', async (name, session) => {
  await using home = new HomeLedger(path.join(folder, name));
  await home.catchUp();
  const { row, entries } = await ledgerOf(home, session.id);
  expect(home.ledger.branches.bySession(row.session)).toHaveLength(1);
  const expected = session.events.flatMap((event): readonly unknown[] => {
    const { message } = event;
    if (message === undefined) return [];
    switch (message.role) {
      case 'user': {
        const isOwner = message[mark]?.senderIsOwner === true;
        const kind = message.provenance?.kind;
        const origin = kind === 'inter_session' ? 'harness' : isOwner ? 'typed' : 'chat';
        return [[event.id, origin, isOwner ? 'user' : 'chat', message[mark]?.senderName, words(event)]];
      }
      case 'assistant':
        return message.provider === 'openclaw' || message.content.length === 0 ? [] : [[event.id, 'model', textOf(event)]];
      case 'toolResult':
        return [[event.id, message.toolCallId, textOf(event)]];
      default:
        return [];
    }
  });
  const found = entries.flatMap((entry): readonly unknown[] => {
    const { content } = entry;
    const { nativeId, trust } = content.provenance;
    if (entry.kind === 'tool_result') return [[nativeId, entry.content.toolCallId, textIn(entry.content.content)]];
    if (entry.kind === 'assistant') return [[nativeId, trust, textIn(entry.content.content)]];
    if (entry.kind !== 'user') return [];
    const text = textIn(entry.content.content);
    if (text.startsWith('[Working directory')) return [];
    return [[nativeId, entry.content.origin, trust, entry.content.sender, text]];
  });
  expect(found).toEqual(expected);
  const calls = entries.flatMap((entry) =>
    entry.kind === 'assistant' ? entry.content.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])) : [],
  );
  expect(entries.flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.toolCallId] : []))).toEqual(calls);
  expect(entries.filter(({ kind }) => kind === 'opaque')).toEqual([]);
});

test('the active path of each session ends where its database says', async () => {
  for (const name of [local, gateway]) {
    using copy = copiedDatabase(path.join(agent(name), 'agent/openclaw-agent.sqlite'));
    await using home = new HomeLedger(path.join(folder, name));
    await home.catchUp();
    for (const { session_id: id, leaf_event_id: leaf } of copy.tables.all('SELECT * FROM session_transcript_index_state')) {
      const { entries } = await ledgerOf(home, String(id));
      expect(entries.at(-1)?.content.provenance.nativeId).toBe(leaf);
    }
  }
});

test('after /new and a compaction the model is given the summary and what it keeps, and no chat’s text in it is a person’s', async () => {
  await using home = new HomeLedger(path.join(folder, gateway));
  await home.catchUp();
  const { row, entries } = await ledgerOf(home, 'dc1f685f-3a20-4a1a-a1fb-7f29550b68cf');
  const context = await contextOf(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  expect(context.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
  expect(JSON.stringify(context[0])).toContain('MOCK-SUMMARY: goal=keep going');
  expect(JSON.stringify(context[1])).toContain('after new');
  expect(entries.filter(({ kind }) => kind === 'reset')).toHaveLength(1);
});

function textIn(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}
