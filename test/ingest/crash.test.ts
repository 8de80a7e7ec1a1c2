import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../../server/ledger/ledger.ts';
import { fixtures } from '../home-ledger.ts';
import { ledgerText } from './ledger-text.ts';

/** Runs the process and kills it after so many commits; resolves with whether it had finished. */
async function ingest(mode: 'small' | 'thread', home: string, ledger: string, killAfter: number): Promise<boolean> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'ingest-process.ts'), home, ledger, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (output.split('.').length > killAfter) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return output.endsWith('done');
}

async function text(folder: string): Promise<unknown> {
  const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
  try {
    return await ledgerText(ledger);
  } finally {
    await ledger.close();
  }
}

const homes = [
  'claude/02-print-tools',
  'claude/03-tui-rewind-rename',
  'claude/05-subagents',
  'claude/09-forks',
  'codex/10-app-server-mixed',
  'codex/08-subagent-forked-history',
  'openclaw/oc-02-2026.9.6-telegram-gateway',
];

for (const mode of ['small', 'thread'] as const)
  test(`a reader that is killed again and again leaves no hole and repeats nothing: ${mode}`, async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-crash-'));
    const home = path.join(root, 'home');
    for (const name of homes) fs.cpSync(path.join(fixtures, name), home, { recursive: true });
    const clean = path.join(root, 'clean');
    expect(await ingest('small', home, clean, Number.MAX_SAFE_INTEGER)).toBe(true);
    const killed = path.join(root, 'killed');
    let kills = 0;
    for (let after = 1; after < 16; after++) {
      if (await ingest(mode, home, killed, (after % 5) + 1)) break;
      kills++;
    }
    expect(await ingest(mode, home, killed, Number.MAX_SAFE_INTEGER)).toBe(true);
    // A transaction of many commits is there as a whole when the first of them is told of.
    expect(kills).toBeGreaterThan(mode === 'small' ? 3 : 0);
    expect(await text(killed)).toEqual(await text(clean));
    fs.rmSync(root, { recursive: true, force: true });
  }, 120_000);
