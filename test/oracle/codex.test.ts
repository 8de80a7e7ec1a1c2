/**
 * The ledger against the program's own answers: for every home that Codex 0.171 wrote, `truth.json` holds what its app-server
 * tells of the threads, turns and items. The same must come out of the ledger's entries. What Codex does not tell, or tells
 * only there, is named in `exceptions` with its reason.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { SessionFacts } from '../../shuttles/contract/read.ts';
import { textOf } from '../../shuttles/codex/read/content.ts';
import { quoted } from '../../shuttles/codex/read/actions.ts';
import { oneLine } from '../../shuttles/kit/fields.ts';
import type { NativeRow } from '../../server/ledger/natives-table.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

interface Item {
  readonly type: string;
  readonly text?: string;
  readonly command?: string;
  readonly exitCode?: number;
  readonly status?: string;
}
interface Turn {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly items: readonly Item[];
}
interface TrueThread {
  readonly id: string;
  readonly listed?: boolean;
  readonly forkedFromId: string | null;
  readonly parentThreadId: string | null;
  readonly name?: string | null;
  readonly preview: string;
  readonly source: unknown;
  readonly historyMode: string;
  readonly cwd?: string;
  readonly archived?: boolean;
  readonly turns: readonly Turn[];
}

const exceptions = {
  /** 0.171 refuses rollouts of 0.20 and tells nothing of them; the ledger has them. */
  refusedByCodex: ['ae7c63de-33a0-4aab-a323-0b4aed2929ac'],
  /** Started with a given history: Codex shows no item of what only its model was given. */
  onlyForTheModel: ['01a22a6e-ab47-77f0-bc4b-8e9980e41331'],
  /** 0.63 wrote no turn records; Codex makes up turns from the prompts, all of them completed. */
  withoutTurnRecords: ['01a22a75-c2ef-7163-80e3-4b401d79985a'],
  /** A review runs in a thread of its own and leaves the start of that thread's turn here, in the middle of its own turn. */
  reviewTurns: ['01a22a6e-a17f-7922-9d80-13e3166ff53d', '01a22a6e-a165-7ff3-b4bd-99c675b551c5'],
};

/** `forked_from_id` of the rollouts: the app-server leaves it out of its answers (it is null in all of them but sub-agents'). */
const forks: Readonly<Record<string, string>> = {
  '01a22a64-dd3c-7c42-908b-477ef9658316': '01a22a64-d5cc-7292-86ef-b3cc45bf95c0',
  '01a22a6e-9e42-7a91-99d1-9a2e455328f1': '01a22a6e-89e8-7c73-b0a7-1289a994e6f4',
  '01a22a6e-a144-7460-93a1-4a2103306776': '01a22a6e-9efc-7660-8431-a3588b73b5f9',
  '01a22a6a-36ac-78e2-8f38-87db0d384e04': '01a22a69-7ab7-7ff1-9b08-2feec735a214',
  '01a22a6a-3877-7520-b51f-dff2d97f1e69': '01a22a69-7ab7-7ff1-9b08-2feec735a214',
};

const root = path.join(fixtures, 'codex');
const homes = fs.readdirSync(root).filter((name) => fs.existsSync(path.join(root, name, 'truth.json')));

test('there are homes to compare with', () => {
  expect(homes.length).toBeGreaterThanOrEqual(17);
});

test.each(homes)('%s: the ledger tells the threads, turns and items that Codex tells', async (name) => {
  const truth = JSON.parse(fs.readFileSync(path.join(root, name, 'truth.json'), 'utf8')) as { threads: readonly TrueThread[] };
  await using home = new HomeLedger(path.join(root, name));
  await home.catchUp();
  expect(home.faults).toEqual([]);

  const natives = home.ledger.threads.newest(1000).flatMap((thread) => home.ledger.natives.byThread(thread.number));
  const codex = natives.filter((native) => native.harness === 'codex' && !exceptions.refusedByCodex.includes(native.native_id));
  expect(codex.map((native) => native.native_id).toSorted()).toEqual(truth.threads.map((thread) => thread.id).toSorted());

  for (const thread of truth.threads) {
    const native = home.ledger.natives.byNativeId('codex', thread.id);
    if (native === undefined) throw new Error(`no native session ${thread.id}`);
    expect(await headline(home, native), `${name} ${thread.id}`).toEqual(trueHeadline(thread));
    const told = await turnsOf(home, native, thread);
    expect(told, `${name} ${thread.id}`).toEqual(trueTurns(thread));
  }
});

test.each(homes)('%s: the tokens of a thread are the sum that Codex keeps itself', async (name) => {
  await using home = new HomeLedger(path.join(root, name));
  await home.catchUp();
  let compared = 0;
  for (const [id, total] of lastTotals(path.join(root, name))) {
    const native = home.ledger.natives.byNativeId('codex', id);
    if (native === undefined) throw new Error(`no native session ${id}`);
    const thread = home.ledger.threads.byNumber(native.thread);
    const own = home.ledger.branches.byNative(native.number)[0];
    const conversation = native.child_of === null ? thread?.current_conversation : own?.conversation;
    let input = 0;
    let output = 0;
    for (const entry of await allEntries(home.ledger, thread?.session ?? '', conversation ?? 0)) {
      if (entry.kind !== 'assistant' || entry.content.provenance.inherited === true) continue;
      const usage = entry.content.usage;
      input += (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
      output += usage?.output ?? 0;
    }
    expect({ id, input, output }).toEqual({ id, input: total.input_tokens, output: total.output_tokens });
    compared += 1;
  }
  if (!/0\.20|0\.63|0\.125/.test(name)) expect(compared).toBeGreaterThan(0);
});

interface Headline {
  readonly title: string;
  readonly cwd: string;
  readonly archived: boolean;
  readonly child: boolean;
  readonly forkedFrom: string | null;
}

async function headline(home: HomeLedger, native: NativeRow): Promise<Partial<Headline>> {
  const thread = home.ledger.threads.byNumber(native.thread);
  const facts = JSON.parse(native.facts) as SessionFacts;
  const child = native.child_of !== null;
  if (child) return { child };
  const parent = home.ledger.threads.byId(thread?.parent_thread ?? '');
  const origin = parent === undefined ? undefined : home.ledger.natives.byThread(parent.number)[0];
  return {
    child,
    title: thread?.title ?? '',
    cwd: thread?.cwd ?? '',
    archived: facts.archived ?? false,
    forkedFrom: origin?.native_id ?? null,
  };
}

function trueHeadline(thread: TrueThread): Partial<Headline> {
  const child = typeof thread.source === 'object' && thread.source !== null && 'subAgent' in thread.source;
  if (child) return { child };
  const title = exceptions.onlyForTheModel.includes(thread.id) ? 'injected user' : oneLine(thread.name ?? thread.preview, 200);
  return {
    child,
    title,
    cwd: thread.cwd ?? '/home/user/shop',
    archived: thread.archived ?? false,
    forkedFrom: forks[thread.id] ?? null,
  };
}

async function turnsOf(home: HomeLedger, native: NativeRow, thread: TrueThread): Promise<readonly Turn[]> {
  const row = home.ledger.threads.byNumber(native.thread);
  if (row === undefined) throw new Error('no thread');
  const child = native.child_of !== null;
  const own = home.ledger.branches.byNative(native.number)[0];
  const [conversation, through] = child
    ? [own?.conversation ?? 0, undefined]
    : [row.current_conversation, row.current_entry ?? undefined];
  const entries = await allEntries(home.ledger, row.session, conversation, through);
  // A sub-agent's inherited history is its parent's; Codex leaves it out too.
  const shown = child ? entries.filter((entry) => entry.content.provenance.inherited !== true) : entries;
  if (exceptions.onlyForTheModel.includes(thread.id)) return [];
  const turns: { id: string; status: string; error: string | null; items: Item[] }[] = [];
  let current: (typeof turns)[number] | undefined;
  // What stands between two turns belongs to the one that follows.
  let waiting: Item[] = [];
  const open = (id: string): (typeof turns)[number] => {
    const known = turns.find((turn) => turn.id === id);
    if (known !== undefined) return known;
    const turn = { id, status: 'interrupted', error: null, items: waiting };
    waiting = [];
    turns.push(turn);
    return turn;
  };
  for (const entry of shown) {
    if (entry.kind === 'turn') {
      const turn = open(entry.content.turnId ?? '');
      current = entry.content.phase === 'started' ? turn : undefined;
      if (entry.content.phase !== 'started')
        Object.assign(turn, { status: entry.content.phase, error: entry.content.error ?? null });
      continue;
    }
    if (exceptions.withoutTurnRecords.includes(thread.id) && entry.kind === 'user' && entry.content.origin === 'typed') {
      current = open(String(turns.length));
      current.status = 'completed';
    }
    const late = entry.kind === 'step' ? entry.content.details.extra?.['turnId'] : undefined;
    const items = typeof late === 'string' ? open(late).items : (current?.items ?? waiting);
    items.push(...itemsOf(entry, thread.historyMode));
  }
  return normal(turns, thread);
}

/** Items as Codex would show them. */
function itemsOf(entry: LedgerEntry, historyMode: string): readonly Item[] {
  switch (entry.kind) {
    case 'user': {
      if (entry.content.origin !== 'typed') return [];
      const images = entry.content.content.filter((block) => block.type === 'image').map(() => '<localImage>');
      return [{ type: 'userMessage', text: [...images, textOf(entry.content.content)].join(' ') }];
    }
    case 'assistant':
      return entry.content.content.flatMap((block): readonly Item[] => {
        if (block.type === 'text') return [{ type: 'agentMessage', text: block.text }];
        return block.type === 'thinking' && block.thinking !== '' ? [{ type: 'reasoning' }] : [];
      });
    case 'tool_result':
      return actionItems(entry.content.details, historyMode);
    case 'step':
      return actionItems(entry.content.details, historyMode);
    case 'summary':
      return [{ type: 'contextCompaction' }];
    case 'notice':
      return noticeItems(entry.content.code, entry.content.text);
    case 'handoff':
    case 'opaque':
    case 'plan':
    case 'reset':
    case 'setting':
    case 'snapshot':
    case 'system':
    case 'turn':
      return [];
  }
}

function noticeItems(code: string, text: string): readonly Item[] {
  if (code === 'imported') return [{ type: 'agentMessage', text }];
  if (code !== 'review') return [];
  if (text.startsWith('Review started')) return [{ type: 'enteredReviewMode' }];
  return text.startsWith('Review finished') ? [{ type: 'exitedReviewMode' }] : [{ type: 'userMessage', text }];
}

function actionItems(
  details: Extract<LedgerEntry, { kind: 'step' }>['content']['details'] | undefined,
  historyMode: string,
): readonly Item[] {
  const status = details?.status;
  if (details === undefined) return [];
  switch (details.action ?? 'other') {
    case 'command': {
      // Legacy rollouts have shell commands in the model's log only, which Codex does not show. A call that was aborted is
      // shown when its process ends, under its own item.
      if (historyMode === 'legacy' || status === 'interrupted') return [];
      const { exitCode } = details;
      return [
        {
          type: 'commandExecution',
          command: asCommand(details.command ?? ''),
          ...(exitCode !== undefined && { exitCode }),
          ...(status && { status }),
        },
      ];
    }
    case 'edit':
      // A patch that was refused before it was applied is no item.
      return details.files === undefined || details.files.length === 0 ? [] : [{ type: 'fileChange', ...(status && { status }) }];
    case 'mcp':
      return [{ type: 'mcpToolCall', ...(status && { status }) }];
    case 'webSearch':
      return [{ type: 'webSearch' }];
    case 'image':
      // Generated pictures are no item of 0.171; only pictures that were looked at.
      return details.extra?.['path'] === undefined ? [] : [{ type: 'imageView' }];
    case 'agent':
      return details.extra?.['tool'] === undefined
        ? [{ type: 'subAgentActivity' }]
        : [{ type: 'collabAgentToolCall', ...(status && { status }) }];
    case 'fetch':
    case 'other':
    case 'plan':
    case 'question':
    case 'read':
    case 'search':
      return [];
  }
}

function asCommand(command: string): string {
  return `/bin/bash -lc ${quoted(command)}`;
}

function trueTurns(thread: TrueThread): readonly Turn[] {
  return normal(
    thread.turns.map((turn) => ({
      ...turn,
      error: turn.error ?? null,
      // In the truth of a thread that is not listed, an item is its type and its text only.
      items: turn.items.map((item) =>
        item.type === 'collabAgentToolCall' && item.status === undefined ? { ...item, status: 'completed' } : item,
      ),
    })),
    thread,
  );
}

function normal(turns: readonly Turn[], thread: TrueThread): readonly Turn[] {
  const reviewed = turns.filter((turn) => exceptions.reviewTurns.includes(turn.id));
  if (reviewed.length === 2) {
    // Same two turns, same items; in whose middle the other one begins cannot be told from the records.
    const items = reviewed.flatMap((turn) => turn.items).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    const first = turns.findIndex((turn) => exceptions.reviewTurns.includes(turn.id));
    const states = reviewed
      .map((turn) => `${turn.id} ${turn.status}`)
      .toSorted()
      .join(', ');
    return [...turns.slice(0, first), { id: 'review', status: states, error: null, items }];
  }
  if (exceptions.withoutTurnRecords.includes(thread.id)) return turns.map((turn, index) => ({ ...turn, id: String(index) }));
  return turns;
}

interface Total {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** `thread_token_usage` of the newest record of each thread: the tokens along its line, its base's included. */
function lastTotals(home: string): ReadonlyMap<string, Total> {
  const totals = new Map<string, Total>();
  const files = fs.readdirSync(path.join(home, '.codex/sessions'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.jsonl')).toSorted()) {
    const lines = fs
      .readFileSync(path.join(home, '.codex/sessions', file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const records = lines.map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> });
    const last = records.findLast((record) => record.type === 'token_usage_record');
    if (last !== undefined) totals.set(String(records[0]?.payload['id']), last.payload['thread_token_usage'] as Total);
  }
  return totals;
}
