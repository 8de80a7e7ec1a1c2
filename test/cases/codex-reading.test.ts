/** Public reports about Codex rollouts (test/cases/NN-…): what each `check` says must come out of the ledger. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { textOf } from '../../shuttles/codex/read/content.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { cases, copyHome, HomeLedger } from '../home-ledger.ts';

function folderOf(number: string): string {
  const name = fs.readdirSync(cases).find((candidate) => candidate.startsWith(`${number}-`));
  if (name === undefined) throw new Error(`no case ${number}`);
  return path.join(cases, name);
}

function checkOf(number: string): Record<string, unknown> {
  return (JSON.parse(fs.readFileSync(path.join(folderOf(number), 'case.json'), 'utf8')) as { check: Record<string, unknown> }).check;
}

async function read(number: string): Promise<HomeLedger> {
  const home = new HomeLedger(path.join(folderOf(number), 'home'));
  await home.catchUp();
  expect(home.faults).toEqual([]);
  return home;
}

function threadsOf(home: HomeLedger, harness = 'codex'): readonly ThreadRow[] {
  return home.ledger.threads.newest(100).filter((thread) => thread.harness === harness);
}

function threadOf(home: HomeLedger, nativeId: string): ThreadRow {
  const native = home.ledger.natives.byNativeId('codex', nativeId);
  const thread = native === undefined ? undefined : home.ledger.threads.byNumber(native.thread);
  if (thread === undefined) throw new Error(`no thread of ${nativeId}`);
  return thread;
}

function transcript(home: HomeLedger, thread: ThreadRow): Promise<readonly LedgerEntry[]> {
  return allEntries(home.ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
}

function prompts(entries: readonly LedgerEntry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'user' && entry.content.origin === 'typed' ? [textOf(entry.content.content)] : []));
}

function answers(entries: readonly LedgerEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'assistant' ? entry.content.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
}

test('02: two equal prompts in two turns stay two, and no message is there twice', async () => {
  await using home = await read('02');
  const check = checkOf('02');
  const threads = threadsOf(home);
  expect(threads.length).toBe(check['sessions']);
  const entries = await transcript(home, threads[0] as ThreadRow);
  expect(prompts(entries)).toEqual(check['promptTexts']);
  expect(answers(entries).length).toBe(check['assistantMessages']);
});

test('14: a call that was cut off has no result, and the context gives it a synthetic one', async () => {
  await using home = await read('14');
  const thread = threadsOf(home)[0] as ThreadRow;
  const entries = await transcript(home, thread);
  const calls = entries.flatMap((entry) =>
    entry.kind === 'assistant' ? entry.content.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])) : [],
  );
  const results = entries.flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.toolCallId] : []));
  expect(calls.filter((id) => !results.includes(id))).toEqual(['call_dangle']);
  expect(checkOf('14')['unpairedToolCalls']).toContain('call_dangle');
  expect(thread.last_turn).toBe('interrupted');
  const context = await contextOf(home.ledger, thread.session, thread.current_conversation);
  const after = context[context.findIndex(({ message }) => message.role === 'assistant') + 1]?.message;
  expect(after).toMatchObject({ role: 'toolResult', toolCallId: 'call_dangle', isError: true });
});

test('24a: what a fork copied is shown in it but counted once, and its parent is known', async () => {
  await using home = await read('24a');
  const check = checkOf('24a') as { sessions: number; ids: string[]; forkOf: Record<string, string>; ownPrompts: Record<string, number>; totalTokensOnce: number };
  const threads = threadsOf(home);
  expect(threads.length).toBe(check.sessions);
  let tokens = 0;
  for (const id of check.ids) {
    const thread = threadOf(home, id);
    const native = home.ledger.natives.byNativeId('codex', id);
    const own = home.ledger.branches.byNative(native?.number ?? 0).map((branch) => branch.conversation);
    const entries = await transcript(home, thread);
    const written = entries.filter((entry) => own.includes(entry.conversationId) && entry.content.provenance.inherited !== true);
    expect(prompts(written).length).toBe(check.ownPrompts[id]);
    tokens += thread.usage_input + thread.usage_output + thread.usage_cache_read + thread.usage_cache_write;
  }
  expect(tokens).toBe(check.totalTokensOnce);
  for (const [fork, parent] of Object.entries(check.forkOf)) {
    expect(threadOf(home, fork).parent_thread).toBe(threadOf(home, parent).id);
    expect(prompts(await transcript(home, threadOf(home, fork)))).toEqual(['Parent question one.', 'Parent question two.', 'Fork question.']);
  }
});

test('24a: a fork whose parent is not there keeps the copied part, marked as inherited', async () => {
  const copy = copyHome(path.join(folderOf('24a'), 'home'));
  fs.rmSync(path.join(copy, '.codex/sessions/2026/09/01'), { recursive: true });
  await using home = new HomeLedger(copy);
  await home.catchUp();
  const thread = threadsOf(home)[0] as ThreadRow;
  const entries = await transcript(home, thread);
  const own = entries.filter((entry) => entry.content.provenance.inherited !== true);
  expect(prompts(entries)).toEqual(['Parent question one.', 'Parent question two.', 'Fork question.']);
  expect(prompts(own)).toEqual(['Fork question.']);
  fs.rmSync(copy, { recursive: true });
});

interface Step {
  readonly op: 'ingest' | 'rename' | 'copy';
  readonly path?: string;
  readonly to?: string;
  readonly expectSessions?: number;
}

test('26: a thread that is archived, and that lies in both folders for a moment, stays one thread', async () => {
  const folder = folderOf('26');
  const copy = copyHome(folder);
  await using home = new HomeLedger(path.join(copy, 'home'));
  const steps = JSON.parse(fs.readFileSync(path.join(folder, 'steps.json'), 'utf8')) as readonly Step[];
  const moved = '019f2734-ce80-7276-995a-94dfcd12a506';
  const archived: (number | undefined)[] = [];
  for (const step of steps) {
    const [from, to] = [path.join(copy, step.path ?? ''), path.join(copy, step.to ?? '')];
    if (step.op === 'rename') fs.renameSync(from, to);
    else if (step.op === 'copy') fs.cpSync(from, to);
    else {
      await home.catchUp();
      expect(threadsOf(home).length).toBe(step.expectSessions);
      archived.push(threadOf(home, moved).archived);
      expect(prompts(await transcript(home, threadOf(home, moved)))).toEqual(['Old thread.', 'Resumed two months later.']);
    }
  }
  expect(archived).toEqual([0, 1, 0]);
  expect(threadOf(home, '019fc6d9-f280-774f-8b9e-36e38b2341f0').archived).toBe(1);
  fs.rmSync(copy, { recursive: true });
});

test('27: the spelling of a Windows path is kept as Codex writes it', async () => {
  await using home = await read('27');
  expect(threadsOf(home).map((thread) => thread.cwd)).toEqual(['C:/Users/dev/harbor-app']);
});

test('32: what the provider sealed is nowhere in the ledger as text', async () => {
  await using home = await read('32');
  const thread = threadsOf(home)[0] as ThreadRow;
  const entries = await transcript(home, thread);
  const reasoning = entries.flatMap((entry) => (entry.kind === 'assistant' ? entry.content.content.filter((block) => block.type === 'thinking') : []));
  expect(reasoning).toEqual([{ type: 'thinking', thinking: 'short summary' }]);
  expect(JSON.stringify(entries)).not.toContain('gAAAAA');
});

test('47: only growth of the cumulative total counts, and a drop begins a new base', async () => {
  await using home = await read('47');
  const { usageOnce } = checkOf('47') as { usageOnce: { input: number; cachedInput: number; output: number } };
  const thread = threadsOf(home)[0] as ThreadRow;
  expect(thread.usage_input + thread.usage_cache_read).toBe(usageOnce.input);
  expect(thread.usage_cache_read).toBe(usageOnce.cachedInput);
  expect(thread.usage_output).toBe(usageOnce.output);
});

test('49: the copies in a compaction are no second prompts, and sealed items are marks', async () => {
  await using home = await read('49');
  expect(threadsOf(home).length).toBe(checkOf('49')['sessions']);
  const entries = await transcript(home, threadOf(home, '01a08a8b-9a80-70ba-90d3-3473f57f7df1'));
  expect(prompts(entries)).toEqual(['Original question.', 'Next question.']);
  expect(answers(entries)).toEqual(['Original answer.', 'Next answer.']);
  const summaries = entries.flatMap((entry) => (entry.kind === 'summary' ? [entry.content] : []));
  expect(summaries.length).toBe(1);
  expect(summaries[0]?.messages?.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'thinking', thinking: '', redacted: true }] });
  expect(JSON.stringify(entries)).not.toContain('gAAAAA');
});

test('49: a rollout that begins with its compaction has the recovered prompt in it, as its title and in its context', async () => {
  await using home = await read('49');
  const thread = threadOf(home, '019fc1b3-9680-7ee0-95e5-4cbf9be15a8c');
  expect(prompts(await transcript(home, thread))).toEqual(['And the pier?']);
  expect(thread.title).toBe('Measure the quay.');
  const context = await contextOf(home.ledger, thread.session, thread.current_conversation);
  const spoken = context.flatMap(({ message }) => (message.role === 'user' ? [textOf(message.content)] : []));
  expect(spoken).toEqual(['Measure the quay.', 'Summary: the quay was measured.', 'And the pier?']);
});

test('49: when the agent rewrites a rollout to begin with the compaction, the ledger keeps what it had and repeats nothing', async () => {
  const copy = copyHome(path.join(folderOf('49'), 'home'));
  const id = '01a08a8b-9a80-70ba-90d3-3473f57f7df1';
  const file = path.join(copy, `.codex/sessions/2026/09/10/rollout-2026-09-10T09-00-00-${id}.jsonl`);
  await using home = new HomeLedger(copy);
  await home.catchUp();
  const before = await transcript(home, threadOf(home, id));
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const compaction = lines.findIndex((line) => line.includes('"type":"compacted"'));
  fs.writeFileSync(file, [lines[0], ...lines.slice(compaction)].join('\n'));
  await home.catchUp();
  // The model is said again where the file now says it first.
  const after = (await transcript(home, threadOf(home, id))).filter((entry) => entry.kind !== 'setting');
  expect(after).toEqual(before.filter((entry) => entry.kind !== 'setting'));
  expect(threadsOf(home).length).toBe(2);
  fs.rmSync(copy, { recursive: true });
});

test('59: a repeated and a missing ordinal lose nothing, and the order is that of the file', async () => {
  await using home = await read('59');
  const check = checkOf('59');
  expect(threadsOf(home).length).toBe(check['sessions']);
  const entries = await transcript(home, threadsOf(home)[0] as ThreadRow);
  expect(prompts(entries)).toEqual(['First.', 'Second.']);
  expect(answers(entries)).toEqual(['One.', 'Two.']);
  expect([prompts(entries).length, answers(entries).length]).toEqual([check['humanPrompts'], check['assistantMessages']]);
});
