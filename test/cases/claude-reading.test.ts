/**
 * Public reports of faults in programs that read Claude Code's files, as small homes: what `case.json` says must hold is
 * asserted over a ledger that the real ingest built. Each test names its case.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { search } from '../../server/ledger/search.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Machine } from '../../shuttles/contract/shuttle.ts';
import { claudeShuttle } from '../../shuttles/claude/shuttle.ts';
import { claudeWrite } from '../../shuttles/claude/write.ts';
import { cases, copyHome, HomeLedger } from '../home-ledger.ts';

interface Case {
  readonly folder: string;
  readonly check: Readonly<Record<string, unknown>>;
}

function caseOf(number: string): Case {
  const name = fs.readdirSync(cases).find((folder) => folder.startsWith(`${number}-`));
  if (name === undefined) throw new Error(`no case ${number}`);
  const folder = path.join(cases, name);
  return {
    folder,
    check: (JSON.parse(fs.readFileSync(path.join(folder, 'case.json'), 'utf8')) as { check: Case['check'] }).check,
  };
}

async function ledgerOf(number: string): Promise<{ home: HomeLedger; check: Case['check'] }> {
  const { folder, check } = caseOf(number);
  const home = new HomeLedger(path.join(folder, 'home'));
  await home.catchUp();
  expect(home.faults).toEqual([]);
  return { home, check };
}

/** Rows of the list that come from Claude Code. */
function threads(home: HomeLedger): readonly ThreadRow[] {
  return home.ledger.threads.newest(100).filter((row) => row.harness === 'claude' && row.child === 0);
}
function only(home: HomeLedger): ThreadRow {
  const [row, ...others] = threads(home);
  if (row === undefined || others.length > 0) throw new Error(`one thread was expected, not ${threads(home).length}`);
  return row;
}

/** Every entry of the thread's conversations, each once; those of subagents are not among them. */
async function entries(home: HomeLedger, row: ThreadRow): Promise<readonly LedgerEntry[]> {
  const natives = home.ledger.natives.byThread(row.number).filter((native) => native.child_of === null);
  const seen = new Map<number, LedgerEntry>();
  for (const native of natives)
    for (const branch of home.ledger.branches.byNative(native.number))
      for (const entry of await allEntries(home.ledger, row.session, branch.conversation)) seen.set(entry.id, entry);
  return [...seen.values()].toSorted((a, b) => a.id - b.id);
}

function textOf(entry: LedgerEntry): string {
  if (entry.kind !== 'user' && entry.kind !== 'assistant' && entry.kind !== 'tool_result') return '';
  return entry.content.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
function prompts(all: readonly LedgerEntry[]): readonly string[] {
  return all.filter((entry) => entry.kind === 'user' && ['typed', 'queued', 'chat'].includes(entry.content.origin)).map(textOf);
}
function calls(all: readonly LedgerEntry[]): readonly string[] {
  return all.flatMap((entry) =>
    entry.kind === 'assistant' ? entry.content.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])) : [],
  );
}
function results(all: readonly LedgerEntry[]): readonly string[] {
  return all.flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.toolCallId] : []));
}
function messages(all: readonly LedgerEntry[]): number {
  return all.filter((entry) => entry.kind === 'user' || entry.kind === 'assistant').length;
}

test('01: an answer in several records is one message, its blocks in order, its usage counted once', async () => {
  const { home, check } = await ledgerOf('01');
  await using _ = home;
  const row = only(home);
  const all = await entries(home, row);
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
  const context = await contextOf(home.ledger, row.session, row.current_conversation);
  const answers = context.filter(({ message }) => message.role === 'assistant');
  expect(answers).toHaveLength(check['apiMessages'] as number);
  expect(answers[0]?.message.content.map((block) => block.type)).toEqual(['thinking', 'text', 'toolCall']);
  expect([calls(all).length, results(all).length]).toEqual([check['toolCalls'], check['toolResultsPaired']]);
  expect({
    input: row.usage_input,
    cacheWrite: row.usage_cache_write,
    cacheRead: row.usage_cache_read,
    output: row.usage_output,
  }).toEqual(check['usageOnce']);
});

test('04: the files on the disk are the sessions, not a stale index', async () => {
  const { home, check } = await ledgerOf('04');
  await using _ = home;
  expect(threads(home)).toHaveLength(check['sessions'] as number);
});

test('05a: the project is the cwd in the records, although three share one folder name', async () => {
  const { home, check } = await ledgerOf('05a');
  await using _ = home;
  expect(threads(home)).toHaveLength(check['sessions'] as number);
  expect(
    threads(home)
      .map((row) => row.cwd)
      .toSorted(),
  ).toEqual((check['projects'] as string[]).toSorted());
});

test.each(['06', '62'])('%s: a line that is written in pieces is read once, when it is whole', async (number) => {
  const { folder, check } = caseOf(number);
  const copy = copyHome(folder);
  await using home = new HomeLedger(path.join(copy, 'home'));
  const steps = JSON.parse(fs.readFileSync(path.join(folder, 'steps.json'), 'utf8')) as readonly {
    op: string;
    expectMessages?: number;
    path?: string;
    from?: string;
  }[];
  for (const step of steps) {
    if (step.op === 'append')
      fs.appendFileSync(path.join(copy, step.path ?? ''), fs.readFileSync(path.join(folder, step.from ?? '')));
    // What the reader knows lies in the ledger: every pass begins from there, as after a restart.
    if (step.op !== 'ingest') continue;
    await home.catchUp();
    expect(messages(await entries(home, only(home)))).toBe(step.expectMessages);
  }
  const all = await entries(home, only(home));
  expect(messages(all)).toBe(check['finalMessages']);
  // What is torn at the end stands behind the cursor.
  const [source] = home.ledger.sources.all();
  expect((source?.size ?? 0) > (source?.offset ?? 0)).toBe(check['pendingTail'] === true);
  expect(all.filter((entry) => entry.kind === 'opaque')).toEqual([]);
  const text = all.map(textOf).join('\n');
  for (const part of (check['mustContain'] ?? []) as string[]) expect(text).toContain(part);
  for (const part of (check['mustNotContain'] ?? []) as string[]) expect(text).not.toContain(part);
  fs.rmSync(copy, { recursive: true });
});

test('07: a session is named by its title or by the first prompt that a person typed', async () => {
  const { home, check } = await ledgerOf('07');
  await using _ = home;
  expect(
    threads(home)
      .map((row) => row.title)
      .toSorted(),
  ).toEqual(['Caveat: rocks ahead. Draw a warning sign.', 'Green lighthouse door']);
  const all = (await Promise.all(threads(home).map((row) => entries(home, row)))).flat();
  expect(prompts(all).toSorted()).toEqual(['Caveat: rocks ahead. Draw a warning sign.', 'Paint the lighthouse door green.']);
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
});

test('09: subagents belong to their parent and to the very call, runs of a program are marked', async () => {
  const { home, check } = await ledgerOf('09');
  await using _ = home;
  const people = threads(home).filter((row) => row.automation === 0);
  expect(people).toHaveLength(check['topLevelSessions'] as number);
  expect(threads(home).filter((row) => row.automation === 1)).toHaveLength(check['automationSessions'] as number);
  const parents = check['parentOf'] as Record<string, string>;
  expect(Object.keys(parents)).toHaveLength(check['childSessions'] as number);
  for (const [child, parent] of Object.entries(parents)) {
    const native = home.ledger.natives.byNativeId('claude', child);
    expect(native?.child_of).toBe(home.ledger.natives.byNativeId('claude', parent)?.number);
  }
  expect(home.ledger.natives.byNativeId('claude', 'a1b2c3d4e5f60718')?.child_call).toBe('toolu_sub_1');
  const all = (await Promise.all(people.map((row) => entries(home, row)))).flat();
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
});

test('10: a compacted session is one chain; summaries are no prompts, what was before is still found', async () => {
  const { home, check } = await ledgerOf('10');
  await using _ = home;
  const row = only(home);
  const all = await entries(home, row);
  expect(home.ledger.branches.bySession(row.session)).toHaveLength(1);
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
  expect(all.filter((entry) => entry.kind === 'assistant')).toHaveLength(check['assistantMessages'] as number);
  expect(all.filter((entry) => entry.kind === 'summary')).toHaveLength(check['compactions'] as number);
  expect(search(home.ledger, { words: 'explain the crane', limit: 5 }).hits).toHaveLength(1);
  const context = await contextOf(home.ledger, row.session, row.current_conversation);
  expect(context.map(({ message }) => message.role)).toEqual(['user', 'user', 'assistant']);
});

test('11: every shape of content is accepted, an odd block is a marker', async () => {
  const { home, check } = await ledgerOf('11');
  await using _ = home;
  const all = await entries(home, only(home));
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
  expect(calls(all)).toHaveLength(check['toolCalls'] as number);
  expect(results(all).toSorted()).toEqual(calls(all).toSorted());
  expect(results(all)).toHaveLength(check['toolResultsPaired'] as number);
  for (const part of check['mustContain'] as string[]) expect(JSON.stringify(all)).toContain(part);
});

test('14: a call without a result is told as interrupted, and is answered when it is written out', async () => {
  const { home, check } = await ledgerOf('14');
  await using _ = home;
  const row = only(home);
  const all = await entries(home, row);
  const open = calls(all).filter((id) => !results(all).includes(id));
  expect(check['unpairedToolCalls']).toEqual(expect.arrayContaining([...open]));
  expect(open).toEqual(['toolu_d2']);
  expect(all.some((entry) => entry.kind === 'turn' && entry.content.phase === 'interrupted')).toBe(true);

  const context = await contextOf(home.ledger, row.session, row.current_conversation);
  const written = claudeWrite.write(
    {
      messages: context.map(({ message }) => message),
      baton: 'Baton.',
      title: 't',
      cwd: '/srv/demo/harbor-app',
      nativeId: 'aaaaaaaa-0000-4000-8000-000000000000',
      now: 0,
    },
    { platform: 'linux', home: '/home/user', variables: {} },
  );
  const rows = Buffer.from(written.bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { message?: { content: string | { type: string; id?: string; tool_use_id?: string }[] } });
  const at = rows.findIndex((one) => JSON.stringify(one).includes('"tool_use"'));
  const ids = (index: number, type: string): readonly string[] => {
    const content = rows[index]?.message?.content;
    return typeof content === 'object'
      ? content.filter((block) => block.type === type).map((block) => block.id ?? block.tool_use_id ?? '')
      : [];
  };
  expect(ids(at, 'tool_use')).toEqual(['toolu_d1', 'toolu_d2']);
  expect(ids(at + 1, 'tool_result')).toEqual(['toolu_d1', 'toolu_d2']);
});

test('15: two processes on one session made two branches, and both are named', async () => {
  const { home, check } = await ledgerOf('15');
  await using _ = home;
  const row = only(home);
  expect(home.ledger.branches.bySession(row.session)).toHaveLength(check['branches'] as number);
  expect(prompts(await entries(home, row))).toHaveLength(check['humanPrompts'] as number);
  const machine: Machine = {
    list: (folder) => fs.readdirSync(folder),
    text: (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined),
    isFile: () => true,
    processStart: () => '1',
    isLocked: () => undefined,
  };
  const { presence } = claudeShuttle;
  if (!('holders' in presence)) throw new Error('presence is absent');
  const holders = presence.holders({ platform: 'linux', home: home.home, variables: {} }, machine);
  expect(holders.map((holder) => holder.pid)).toEqual([40001, 40002]);
  expect(holders).toHaveLength(check['liveProcesses'] as number);
});

test('20: a queued prompt that was delivered is there once, one that was not is at most a notice', async () => {
  const { home, check } = await ledgerOf('20');
  await using _ = home;
  const all = await entries(home, only(home));
  expect(prompts(all).toSorted()).toEqual((check['humanPromptsExactlyOnce'] as string[]).toSorted());
  expect(
    all.flatMap((entry) => (entry.kind === 'notice' && entry.content.code === 'queued' ? [entry.content.text] : [])),
  ).toEqual(check['queuedWithoutDelivery']);
  for (const part of check['notHuman'] as string[]) expect(prompts(all).some((text) => text.includes(part))).toBe(false);
});

test('25a: a file with several session ids is one session, named by the file', async () => {
  const { home, check } = await ledgerOf('25a');
  await using _ = home;
  const row = only(home);
  expect(home.ledger.natives.byThread(row.number).map((native) => native.native_id)).toEqual([
    'd97e8449-4d80-40f9-9ad3-9b5c0c33c42b',
  ]);
  const all = await entries(home, row);
  expect(prompts(all)).toHaveLength(check['humanPrompts'] as number);
  expect(all.filter((entry) => entry.kind === 'assistant')).toHaveLength(check['assistantMessages'] as number);
});

test('27: the spelling of a Windows folder is kept as each session wrote it', async () => {
  const { home } = await ledgerOf('27');
  await using _ = home;
  const spelled = threads(home).map((row) => row.cwd);
  expect(spelled.toSorted()).toEqual(
    ['/mnt/c/Users/dev/harbor-app', 'C:\\Users\\dev\\harbor-app', 'c:\\Users\\dev\\harbor-app'].toSorted(),
  );
});

test('29: markup in a transcript is text, kept as it was written', async () => {
  const { home } = await ledgerOf('29');
  await using _ = home;
  const row = only(home);
  expect(row.title).toBe('"><img src=x onerror=window.__pwn=7>');
  const all = await entries(home, row);
  expect(prompts(all)[0]).toContain('<script>window.__pwn=2</script>');
  expect(all.map(textOf).join('\n')).toContain('[click](javascript:window.__pwn=3)');
});

test('45: parallel results go to their calls by id, a second use of an id to its nearest call', async () => {
  const { home, check } = await ledgerOf('45');
  await using _ = home;
  const row = only(home);
  const context = await contextOf(home.ledger, row.session, row.current_conversation);
  const pairs = context.flatMap(({ message }) =>
    message.role === 'toolResult'
      ? [[message.toolCallId, message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')]]
      : [],
  );
  const wanted = Object.entries(check['pairs'] as Record<string, string>).filter(([id]) => id.startsWith('toolu_'));
  expect(pairs).toEqual([...wanted, ['toolu_p1', check['secondUseOfSameId']]]);
});

test('60: what can be saved of a damaged file is there, the damage is reported with its place', async () => {
  const { home, check } = await ledgerOf('60');
  await using _ = home;
  const row = only(home);
  const all = await entries(home, row);
  expect(messages(all)).toBe(check['recovered']);
  const text = all.map(textOf).join('\n');
  for (const part of check['mustContain'] as string[]) expect(text).toContain(part);
  for (const part of check['mustNotContain'] as string[]) expect(JSON.stringify(all)).not.toContain(part);
  expect(home.ledger.warnings.count()).toBeGreaterThan(0);
  // The record that was cut is named with its place: there stands what is left of it.
  const damaged = all.flatMap((entry) => (entry.kind === 'opaque' && entry.content.damaged === true ? [entry.content.provenance] : []));
  const source = home.ledger.sources.all()[0];
  const bytes = fs.readFileSync(source?.path ?? '');
  const cut = damaged.map(({ offset, length }) => bytes.subarray(offset, offset + length).toString('utf8'));
  expect(cut.filter((piece) => piece.includes('"type":') || piece.includes('"uuid"'))).toHaveLength(check['lostRecords'] as number);
  expect(home.ledger.branches.bySession(row.session)).toHaveLength(1);
});

test('67: Claude Desktop’s sessions have their titles and projects, and the audit log is no session', async () => {
  const { home, check } = await ledgerOf('67');
  await using _ = home;
  expect(threads(home)).toHaveLength(check['sessions'] as number);
  expect(
    threads(home)
      .map((row) => row.title)
      .toSorted(),
  ).toEqual((check['titles'] as string[]).toSorted());
  const receipts = threads(home).find((row) => row.title === 'Receipts');
  expect(receipts).toMatchObject({ cwd: '/home/dev/receipts', surface: 'cowork' });
  expect(prompts(receipts === undefined ? [] : await entries(home, receipts))).toEqual(['Sort the receipts.']);
});

test('71a: ids in records are claims; the session keeps the id of its file', async () => {
  const { home } = await ledgerOf('71a');
  await using _ = home;
  const row = only(home);
  expect(home.ledger.natives.byThread(row.number).map((native) => native.native_id)).toEqual([
    '11111111-2222-4333-8444-555555555555',
  ]);
  expect(prompts(await entries(home, row))).toEqual(['Hello from an odd id.']);
});

test('72: a session belongs to the real path that it was held in, and is written below that path’s folder', async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-link-')));
  execFileSync('sh', [path.join(caseOf('72').folder, 'setup.sh'), folder]);
  await using home = new HomeLedger(path.join(folder, 'home'));
  await home.catchUp();
  const real = path.join(folder, 'real', 'harbor-app');
  expect(only(home).cwd).toBe(real);
  const written = claudeWrite.write(
    { messages: [], baton: 'Baton.', title: 't', cwd: real, nativeId: 'aaaaaaaa-0000-4000-8000-000000000000', now: 0 },
    { platform: 'linux', home: path.join(folder, 'home'), variables: {} },
  );
  expect(fs.existsSync(path.dirname(written.path))).toBe(true);
  fs.rmSync(folder, { recursive: true });
});
