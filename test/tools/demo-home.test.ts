/** The sample sessions are read as what they stand for: they are what a newcomer sees first, and what the editor tests use. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HomeLedger } from '../home-ledger.ts';
import { makeDemoHome } from './demo-home.mjs';

const now = Date.UTC(2026, 5, 17, 15);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-demo-'));
let ledger: HomeLedger;
let demo: ReturnType<typeof makeDemoHome>;
let opaque = -1;
let warnings: readonly unknown[] = [];

beforeAll(async () => {
  demo = makeDemoHome(home, now);
  ledger = new HomeLedger(home, demo.env);
  const report = await ledger.catchUp();
  ({ opaque, warnings } = report);
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  fs.rmSync(home, { recursive: true, force: true });
});

test('both agents have threads, named as a person would name them, and a subagent is none', () => {
  const titles = ledger.ledger.threads.newest(100).map((thread) => thread.title);
  expect(titles).toEqual([
    'Fix the double charge',
    'Move the settings to SQLite',
    'Parse duration strings',
    'Why is the cart test flaky?',
    'Release notes for 2.4',
  ]);
});

test('no record of them is strange to Loom', () => {
  expect(warnings).toEqual([]);
  expect(opaque).toBe(0);
});

test('nothing in them lies in the future', () => {
  for (const thread of ledger.ledger.threads.newest(100)) expect(thread.updated_at).toBeLessThanOrEqual(now);
});

test('a session that goes on later is one thread still', async () => {
  demo.sessions.claude.user('One more thing.').say('Done.').save();
  await ledger.catchUp();
  expect(ledger.ledger.threads.newest(100)).toHaveLength(5);
});
