/** Hand-overs over real ledgers and files: what goes, what does not, and what the person is told of it. */
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { contextOf } from '../../server/ledger/transcript.ts';
import { HomeLedger } from '../home-ledger.ts';
import { handOver, homeWith } from './hand-over.ts';

async function messagesOf({ ledger }: HomeLedger, thread: string): Promise<readonly string[]> {
  const row = ledger.threads.byId(thread);
  if (row === undefined) throw new Error('no such thread');
  const context = await contextOf(ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return context.map(({ message }) => JSON.stringify(message.content));
}

const batons = (texts: readonly string[]): number => texts.filter((text) => text.includes('# Hand-over from')).length;

test('a thread that went to and fro carries its newest baton and none of the older ones', async () => {
  await using home = new HomeLedger(homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  let result = await handOver(home, { harness: 'codex' });
  for (const harness of ['claude', 'codex', 'claude'] as const) result = await handOver(home, { harness });
  expect(batons(fs.readFileSync(result.path, 'utf8').split('\n'))).toBe(1);
  const given = await messagesOf(home, result.thread);
  expect(batons(given)).toBe(1);
  expect(given.filter((text) => text.includes('"Build the cart."'))).toHaveLength(1);
});

test('what a person wrote into a baton is not lost at the next hand-over', async () => {
  await using home = new HomeLedger(homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  await handOver(home, { harness: 'codex', baton: '# Hand-over from me\nThe tax must be rounded up.' });
  const next = await handOver(home, { harness: 'claude' });
  expect(fs.readFileSync(next.path, 'utf8')).toContain('The tax must be rounded up.');
  expect((await messagesOf(home, next.thread)).join('\n')).toContain('The tax must be rounded up.');
});

test("a baton that was shown and sent some minutes later is nobody's words, although its ages are other ones by then", async () => {
  await using home = new HomeLedger(homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  const { baton } = await handOver(home, { harness: 'codex', dryRun: true });
  const shown = `${baton}\nShown a while ago.`;
  await handOver(home, { harness: 'codex', baton: shown, edited: false });
  const next = await handOver(home, { harness: 'claude', mode: 'native' });
  expect(fs.readFileSync(next.path, 'utf8')).not.toContain('Shown a while ago.');
});

test('the person is told what goes, not what there was', async () => {
  const long = Array.from({ length: 60 }, (_, i): readonly [string, string] => [`Ask ${i}.`, `${i} `.repeat(20_000)]);
  await using home = new HomeLedger(homeWith({ exchanges: long }));
  await home.catchUp();
  for (const harness of ['codex', 'claude'] as const) {
    const { disclosure, path: file } = await handOver(home, { harness, dryRun: true });
    expect(fs.existsSync(file)).toBe(false);
    expect(disclosure.bytes).toBeLessThan(700_000);
    expect(disclosure.bytes).toBeGreaterThan(100_000);
    expect(disclosure.messages).toBeLessThan(60);
  }
});

test('a branch whose name holds a secret is not named in the session that is written', async () => {
  const branch = 'fix/ghp_FAKE0123456789abcdefFAKE0123456789ab';
  await using home = new HomeLedger(homeWith({ branch, exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  for (const harness of ['codex', 'claude'] as const) {
    const { path: file } = await handOver(home, { harness });
    expect(fs.readFileSync(file, 'utf8')).not.toContain('FAKE0123456789');
  }
});

test('a thread whose records name no folder goes on at home, and that is said', async () => {
  for (const cwd of ['', 'shop', '.']) {
    await using home = new HomeLedger(homeWith({ cwd, exchanges: [['Build the cart.', 'Built.']] }));
    await home.catchUp();
    for (const harness of ['codex', 'claude'] as const) {
      const { command, warnings } = await handOver(home, { harness });
      expect(command.cwd).toBe(home.home);
      expect(warnings.join(' ')).toContain('do not say which folder');
    }
  }
});
