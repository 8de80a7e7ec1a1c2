/** A hand-over by prompt: the baton as a file, a few words that name it, and the session that the harness begins from them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { continueThread } from '../../server/drive/continue.ts';
import { contextOf, allEntries } from '../../server/ledger/transcript.ts';
import type { ContinueParams, ContinueResult } from '../../server/protocol/requests.ts';
import { answer as answered, AntigravityHome, prompt as asked } from '../antigravity-home.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { claudeSession, codexSession, openclawSession } from './begun-session.ts';
import { goesOn } from './goes-on.ts';
import { dependencies, handOver, homeWith, id, paramsOf } from './hand-over.ts';
import { ledgerOf, statusesOf, threadOf } from './read-home.ts';

const cwd = '/home/user/shop';
const other = '0c0c0c0c-4c07-7e12-8aaa-4ca2825e995d';
const mine = '0d0d0d0d-4c07-7e12-8aaa-4ca2825e995d';
const later = Date.UTC(2026, 11, 1);

/** As a person who does it now. */
function promptIn(home: HomeLedger, params: Partial<ContinueParams> = {}): Promise<ContinueResult> {
  const deps = { ...dependencies(home), now: () => Date.now() };
  return continueThread(paramsOf({ harness: 'codex', mode: 'prompt', ...params }), deps);
}

/** The words that the program is started with. */
const firstPrompt = ({ command }: ContinueResult): string => command.argv.at(-1) ?? '';

async function contextText(home: HomeLedger): Promise<string> {
  const row = threadOf(home);
  const context = await contextOf(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return JSON.stringify(context.map(({ message }) => message.content));
}

test('the baton is a file of the person alone, and the program is started with words that name it', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home);
  expect(result).toMatchObject({ mode: 'prompt', nativeId: '', harness: 'codex', lease: { epoch: 1, holder: 'codex' } });
  expect(path.dirname(result.path)).toBe(path.join(home.folder, 'batons'));
  expect(fs.statSync(result.path).mode & 0o777).toBe(0o600);
  const text = fs.readFileSync(result.path, 'utf8');
  expect(text).toMatch(/^> Written by Loom for Codex/u);
  expect(text).toContain(result.baton.trimEnd());
  expect(firstPrompt(result)).toContain(result.path);
  // Nothing of what was said is in the program's arguments.
  for (const said of ['Build the cart', 'Built.', 'Hand-over from']) expect(result.command.argv.join(' ')).not.toContain(said);
  expect(result.warnings.join(' ')).toContain('Summary and plan, not the native history');
  expect(threadOf(home)).toMatchObject({ harness: 'codex', lease_epoch: 1 });
  expect(await statusesOf(home)).toEqual(['done']);
  expect(await home.catchUp()).toMatchObject({ entries: 0, threads: 1 });
});

test('the session that the program begins from it goes on with the thread', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home);
  const { current_conversation: conversation, current_native: native } = threadOf(home);
  const file = codexSession({ home: home.home, id: mine, cwd, prompt: firstPrompt(result), at: later });
  await home.catchUp();
  const thread = threadOf(home);
  expect(thread).toMatchObject({ harness: 'codex', current_conversation: conversation, current_native: native, lease_epoch: 1 });
  expect(home.ledger.natives.byNumber(native ?? 0)).toMatchObject({ native_id: mine, path: file });
  expect(home.ledger.threads.count()).toBe(1);
  // Loom's words are no turn of the person's.
  expect(thread.turns).toBe(1);
  const entries = await allEntries(home.ledger, thread.session, conversation);
  expect(entries.flatMap((entry) => (entry.kind === 'user' ? [entry.content.origin] : []))).toEqual(['typed', 'loom']);
  goesOn('codex', { file, prompt: 'Add the tax.', answer: 'Added.', at: later + 60_000 });
  await home.catchUp();
  expect(threadOf(home)).toMatchObject({ turns: 2, current_conversation: conversation });
  const context = await contextText(home);
  for (const words of ['"Build the cart."', '"Add the tax."', '"Added."']) expect(context.split(words)).toHaveLength(2);
});

test('from there it goes back to where it came from, without the words that Loom had put', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home);
  const file = codexSession({ home: home.home, id: mine, cwd, prompt: firstPrompt(result), at: later });
  goesOn('codex', { file, prompt: 'Add the tax.', answer: 'Added.', at: later + 60_000 });
  await home.catchUp();
  const back = await handOver(home, { harness: 'claude', mode: null });
  expect(back).toMatchObject({ mode: 'return', nativeId: id });
  const text = fs.readFileSync(back.path, 'utf8');
  expect(text).toContain('"Added."');
  expect(text).not.toContain('[loom:');
  expect(text).not.toContain('Some work is handed over');
});

test('a session that is a tree of records begins behind the hand-over too, and so does what it rewinds to its start', async () => {
  await using home = await ledgerOf({}, homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  const result = await promptIn(home, { harness: 'claude' });
  const file = claudeSession({ home: home.home, id: mine, cwd, prompt: firstPrompt(result), at: later });
  await home.catchUp();
  const { current_conversation: conversation } = threadOf(home);
  expect(home.ledger.natives.byNumber(threadOf(home).current_native ?? 0)?.native_id).toBe(mine);
  expect(await contextText(home)).toContain('"Build the cart."');
  const [first = ''] = fs.readFileSync(file, 'utf8').split('\n');
  const again = {
    ...(JSON.parse(first) as object),
    uuid: '0eeeeeee-4c07-7e12-8aaa-4ca2825e995d',
    message: { role: 'user', content: 'Anew.' },
  };
  fs.appendFileSync(file, `${JSON.stringify(again)}\n`);
  await home.catchUp();
  expect(threadOf(home).current_conversation).not.toBe(conversation);
  const context = await contextText(home);
  expect(context).toContain('"Build the cart."');
  expect(context).toContain('"Anew."');
  expect(context).not.toContain('It stands well.');
});

test('a harness that works in a folder of its own is known by the mark alone, and the thread stays where it is', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home, { harness: 'openclaw', mode: null });
  expect(result).toMatchObject({ mode: 'prompt', nativeId: '', command: { cwd } });
  expect(result.command.argv.slice(0, 2)).toEqual(['openclaw', 'tui']);
  expect(result.warnings.join(' ')).toContain('its gateway must be running');
  openclawSession({ home: home.home, id: mine, cwd: '/home/user/.openclaw/workspace', prompt: firstPrompt(result), at: later });
  await home.catchUp();
  expect(home.ledger.threads.count()).toBe(1);
  expect(threadOf(home)).toMatchObject({ harness: 'openclaw', cwd, turns: 1 });
  expect(home.ledger.natives.byNumber(threadOf(home).current_native ?? 0)?.native_id).toBe(mine);
  expect(await contextText(home)).toContain('"It stands well."');
});

test('no other session is taken for it', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home);
  const words = firstPrompt(result);
  // Another harness, another folder, other words, and words that only quote the mark later.
  claudeSession({ home: home.home, id: '0a0a0a0a-4c07-4e12-8aaa-4ca2825e995d', cwd, prompt: words, at: later });
  codexSession({
    home: home.home,
    id: '0b0b0b0b-4c07-7e12-8aaa-4ca2825e995d',
    cwd: '/home/user/other',
    prompt: words,
    at: later,
  });
  const said = codexSession({ home: home.home, id: other, cwd, prompt: 'What is Loom?', at: later });
  goesOn('codex', { file: said, prompt: words, answer: 'A loom.', at: later + 1000 });
  await home.catchUp();
  expect(home.ledger.threads.count()).toBe(4);
  codexSession({ home: home.home, id: mine, cwd, prompt: words, at: later });
  await home.catchUp();
  expect(home.ledger.threads.count()).toBe(4);
  expect(home.ledger.natives.byNativeId('codex', mine)?.thread).toBe(threadOf(home).number);
  // It has come: whoever says the same again begins a thread of their own.
  codexSession({ home: home.home, id: '0f0f0f0f-4c07-7e12-8aaa-4ca2825e995d', cwd, prompt: words, at: later });
  await home.catchUp();
  expect(home.ledger.threads.count()).toBe(5);
});

test('a session without a prompt is only read when it has one, and is then known for what it is', async () => {
  await using home = await ledgerOf();
  const result = await promptIn(home);
  codexSession({ home: home.home, id: mine, cwd, prompt: null, at: later });
  codexSession({ home: home.home, id: other, cwd, prompt: null, at: later });
  expect(await home.catchUp()).toMatchObject({ threads: 1, entries: 0 });
  codexSession({ home: home.home, id: mine, cwd, prompt: firstPrompt(result), at: later });
  codexSession({ home: home.home, id: other, cwd, prompt: 'What is a loom?', at: later });
  await home.catchUp();
  expect(home.ledger.natives.byNativeId('codex', mine)?.thread).toBe(threadOf(home).number);
  expect(home.ledger.natives.byNativeId('codex', other)?.thread).not.toBe(threadOf(home).number);
  expect(home.ledger.threads.count()).toBe(2);
});

test('a conversation of Antigravity goes on with the thread', async () => {
  using antigravity = new AntigravityHome();
  fs.cpSync(homeWith({ exchanges: [['Build the cart.', 'Built.']] }), antigravity.home, { recursive: true });
  await using home = await ledgerOf({}, antigravity.home);
  const result = await promptIn(home, { harness: 'antigravity', mode: null });
  expect(result.mode).toBe('prompt');
  antigravity.store(mine, [asked(0, firstPrompt(result)), answered(1, 'It stands well.')]);
  await home.catchUp();
  expect(home.ledger.natives.byNativeId('antigravity', mine)?.thread).toBe(threadOf(home).number);
  expect(home.ledger.threads.count()).toBe(1);
  antigravity.store(mine, [asked(2, 'Add the tax.'), answered(3, 'Added.')]);
  await home.catchUp();
  const context = await contextText(home);
  for (const words of ['"Build the cart."', '"It stands well."', '"Added."']) expect(context).toContain(words);
  const back = await handOver(home, { harness: 'claude', mode: null });
  expect(back).toMatchObject({ mode: 'return', nativeId: id });
});

test('of the batons of a thread the newest ten are kept', async () => {
  await using home = await ledgerOf();
  for (let n = 0; n < 12; n++) await handOver(home, { harness: n % 2 === 0 ? 'codex' : 'claude', mode: 'prompt' });
  const names = fs.readdirSync(path.join(home.folder, 'batons'));
  expect(names).toHaveLength(10);
  expect(threadOf(home)).toMatchObject({ lease_epoch: 12, harness: 'claude' });
});

test('a secret in the thread is masked in the file', async () => {
  const secret = 'ghp_FAKE0123456789abcdefFAKE0123456789ab';
  await using home = await ledgerOf({}, homeWith({ exchanges: [[`Use the token ${secret} for the release.`, 'Used.']] }));
  const { path: file, disclosure } = await promptIn(home);
  expect(fs.readFileSync(file, 'utf8')).not.toContain('FAKE0123456789');
  expect(disclosure.masked).toBeGreaterThan(0);
});
