/**
 * The fixture conversations of Antigravity: what the ledger has from their stores against the plain transcripts that lie beside them, which
 * this test reads by itself; and again without the stores, from the transcripts, and without those, from the artifacts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import { threadView } from '../../server/main/thread-view.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';

interface Line {
  readonly type: string;
  readonly created_at: string;
  readonly content?: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, string>> }[];
}

const fixture = path.join(fixtures, 'antigravity/home');
const conversations = [
  ['antigravity-cli', '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b', '', 'cli'],
  ['antigravity', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 'desktop:', 'desktop'],
] as const;
const sealed = 'dde394b5-bdb0-49d4-a1b5-faeec83a5460';

function linesOf(home: string, root: string, id: string, name: string): readonly Line[] {
  const file = path.join(home, '.gemini', root, 'brain', id, '.system_generated/logs', name);
  return fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Prompts, answers with the names and arguments of their calls, and how many results: what both kinds of file tell. */
function talkOf(lines: readonly Line[]): readonly unknown[] {
  return lines.flatMap((line): readonly unknown[] => {
    if (line.type === 'USER_INPUT')
      return [['user', /<USER_REQUEST>\n([^]*)\n<\/USER_REQUEST>/.exec(line.content ?? '')?.[1], Date.parse(line.created_at)]];
    if (line.type !== 'PLANNER_RESPONSE') return line.type === 'SYSTEM_MESSAGE' ? [] : ['result'];
    const calls = (line.tool_calls ?? []).map(({ name, args }) => [
      name,
      Object.fromEntries(Object.entries(args).map(([key, value]) => [key, JSON.parse(value) as unknown])),
    ]);
    return [['assistant', line.content ?? '', line.thinking ?? '', calls, Date.parse(line.created_at)]];
  });
}

/** Display texts ride along in the arguments of a store's calls. */
function plain(entries: readonly LedgerEntry[]): readonly unknown[] {
  return entries.flatMap((entry): readonly unknown[] => {
    if (entry.kind === 'user')
      return entry.content.origin === 'typed'
        ? [['user', entry.content.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), entry.content.at]]
        : [];
    if (entry.kind === 'tool_result') return ['result'];
    if (entry.kind !== 'assistant') return [];
    const blocks = entry.content.content;
    const calls = blocks.flatMap((block) => {
      if (block.type !== 'toolCall') return [];
      const { toolAction: _, toolSummary: __, ...args } = block.arguments;
      return [[block.name, args]];
    });
    const of = (type: string): string =>
      blocks
        .map((block) =>
          block.type === 'text' && type === 'text'
            ? block.text
            : block.type === 'thinking' && type === 'thinking'
              ? block.thinking
              : '',
        )
        .join('');
    return [['assistant', of('text'), of('thinking'), calls, entry.content.at]];
  });
}

async function entriesOf(home: HomeLedger, id: string): Promise<readonly LedgerEntry[]> {
  const row = findThread(home.ledger, id);
  return allEntries(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
}

test.each(conversations)(
  '%s: the store tells what the transcript does, and tokens, exit codes and models beyond',
  async (root, id, prefix, surface) => {
    await using home = new HomeLedger(fixture);
    await home.catchUp();
    expect(home.faults).toEqual([]);
    const entries = await entriesOf(home, prefix + id);
    expect(plain(entries)).toEqual(talkOf(linesOf(fixture, root, id, 'transcript_full.jsonl')));
    const row = findThread(home.ledger, prefix + id);
    expect(row).toMatchObject({
      title: 'Cart total bug',
      cwd: '/home/user/shop',
      branch: 'main',
      surface,
      turns: 1,
      last_turn: 'completed',
      source_gone: 0,
    });
    // What the steps of the fixture say, one by one.
    expect([row.usage_input, row.usage_output, row.usage_cache_read]).toEqual([
      1200 + 1300 + 1400 + 1500,
      40 + 60 + 20 + 30,
      900 + 1200 + 1300,
    ]);
    const view = threadView(home.ledger, row, new Map());
    expect(view.fidelity).toBeUndefined();
    expect(view.native.map(({ path: file }) => path.relative(fixture, file))).toEqual([`.gemini/${root}/conversations/${id}.db`]);
    const details = entries.flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.details] : []));
    expect(details.map((each) => [each?.action, each?.status])).toEqual([
      ['read', 'completed'],
      ['edit', 'completed'],
      ['command', 'failed'],
    ]);
    expect(details[2]).toMatchObject({ command: 'node test.js', cwd: '/home/user/shop', exitCode: 1 });
    expect(details[1]?.files).toEqual([{ path: '/home/user/shop/cart.js', change: 'update', added: 1, removed: 1 }]);
    expect(entries.filter(({ kind }) => kind === 'opaque')).toHaveLength(1);
    const context = await contextOf(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
    expect(context.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'toolResult',
      'assistant',
      'toolResult',
      'assistant',
      'toolResult',
      'assistant',
    ]);
  },
);

test.each(conversations)('%s: artifacts are a plan and notes at their time, behind the talk', async (_, id, prefix) => {
  await using home = new HomeLedger(fixture);
  await home.catchUp();
  const entries = (await entriesOf(home, prefix + id)).slice(-3);
  expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['notice', 'notice', 'plan']);
  expect(entries.map(({ content }) => content.at)).toEqual(
    Array.from({ length: 3 }, () => Date.parse('2026-11-30T00:53:32.150Z')),
  );
  const plan = entries.find(({ kind }) => kind === 'plan');
  expect(plan?.kind === 'plan' && plan.content.items.map(({ text, status }) => [text, status])).toEqual([
    ['Read cart.js', 'completed'],
    ['Fix double tax', 'completed'],
    ['Add a test', 'pending'],
  ]);
});

test.each(conversations)(
  '%s: without its store the talk is the same from the transcripts, which is said',
  async (root, id, prefix) => {
    const copy = copyHome(fixture);
    try {
      fs.rmSync(path.join(copy, '.gemini', root, 'conversations', `${id}.db`));
      for (const [name, fidelity] of [
        ['transcript_full.jsonl', 'transcript'],
        ['transcript.jsonl', 'truncated'],
      ] as const) {
        await using home = new HomeLedger(copy);
        await home.catchUp();
        expect(plain(await entriesOf(home, prefix + id))).toEqual(talkOf(linesOf(copy, root, id, name)));
        const row = findThread(home.ledger, prefix + id);
        expect(row).toMatchObject({ title: 'Cart total bug', cwd: '/home/user/shop', turns: 1, usage_input: 0 });
        expect(threadView(home.ledger, row, new Map()).fidelity).toBe(fidelity);
        fs.rmSync(path.join(copy, '.gemini', root, 'brain', id, '.system_generated/logs', name));
      }
      await using home = new HomeLedger(copy);
      await home.catchUp();
      const row = findThread(home.ledger, prefix + id);
      expect(threadView(home.ledger, row, new Map()).fidelity).toBe('artifacts');
      expect((await entriesOf(home, prefix + id)).map(({ kind }) => kind).toSorted()).toEqual(['notice', 'notice', 'plan']);
    } finally {
      fs.rmSync(copy, { recursive: true });
    }
  },
);

test('an encrypted conversation is listed with its artifact, and the fixture stays as it was', async () => {
  const names = (): readonly string[] => fs.readdirSync(fixture, { recursive: true, encoding: 'utf8' }).toSorted();
  const before = names();
  await using home = new HomeLedger(fixture);
  await home.catchUp();
  expect(home.ledger.threads.newest(10)).toHaveLength(3);
  const entries = await entriesOf(home, `desktop:${sealed}`);
  expect(entries.map(({ kind }) => kind)).toEqual(['notice', 'plan']);
  expect(findThread(home.ledger, `desktop:${sealed}`)).toMatchObject({ title: 'Old task', turns: 0, surface: 'desktop' });
  expect(home.ledger.warnings.count()).toBe(0);
  expect(names()).toEqual(before);
});
