/** A session that lost its thread with a hand-over and is gone on with all the same: shown, never merged, ended by the person. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { endConflict } from '../../server/drive/conflict.ts';
import { leaseOf } from '../../server/drive/handoff.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { CommandContext } from '../../server/main/commands/command.ts';
import { leaseChecks } from '../../server/main/commands/doctor-leases.ts';
import { threadsCommand } from '../../server/main/commands/threads.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { threadView } from '../../server/main/thread-view.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';
import { goesOn, played } from './goes-on.ts';
import type { Played } from './goes-on.ts';
import { handOver, id } from './hand-over.ts';
import { ledgerOf, threadOf } from './read-home.ts';

const later = Date.UTC(2026, 11, 1);
const viewOf = (home: HomeLedger) => threadView(home.ledger, threadOf(home), new Map());
const claudeFile = ({ home }: HomeLedger): string => path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`);

function goesOnInClaude(home: HomeLedger, prompt: string, at = later): void {
  goesOn('claude', { file: claudeFile(home), prompt, answer: `Answer: ${prompt}`, at });
}

async function saidIn({ ledger }: HomeLedger, session: string, conversation: number): Promise<readonly string[]> {
  return (await allEntries(ledger, session, conversation)).flatMap(textOf);
}

function textOf(entry: LedgerEntry): readonly string[] {
  if (entry.kind !== 'user' && entry.kind !== 'assistant') return [];
  return [entry.content.content.flatMap((part) => ('text' in part ? [part.text] : [])).join('')];
}

async function leaseValueOf(home: HomeLedger) {
  const row = threadOf(home);
  return (await home.ledger.engine(row.session)).value(leaseOf(row.id)).get();
}

/** Carried to Codex, and gone on with in Claude Code. */
async function inConflict(): Promise<HomeLedger> {
  const home = await ledgerOf();
  await handOver(home, {});
  goesOnInClaude(home, 'Paint it blue.');
  await home.catchUp();
  return home;
}

test('what the old session writes after a hand-over is a conflict on a branch of its own; the thread stays where it was carried to', async () => {
  await using home = await ledgerOf();
  await handOver(home, {});
  const before = threadOf(home);
  expect(viewOf(home).conflict).toBeNull();
  goesOnInClaude(home, 'Paint it blue.');
  await home.catchUp();

  const row = threadOf(home);
  const { conflict, lease, harness } = viewOf(home);
  expect(row).toMatchObject({
    current_native: before.current_native,
    current_conversation: before.current_conversation,
    current_entry: null,
    last_turn: before.last_turn,
    turns: before.turns + 1,
  });
  expect({ harness, lease }).toMatchObject({ harness: 'codex', lease: { epoch: 1, holder: 'codex' } });
  expect(conflict).toEqual({
    harness: 'claude',
    nativeId: id,
    conversation: expect.any(Number) as number,
    entries: 2,
    since: later,
  });
  expect(conflict?.conversation).not.toBe(row.current_conversation);
  expect(await saidIn(home, row.session, conflict?.conversation ?? 0)).toContain('Paint it blue.');
  expect((await saidIn(home, row.session, row.current_conversation)).join('\n')).not.toContain('Paint it blue.');
  const given = await contextOf(home.ledger, row.session, row.current_conversation);
  expect(JSON.stringify(given)).not.toContain('Paint it blue.');
});

test('a conflict grows with what the session goes on to write, and stays one', async () => {
  await using home = await inConflict();
  const first = viewOf(home).conflict;
  goesOnInClaude(home, 'And the door red.', later + 1000);
  await home.catchUp();
  expect(viewOf(home).conflict).toEqual({ ...first, entries: 4 });
  expect(home.ledger.conflicts?.allOpen()).toHaveLength(1);
});

test('a conflict is seen by the next owner too, when Loom was off while the session went on', async () => {
  const first = await ledgerOf();
  await handOver(first, {});
  await first[Symbol.asyncDispose]();
  goesOnInClaude(first, 'Paint it blue.');
  await using home = new HomeLedger(first.home, {}, 'linux', { folder: first.folder });
  await home.catchUp();
  expect(viewOf(home)).toMatchObject({ harness: 'codex', conflict: { harness: 'claude', entries: 2 } });
});

test('what comes late without anybody doing anything is no conflict', async () => {
  await using home = await ledgerOf();
  await handOver(home, {});
  const rows = [
    { type: 'custom-title', customTitle: 'The cart', sessionId: id },
    {
      type: 'system',
      subtype: 'turn_duration',
      durationMs: 1000,
      uuid: '0eeeeeee-0000-4000-8000-000000000001',
      parentUuid: '00000000-0000-4000-8000-000000000001',
      sessionId: id,
      timestamp: new Date(later).toISOString(),
    },
  ];
  fs.appendFileSync(claudeFile(home), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const report = await home.catchUp();
  expect(report.records).toBe(2);
  expect(report.entries).toBeGreaterThan(0);
  expect(viewOf(home)).toMatchObject({ harness: 'codex', conflict: null });
  expect(threadOf(home).last_turn).toBeNull();
});

test('a person who keeps the thread where it is ends the conflict, and what the old session writes then is a new one', async () => {
  await using home = await inConflict();
  const before = threadOf(home);
  expect(await endConflict(home.ledger, before, 'keep', later + 5000)).toBeUndefined();
  expect(threadOf(home)).toEqual(before);
  expect(viewOf(home)).toMatchObject({ conflict: null, lease: { epoch: 1, holder: 'codex' } });
  // Its branch stays, to be read.
  expect(home.ledger.branches.bySession(before.session)).toHaveLength(2);
  goesOnInClaude(home, 'And the door red.', later + 9000);
  await home.catchUp();
  expect(viewOf(home).conflict).toMatchObject({ entries: 2, since: later + 9000 });
});

test('a person who follows the old session gives it the lease and makes its branch the current one', async () => {
  await using home = await inConflict();
  const codex = threadOf(home).current_native ?? 0;
  const { conflict } = viewOf(home);
  expect(await endConflict(home.ledger, threadOf(home), 'follow', later + 5000)).toEqual({ epoch: 2, holder: 'claude' });
  const row = threadOf(home);
  expect(row).toMatchObject({ harness: 'claude', current_conversation: conflict?.conversation, lease_epoch: 2 });
  expect(await leaseValueOf(home)).toEqual({ epoch: 2, holder: 'claude' });
  expect(viewOf(home)).toMatchObject({ conflict: null, lease: { epoch: 2, holder: 'claude', since: later + 5000 } });
  // It goes on as the thread, and the other one has lost it.
  goesOnInClaude(home, 'And the door red.', later + 6000);
  await home.catchUp();
  expect(threadOf(home)).toMatchObject({ harness: 'claude', current_conversation: conflict?.conversation });
  expect(viewOf(home).conflict).toBeNull();
  goesOn('codex', {
    file: home.ledger.natives.byNumber(codex)?.path ?? '',
    prompt: 'Paint it green.',
    answer: 'Green.',
    at: later + 7000,
  });
  await home.catchUp();
  expect(viewOf(home)).toMatchObject({ harness: 'claude', conflict: { harness: 'codex', since: later + 7000 } });
});

test('a thread that was followed can be carried again, with what was followed and without what was left', async () => {
  await using home = await inConflict();
  await endConflict(home.ledger, threadOf(home), 'follow', later + 5000);
  const result = await handOver(home, { harness: 'codex' });
  expect(result.lease).toEqual({ epoch: 3, holder: 'codex' });
  expect(fs.readFileSync(result.path, 'utf8')).toContain('Paint it blue.');
});

test('of two conflicts the first is shown until it has ended, then the other', async () => {
  await using home = await ledgerOf();
  const codex = await handOver(home, {});
  await handOver(home, { harness: 'claude' });
  goesOnInClaude(home, 'Paint it blue.');
  await home.catchUp();
  goesOn('codex', { file: codex.path, prompt: 'Paint it green.', answer: 'Green.', at: later + 1000 });
  await home.catchUp();
  expect(viewOf(home).conflict).toMatchObject({ harness: 'claude', nativeId: id });
  await endConflict(home.ledger, threadOf(home), 'keep', later + 2000);
  expect(viewOf(home).conflict).toMatchObject({ harness: 'codex', nativeId: codex.nativeId });
  await endConflict(home.ledger, threadOf(home), 'keep', later + 3000);
  expect(viewOf(home).conflict).toBeNull();
  expect(await endConflict(home.ledger, threadOf(home), 'follow', later + 4000)).toBeUndefined();
  expect(viewOf(home).lease).toMatchObject({ epoch: 2 });
});

test('a hand-over to the harness of a conflict ends it, one to another harness does not', async () => {
  await using home = await inConflict();
  await handOver(home, { harness: 'codex', force: true });
  expect(viewOf(home).conflict).toMatchObject({ harness: 'claude' });
  await handOver(home, { harness: 'claude' });
  expect(viewOf(home).conflict).toBeNull();
});

test('after the way back the session drives the thread again, and what the one that had it meanwhile writes is a conflict', async () => {
  await using home = await ledgerOf();
  const codex = await handOver(home, {});
  goesOn('codex', { file: codex.path, prompt: 'Paint it green.', answer: 'Green.', at: later });
  await home.catchUp();
  const back = await handOver(home, { harness: 'claude', mode: 'return' });
  expect(back).toMatchObject({ mode: 'return', nativeId: id, path: claudeFile(home), lease: { epoch: 2, holder: 'claude' } });
  goesOnInClaude(home, 'And the door red.', later + 1000);
  await home.catchUp();
  expect(viewOf(home)).toMatchObject({ harness: 'claude', conflict: null, lease: { epoch: 2, holder: 'claude' } });
  const row = threadOf(home);
  const said = await saidIn(home, row.session, row.current_conversation);
  expect(said.filter((text) => /^(?:Paint it green|And the door red)\.$/u.test(text))).toHaveLength(2);
  goesOn('codex', { file: codex.path, prompt: 'And the roof.', answer: 'Yes.', at: later + 2000 });
  await home.catchUp();
  expect(viewOf(home)).toMatchObject({ harness: 'claude', conflict: { harness: 'codex', entries: 3 } });
  expect(home.ledger.leases?.of(row.number).map(({ harness, turns }) => [harness, turns])).toEqual([
    ['claude', 1],
    ['codex', 1],
    ['claude', 1],
  ]);
});

test('loom threads and loom doctor tell of a conflict', async () => {
  await using home = await inConflict();
  const lines: string[] = [];
  await threadsCommand.run({
    parsed: { command: 'threads', positionals: [], options: {} },
    terminal: { line: (line: string) => lines.push(line), width: 200 },
    environment: environmentOf(home.home, {}, 'linux'),
    ledger: home.ledger,
    now: () => later,
  } as unknown as CommandContext);
  expect(lines).toEqual([expect.stringMatching(/Claude Code → Codex .*held by Codex, conflict: Claude Code went on$/u)]);
  const { id: thread } = threadOf(home);
  expect(leaseChecks(home.ledger)).toMatchObject([
    { ok: false, detail: `1 thread has changed hands; in conflict: ${thread} (Claude Code went on with 2 entries)` },
  ]);
  await endConflict(home.ledger, threadOf(home), 'keep', later);
  expect(leaseChecks(home.ledger)).toMatchObject([{ ok: true, detail: '1 thread has changed hands; none is in conflict' }]);
});

const writers = played.filter((harness) =>
  shuttles.some((shuttle) => shuttle.harness === harness && !('absent' in shuttle.write)),
);
const pairs = writers.flatMap((from) => writers.filter((to) => to !== from).map((to): [Played, Played] => [from, to]));

test.for(pairs)('a thread that was carried from %s to %s stays there when the first one is gone on with', async ([from, to]) => {
  await using home = await ledgerOf();
  const first = from === 'claude' ? claudeFile(home) : (await handOver(home, { harness: from })).path;
  const written = await handOver(home, { harness: to });
  const before = threadOf(home);
  goesOn(from, { file: first, prompt: 'Paint it blue.', answer: 'Blue.', at: later });
  goesOn(to, { file: written.path, prompt: 'Paint it green.', answer: 'Green.', at: later + 1000 });
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const row = threadOf(home);
  const view = viewOf(home);
  expect(row).toMatchObject({ harness: to, current_conversation: before.current_conversation, turns: before.turns + 2 });
  expect(view.conflict, harnessNames[from]).toMatchObject({ harness: from });
  const main = (await saidIn(home, row.session, row.current_conversation)).join('\n');
  const branch = (await saidIn(home, row.session, view.conflict?.conversation ?? 0)).join('\n');
  expect(main).toContain('Paint it green.');
  expect(main).not.toContain('Paint it blue.');
  expect(branch).toContain('Paint it blue.');
  expect(branch).not.toContain('Paint it green.');
  expect(home.ledger.threads.count()).toBe(1);
});
