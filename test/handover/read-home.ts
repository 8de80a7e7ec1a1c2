/** For tests of hand-overs: the ledger of a home with one thread of Claude Code, and what became of the hand-overs of that thread. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { continueTask } from '../../server/ledger/continue-task.ts';
import { findThread } from '../../server/ledger/lookup.ts';
import { HomeLedger } from '../home-ledger.ts';
import type { HomeLedgerOptions } from '../home-ledger.ts';
import { homeWith, id } from './hand-over.ts';

export const prompt = 'Build the cart.';

/** A home with a thread of Claude Code, read; its ledger's folder stays until the test is over. */
export async function ledgerOf(
  options: HomeLedgerOptions = {},
  home = homeWith({ exchanges: [[prompt, 'Built.']] }),
): Promise<HomeLedger> {
  const folder = options.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  onTestFinished(() => {
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  const ledger = new HomeLedger(home, {}, 'linux', { ...options, folder });
  await ledger.catchUp();
  return ledger;
}

export const threadOf = ({ ledger }: HomeLedger) => findThread(ledger, id);

export async function tasksOf(home: HomeLedger) {
  const engine = await home.ledger.engine(threadOf(home).session);
  return engine
    .tasks({ kind: continueTask.kind, limit: 100 })
    .items.flatMap(({ id: task }) => engine.getTask(continueTask, task) ?? []);
}

export async function statusesOf(home: HomeLedger): Promise<readonly string[]> {
  return (await tasksOf(home)).map(({ status }) => status);
}

export const codexFiles = ({ home }: HomeLedger): readonly string[] =>
  fs.globSync('.codex/sessions/**/*', { cwd: home }).filter((file) => fs.statSync(path.join(home, file)).isFile());
