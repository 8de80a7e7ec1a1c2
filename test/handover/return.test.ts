/** A thread that goes back to the session that it was in before: only what is new is put behind that session's end, and it goes on there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { continueThread } from '../../server/drive/continue.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import type { ContinueResult } from '../../server/protocol/requests.ts';
import type { Holder } from '../../shuttles/contract/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { Restored, sha256Of } from '../ingest/archive-home.ts';
import { goesOn } from './goes-on.ts';
import type { Played } from './goes-on.ts';
import { dependencies, handOver, id, paramsOf } from './hand-over.ts';
import { ledgerOf, statusesOf, threadOf } from './read-home.ts';

const later = Date.UTC(2026, 11, 1);
const claudeFile = ({ home }: HomeLedger): string => path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`);

/** With Codex, where it went on. */
async function awayFrom(home: HomeLedger, words = 'Add the tax.'): Promise<ContinueResult> {
  const away = await handOver(home, {});
  await wentOn(home, 'codex', away.path, words, later);
  return away;
}

async function wentOn(home: HomeLedger, harness: Played, file: string, words: string, at: number): Promise<void> {
  goesOn(harness, { file, prompt: words, answer: `Done: ${words}`, at });
  await home.catchUp();
}

async function contextText(home: HomeLedger): Promise<string> {
  const row = threadOf(home);
  const context = await contextOf(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return JSON.stringify(context.map(({ message }) => message.content));
}

const times = (text: string, words: string): number => text.split(words).length - 1;

test('only what is new goes to the end of the session that the thread was in before', async () => {
  await using home = await ledgerOf();
  const before = fs.readFileSync(claudeFile(home));
  await awayFrom(home);
  const back = await handOver(home, { harness: 'claude', mode: null });
  expect(back).toMatchObject({ mode: 'return', nativeId: id, path: claudeFile(home), lease: { epoch: 2, holder: 'claude' } });
  expect(back.command.argv).toEqual(['claude', '--resume', id]);
  const after = fs.readFileSync(claudeFile(home));
  expect(Buffer.compare(after.subarray(0, before.length), before)).toBe(0);
  const added = after.subarray(before.length).toString();
  expect(times(added, '"Done: Add the tax."')).toBe(1);
  expect(added).not.toContain('"Built."');
  const thread = threadOf(home);
  expect(thread).toMatchObject({ harness: 'claude', lease_epoch: 2 });
  expect(home.ledger.natives.byNumber(thread.current_native ?? 0)?.native_id).toBe(id);
  expect(await statusesOf(home)).toEqual(['done', 'done']);
  expect(await home.catchUp()).toMatchObject({ entries: 0, threads: 1 });
});

test('what the harness writes behind that goes on with the thread, and nothing is told twice', async () => {
  await using home = await ledgerOf();
  await awayFrom(home);
  await handOver(home, { harness: 'claude', mode: null });
  const { current_conversation: conversation } = threadOf(home);
  await wentOn(home, 'claude', claudeFile(home), 'Round it up.', later + 60_000);
  expect(threadOf(home)).toMatchObject({ harness: 'claude', current_conversation: conversation, turns: 3 });
  expect(home.ledger.threads.count()).toBe(1);
  const context = await contextText(home);
  for (const words of ['"Build the cart."', '"Built."', '"Add the tax."', '"Done: Add the tax."', '"Done: Round it up."'])
    expect(times(context, words), words).toBe(1);
});

test('a thread goes to and fro between two sessions, each with what it does not have yet', async () => {
  await using home = await ledgerOf();
  const away = await awayFrom(home);
  await handOver(home, { harness: 'claude', mode: null });
  await wentOn(home, 'claude', claudeFile(home), 'Round it up.', later + 60_000);
  const size = fs.statSync(away.path).size;
  const again = await handOver(home, { harness: 'codex', mode: null });
  expect(again).toMatchObject({ mode: 'return', path: away.path, lease: { epoch: 3, holder: 'codex' } });
  const added = fs.readFileSync(away.path).subarray(size).toString();
  expect(added).toContain('Done: Round it up.');
  expect(added).not.toContain('"Done: Add the tax."');
  await wentOn(home, 'codex', away.path, 'Print it.', later + 120_000);
  const back = await handOver(home, { harness: 'claude', mode: null });
  expect(back.mode).toBe('return');
  await wentOn(home, 'claude', claudeFile(home), 'Ship it.', later + 180_000);
  const context = await contextText(home);
  for (const words of ['Build the cart.', 'Add the tax.', 'Round it up.', 'Print it.', 'Ship it.'])
    expect(times(context, `"${words}"`), words).toBe(1);
  expect(home.ledger.threads.count()).toBe(1);
  expect(home.ledger.natives.byThread(threadOf(home).number)).toHaveLength(2);
});

test('what was put behind the end is in the archive, with all that stood before it', async () => {
  await using home = await ledgerOf();
  await awayFrom(home);
  await handOver(home, { harness: 'claude', mode: null });
  await wentOn(home, 'claude', claudeFile(home), 'Round it up.', later + 60_000);
  const whole = sha256Of(claudeFile(home));
  fs.rmSync(claudeFile(home));
  using back = new Restored(home.ledger, home.home);
  expect(back.files.get(claudeFile(home))).toBe(whole);
});

test('a session that is read again from its beginning tells nothing twice, neither what was its own nor what Loom had put there', async () => {
  await using home = await ledgerOf();
  const away = await awayFrom(home);
  await handOver(home, { harness: 'claude', mode: null });
  await wentOn(home, 'claude', claudeFile(home), 'Round it up.', later + 60_000);
  await handOver(home, { harness: 'codex', mode: null });
  await wentOn(home, 'codex', away.path, 'Print it.', later + 120_000);
  const was = threadOf(home);
  for (const file of [claudeFile(home), away.path]) {
    const bytes = fs.readFileSync(file);
    fs.rmSync(file);
    fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, 1), bytes.subarray(1)]));
    fs.utimesSync(file, later / 1000, later / 1000);
    const source = home.ledger.sources.byPath(file);
    if (source !== undefined) home.ledger.sources.update({ ...source, offset: 0, fingerprint: '', state: 'null' });
  }
  const report = await home.catchUp();
  expect(report).toMatchObject({ entries: 0, threads: 1 });
  expect(report.records).toBeGreaterThan(10);
  expect(threadOf(home)).toMatchObject({
    current_conversation: was.current_conversation,
    turns: was.turns,
    entries: was.entries,
  });
});

test('a thread that was carried by mistake goes back with nothing but the packet', async () => {
  await using home = await ledgerOf();
  await handOver(home, {});
  const back = await handOver(home, { harness: 'claude', mode: null });
  expect(back).toMatchObject({ mode: 'return', disclosure: { messages: 0 } });
  await wentOn(home, 'claude', claudeFile(home), 'Go on.', later);
  expect(times(await contextText(home), '"Build the cart."')).toBe(1);
});

const open: Holder = { nativeId: id, pid: 4711, activity: 'idle', evidence: 'its registry entry' };

interface Unfit {
  readonly why: string;
  readonly said: RegExp;
  readonly make: (file: string, home: HomeLedger) => void | Promise<void>;
  readonly holders?: readonly Holder[];
}
const unfit: readonly Unfit[] = [
  { why: 'is open', said: /open in process 4711/u, make: () => undefined, holders: [open] },
  {
    why: 'is gone',
    said: /is gone \(.*\): put it back first, with Restore or `loom restore-native --in-place`/u,
    make: (file) => fs.rmSync(file),
  },
  {
    why: 'was written to and not read',
    said: /was written to since it was read: wait a moment, and try again/u,
    make: (file) => fs.appendFileSync(file, '{}\n'),
  },
  {
    why: 'was replaced by one of the same length',
    said: /was written to since it was read/u,
    make: (file) => {
      const bytes = fs.readFileSync(file);
      fs.rmSync(file);
      fs.writeFileSync(file, bytes);
    },
  },
  {
    why: 'ends in the middle of a record',
    said: /ends in a line that is not finished: wait until its agent is done with it/u,
    make: async (file, home) => {
      fs.appendFileSync(file, '{"type":"user"');
      await home.catchUp();
    },
  },
  {
    why: 'is reached by a link that leads elsewhere',
    said: /is not written to \(.*\): put the file itself in its place, and no link/u,
    make: (file) => {
      const elsewhere = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-elsewhere-')), 'session.jsonl');
      onTestFinished(() => fs.rmSync(path.dirname(elsewhere), { recursive: true }));
      fs.renameSync(file, elsewhere);
      fs.symlinkSync(elsewhere, file);
    },
  },
  {
    why: 'was gone on with after the thread had left it',
    said: /does not stand where the thread left it/u,
    make: (file, home) => wentOn(home, 'claude', file, 'Meanwhile here.', later + 1000),
  },
];

for (const { why, said, make, holders = [] } of unfit)
  test(`a thread does not go back to a session that ${why}: into a new one, and that is said, or it is refused`, async () => {
    await using home = await ledgerOf();
    await awayFrom(home);
    await make(claudeFile(home), home);
    const was = fs.existsSync(claudeFile(home)) ? fs.readFileSync(claudeFile(home)) : undefined;
    const deps = { ...dependencies(home), holders: (_: string, native: string) => (native === id ? holders : []) };
    const asked = { harness: 'claude', mode: 'return' } as const;
    await expect(continueThread(paramsOf(asked), deps)).rejects.toMatchObject({
      id: 'C011',
      detail: expect.stringMatching(said) as string,
    });
    const result = await continueThread(paramsOf({ harness: 'claude', mode: null }), deps);
    expect(result.mode).toBe('native');
    expect(result.warnings.join(' ')).toMatch(said);
    if (was !== undefined) expect(fs.readFileSync(claudeFile(home))).toEqual(was);
  });

test('bytes of a writer that do not read back as what was sent are not written: into a new session, or it is refused', async () => {
  await using home = await ledgerOf();
  await awayFrom(home);
  const was = fs.readFileSync(claudeFile(home));
  const bad = (text: string): typeof shuttles =>
    shuttles.map((shuttle) =>
      shuttle.harness !== 'claude' || 'absent' in shuttle.write
        ? shuttle
        : {
            ...shuttle,
            write: { ...shuttle.write, append: { append: () => ({ ok: true, bytes: Buffer.from(text), warnings: [] }) } },
          },
    );
  const first = was.toString().split('\n')[0] ?? '';
  for (const [text, said] of [
    ['{"type":"user"', /not ended/u],
    [`${first}\n`, /not the hand-over|no prompt|there already/u],
    ['no record\n', /not understood/u],
  ] as const) {
    const deps = { ...dependencies(home), shuttles: bad(text) };
    const asked = { harness: 'claude', mode: 'return' } as const;
    await expect(continueThread(paramsOf(asked), deps)).rejects.toMatchObject({
      id: 'C006',
      detail: expect.stringMatching(said) as string,
    });
    const planned = await continueThread(paramsOf({ harness: 'claude', mode: null, dryRun: true }), deps);
    expect(planned.mode).toBe('native');
    expect(planned.warnings.join(' ')).toMatch(said);
  }
  expect(fs.readFileSync(claudeFile(home)).equals(was)).toBe(true);
});

test('a thread that was never in that harness has no session to go back to', async () => {
  await using home = await ledgerOf();
  await expect(handOver(home, { mode: 'return' })).rejects.toMatchObject({ id: 'C011' });
  expect((await handOver(home, { mode: null })).mode).toBe('native');
});

test('a session that is written to while it is gone back to is refused, and what was written there stays', async () => {
  await using home = await ledgerOf({
    onStep: (step) => {
      if (step === 'intended' && armed) fs.appendFileSync(claudeFile(home), '{"type":"custom"}\n');
    },
  });
  let armed = false;
  await awayFrom(home);
  armed = true;
  const was = fs.readFileSync(claudeFile(home), 'utf8');
  await expect(handOver(home, { harness: 'claude', mode: 'return' })).rejects.toMatchObject({ id: 'C009' });
  expect(fs.readFileSync(claudeFile(home), 'utf8')).toBe(`${was}{"type":"custom"}\n`);
  // What is not Loom's is not taken away: the session is the harness's own again.
  expect(await statusesOf(home)).toEqual(['done', 'abandoned']);
  expect(threadOf(home)).toMatchObject({ harness: 'codex', lease_epoch: 1 });
  expect(home.ledger.handoffs.pending()).toEqual([]);
});
