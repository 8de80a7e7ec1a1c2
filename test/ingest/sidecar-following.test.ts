/** Small files beside sessions: what a harness changes there is seen without a change of any session file. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, sessionId, TestHome, userRow } from './claude-session.ts';

function titled(home: TestHome, title: string): void {
  const folder = path.join(home.folder, sessionId);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'custom-title.json'), JSON.stringify({ customTitle: title }));
}
const titleOf = (ledger: HomeLedger): string | undefined => ledger.ledger.threads.newest(1)[0]?.title;

test('a title file that appears, changes and goes is seen although its session does not change', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  expect(titleOf(ledger)).toBe('one');
  titled(home, 'The cart');
  const report = await ledger.catchUp();
  expect(titleOf(ledger)).toBe('The cart');
  expect(report.records).toBe(0);
  titled(home, 'The whole cart');
  await ledger.catchUp();
  expect(titleOf(ledger)).toBe('The whole cart');
  // What is gone took no title back: a title outlives its file.
  fs.rmSync(path.join(home.folder, sessionId), { recursive: true });
  await ledger.catchUp();
  expect(titleOf(ledger)).toBe('The whole cart');
});

test('a title file that was written while nobody looked is seen at the next start', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  const folder = fs.mkdtempSync(path.join(home.home, 'ledger-'));
  {
    await using ledger = new HomeLedger(home.home, {}, 'linux', { folder });
    await ledger.catchUp();
  }
  titled(home, 'The cart');
  await using ledger = new HomeLedger(home.home, {}, 'linux', { folder });
  await ledger.catchUp();
  expect(titleOf(ledger)).toBe('The cart');
});

test('a pass that finds nothing new beside its sessions commits nothing', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  titled(home, 'The cart');
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const before = ledger.committed.length;
  for (let i = 0; i < 3; i++) await ledger.catchUp();
  expect(ledger.committed.length).toBe(before);
});

test('a title file that is damaged, a folder or a link is passed over', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using ledger = new HomeLedger(home.home);
  await ledger.catchUp();
  const folder = path.join(home.folder, sessionId);
  const file = path.join(folder, 'custom-title.json');
  fs.mkdirSync(folder);
  for (const text of ['', '{', '[]', '{"customTitle":5}', '{"customTitle":"  "}']) {
    fs.writeFileSync(file, text);
    await ledger.catchUp();
    expect(titleOf(ledger)).toBe('one');
  }
  fs.rmSync(file);
  fs.mkdirSync(file);
  await ledger.catchUp();
  fs.rmdirSync(file);
  const elsewhere = path.join(home.home, 'elsewhere.json');
  fs.writeFileSync(elsewhere, '{"customTitle":"not mine"}');
  fs.symlinkSync(elsewhere, file);
  await ledger.catchUp();
  expect(ledger.faults).toEqual([]);
  expect(titleOf(ledger)).toBe('one');
});
